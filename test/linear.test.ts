// Linear time for any input, so that no request can block the service, and no response the client. Worst cases are built
// for every regular expression that reads external text, and for every part of a request to a real server.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import document from '../openapi.yaml'
import { cursorTo } from '../packages/client/src/responses.ts'
import { BODY_BYTES_MAX } from '../packages/contract/src/limits.ts'
import { linkIn } from '../packages/verify/src/headers.ts'
import { petBody, verbatim } from './support/pets.ts'
import { startService } from './support/service.ts'

/** The longest possible input is a body. */
const CHARACTERS = BODY_BYTES_MAX
/** The head of a request or of a response can have about 16 KiB. */
const HEAD_CHARACTERS = 15_000
/** A linear expression takes much less for CHARACTERS; a quadratic one takes seconds. In between, its growth decides. */
const [MS_MAX, SLOW_MS] = [100, 3_000]
/** Twice the text takes twice as long in linear time, and four times as long in quadratic time. */
const GROWTH_MAX = 3
/** Shorter texts never take long in linear time. */
const LONG = 5_000
/** Other work on this machine slows some measurements, so only the fastest of several counts. */
const MEASUREMENTS = 6
const ATTEMPTS = 3

/** For each file that reads external text: samples that match its expressions, with each of their parts. */
const SAMPLES: Record<string, readonly string[]> = {
  'service/src/http/reports.ts': ['/pets/pets_live_x'],
  'service/src/http/response/response.ts': ['"abc", W/"d"'],
  'service/src/http/request/authentication.ts': ['Bearer  pets_live_x y'],
  'service/src/http/request/input.ts': ['application/json', ' ; charset="utf-8"; a=b', 'text/x.y-1+z', 'type[0]'],
  'service/src/http/web/static-file.ts': ['q=0.000'],
  'service/src/http/limits.ts': ['a\\"b\\\\'],
  'contract/src/contract.ts': ['#/components/schemas/NewPet'],
  'contract/src/schema.ts': ['category_id', '\u202e', 'pets_live_'],
  'contract/src/date-time.ts': ['2026-11-21T09:30:00.123456789+02:00', '2026-11-21T09:30'],
  'contract/src/json.ts': ['10', '0001', '-10.50e+30', '-9223372036854775808', 'Rex é'],
  'service/src/http/context.ts': ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x'],
  'service/src/domain/keys.ts': ['12'],
  'contract/src/system-reason.ts': ['ERR_TLS_CERT'],
  'service/src/domain/names.ts': ['Dogs', '+12', '\u0007'],
  'service/src/domain/words.ts': ['abc 12', '\u0301', '王小明', 'é'],
  'service/src/http/pipeline.ts': ['a.example%20:8080'],
  'openapi.yaml': ['"a b\\"\\\\"', ' \tRex the dog ', 'AAAAAAAAABSPeLA', '120', 'now', 'A'.repeat(24)],
}

/** Expressions that do not read external text, or are built at runtime. */
const ELSEWHERE: Record<string, string> = {
  'service/src/http/web/bundle.ts / (src|href)="\\.\\//g': 'reads the built pages',
  'service/src/http/route.ts /\\{(\\w+)\\}/g': 'reads the contract at start',
  'contract/src/contract.ts /^servers:\\n(?: +.*\\n)+/m': 'reads the contract at start',
  'contract/src/schema.ts new RegExp(': 'builds the patterns of the contract, which are tested',
  'service/src/domain/keys.ts new RegExp(': 'has a fixed length',
}

const found = expressions()

test('every regular expression matches a sample', () => {
  const taken = found.map(([file, expression]) => `${file}: ${samplesOf(file, expression)[0]}`)
  expect(taken.filter((line) => line.endsWith('undefined'))).toEqual([])
})

test('every regular expression takes linear time', () => {
  const slow = found.flatMap(([file, expression]) => {
    const work = (text: string) => search(regularOf(expression), text)
    return samplesOf(file, expression)
      .map((sample) => slowest(work, sample))
      .filter((found) => found !== '')
      .map((found) => `${file} ${expression}: ${found}`)
  })
  expect(slow).toEqual([])
})

/** Code that reads the `Link` header of any server. */
const LINK_READERS: Record<string, (link: string) => unknown> = {
  'the client': (link) => cursorTo('next', { headers: { get: () => link } } as unknown as Response),
  'petstore verify and the practice mode': (link) => linkIn([['Link', link]], 'next'),
}

test.each(Object.entries(LINK_READERS))('reads a Link in linear time: %s', (_, read) => {
  for (const sample of ['</v1/pets?cursor=A>; rel="next"', '<a> ; title = "b"; rel=next , <c>;rel="prev"']) {
    expect(slowest(read, sample, HEAD_CHARACTERS)).toBe('')
  }
})

/** The expressions of all files, as written in the source. */
function expressions(): [file: string, expression: string][] {
  const src = join(import.meta.dir, '../packages')
  const files = ['service/src/http', 'contract/src', 'service/src/domain'].flatMap((folder) => [
    ...new Bun.Glob(`${folder}/**/*.ts`).scanSync(src),
  ])
  /** Matches a regular expression literal with its flags. */
  const literal = /(?<=(?:[(,=>:[!&|?{;]|return)\s*)\/(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\\\]\n]|\\.)*\])+\/[a-z]*/g
  const ofSources = files.flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8')
    const all = [...text.matchAll(literal), ...text.matchAll(/new RegExp\(/g)].map(([one]) => one)
    return all.filter((one) => ELSEWHERE[`${file} ${one}`] === undefined).map((one) => [file, one] as const)
  })
  const ofContract = [...patternsOf(document)].map((pattern) => ['openapi.yaml', `/${pattern}/u`] as const)
  const all = [...ofSources, ...ofContract].map(([file, one]) => [`${file} ${one}`, [file, one]] as const)
  return [...new Map(all).values()].map(([file, one]) => [file, one])
}

function samplesOf(file: string, expression: string): string[] {
  return (SAMPLES[file] ?? []).filter((sample) => regularOf(expression).test(sample))
}

function regularOf(expression: string): RegExp {
  const end = expression.lastIndexOf('/')
  return new RegExp(expression.slice(1, end), expression.slice(end + 1))
}

/** Returns the prefix, the repeated part and its count for the first text that takes too long. */
function slowest(work: (text: string) => unknown, sample: string, characters = CHARACTERS): string {
  for (let at = 0; at < sample.length; at++) {
    const repeated = [1, 2, 3].map((length) => sample.slice(at, at + length))
    for (const pump of new Set([...repeated, ' ', '0', 'a', '"', '\\', ';', ', '])) {
      for (const prefix of new Set([sample.slice(0, at), sample.slice(0, at + 1), ''])) {
        // From short to long, because exponential time would never end for a long text.
        for (const times of [16, 20, 24, 28, 32, 64, 128, 4096, Math.floor(characters / pump.length)]) {
          const timed = (count: number) => milliseconds(() => work(`${prefix}${pump.repeat(count)}\n\0`))
          if (timed(times) > MS_MAX && isSlow(timed, times)) return JSON.stringify({ prefix, pump, times })
        }
      }
    }
  }
  return ''
}

function search(regular: RegExp, text: string): void {
  regular.lastIndex = 0
  if (regular.global) text.match(regular)
  else regular.exec(text)
}

function isSlow(timed: (count: number) => number, times: number): boolean {
  const best = (count: number) => Math.min(...Array.from({ length: MEASUREMENTS }, () => timed(count)))
  const ms = best(times)
  if (ms <= MS_MAX || ms > SLOW_MS || times < LONG) return ms > MS_MAX
  return Array.from({ length: ATTEMPTS }).every(() => best(2 * times) > GROWTH_MAX * best(times))
}

function milliseconds(work: () => unknown): number {
  const begun = processorMs()
  work()
  return processorMs() - begun
}

/** The processor time of this process, including the service. Wall-clock time depends on other work. */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function* patternsOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, one] of Object.entries(value)) {
    if (name === 'pattern' && typeof one === 'string') yield one
    else yield* patternsOf(one)
  }
}

const service = await startService({ bodyTimeoutMs: 60_000 })

describe('a request', () => {
  interface Parts {
    headers?: Record<string, string>
    path?: string
    body?: string
  }

  const fill = (text: string, characters = HEAD_CHARACTERS) => text.repeat(Math.floor(characters / text.length))
  const inBody = (text: string) => fill(text, CHARACTERS - 100)
  const pet = (field: string, json: string) => petBody({ [field]: verbatim(json) })

  /** Headers that the runtime parses, and lists of many parts. */
  const HEADERS: [name: string, value: string, path?: string][] = [
    ['Accept-Encoding', `br${fill(';\t')}x`, '/'],
    ['Accept-Encoding', `${fill(',')}x`, '/'],
    ['Accept-Encoding', `br;q=0.${fill('0')}1`, '/openapi.json'],
    ['Host', `${fill('%20')}@`],
    ['If-None-Match', fill('"a", ')],
    ['If-None-Match', `W/${fill('"W/', 14_000)}`, '/'],
    ['Authorization', `Bearer pets_live_${fill('a')}`],
    ['Origin', fill('https://')],
  ]
  const CREATES: [name: string, value: string][] = [
    ['Content-Type', `a${fill('; ')},`],
    ['Content-Type', `application/json${fill(';a=a')}"`],
    ['Idempotency-Key', `"${fill('\\\\')}`],
    ['traceparent', `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-${fill('-')}`],
  ]
  /** Repeats the part after the bar up to the maximum length. */
  const filled = (text: string, all = fill) => text.replace(/\|(.*)$/, (_, part) => all(part))
  const PATHS = [
    ...'|limit=1& |l& limit=|%30 limit=|0 limit=-|9 status=|a cursor=|A'.split(' ').map((one) => `/v1/pets?${one}`),
    ...['/v1/pets/|9', '/v1/pets/|%2f', '/|/'],
  ].map((path) => filled(path))
  const BODIES = [
    ...[' ', '['].map(inBody),
    ...['[],', '{},', '1.0e1,'].map((part) => `[${inBody(part)}1]`),
    `{${Array.from({ length: 6_000 }, (_, n) => `"${n}":0`).join(',')}}`,
    ...['\\\\', '\\ud800'].map((part) => pet('name', `"${inBody(part)}"`)),
    pet('name', `"${inBody('🐕').slice(0, 32_000)}"`),
    petBody({ name: ' '.repeat(255) }),
    `"${inBody('\\"')}`,
    ...['|9', '1|0', '1.|0', '1e|9', '1e-|9'].map((one) => pet('categoryId', filled(one, inBody))),
    pet('categoryId', `0.${inBody('0')}1`),
  ]
  const WORST: Parts[] = [
    ...HEADERS.map(([name, value, path]) => ({ headers: { [name]: value }, ...(path && { path }) })),
    ...CREATES.map(([name, value]) => ({ headers: { [name]: value }, body: petBody() })),
    ...PATHS.map((path) => ({ path })),
    ...BODIES.map((body) => ({ body })),
  ]

  /** The same parts with harmless text of the same length. */
  const harmless = ({ headers = {}, path = '/v1/pets', body }: Parts): Parts => ({
    headers: { 'X-Nothing': 'a'.repeat(Object.values(headers).join('').length) },
    path: `/v1/pets?x=${'a'.repeat(path.length)}`,
    ...(body === undefined ? {} : { body: `{"x":"${'a'.repeat(body.length)}` }),
  })

  const send = async ({ headers = {}, path = '/v1/pets', body }: Parts): Promise<number> => {
    const begun = processorMs()
    const sent = body === undefined ? { method: 'GET' } : { method: 'POST', body }
    const given = { Authorization: `Bearer ${service.key}`, ...headers }
    const response = await fetch(service.origin + path, { ...sent, headers: given })
    await response.bytes()
    expect(response.status).toBeLessThan(500)
    expect(response.status).not.toBe(431)
    return processorMs() - begun
  }
  const best = async (parts: Parts) => Math.min(...(await Array.fromAsync({ length: MEASUREMENTS }, () => send(parts))))

  test.each(WORST.map((parts) => [JSON.stringify(parts).slice(0, 60), parts] as const))(
    'a request with %s takes about as long as a harmless one of its size',
    async (_, parts) => {
      const excess = async () => (await best(parts)) - 10 * (await best(harmless(parts)))
      let least = await excess()
      for (let n = 1; n < ATTEMPTS && least >= MS_MAX / 4; n++) least = Math.min(least, await excess())
      expect(least).toBeLessThan(MS_MAX / 4)
    },
  )
})
