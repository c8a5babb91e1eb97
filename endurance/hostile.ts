// Sends requests made of valid and invalid parts, and checks each answer: the status that the contract's validators expect, never a
// 5xx, no hang, and an Error body that matches the contract. Memory must not grow. The validators themselves are compared with an
// independent one in packages/contract/test.
//
//   npm run endurance -- hostile --runs 100000 --report

import fc from 'fast-check'
import { operations } from '../packages/contract/src/contract.ts'
import { INT64_MAX, INT64_MIN } from '../packages/contract/src/int64.ts'
import { parseJson } from '../packages/contract/src/json.ts'
import { SEARCH_WORDS_MAX } from '../packages/contract/src/limits.ts'
import { checkAgainstContract } from '../test/support/contract-check.ts'
import { serve } from '../test/support/process.ts'
import { modelWords } from '../test/support/search-rules.ts'
import { experiment } from './command.ts'
import { figuresOf } from './load/figures.ts'

const HANG_MS = 15_000
const AT_ONCE = 8
/** Sent before the memory is read for the first time. */
const WARM_UP_RUNS = 5_000

interface Hostile {
  method: string
  path: string
  headers: Record<string, string>
  body?: Uint8Array<ArrayBuffer>
  /** Every correct status. */
  expected: number[]
}

export interface Target {
  /** The base address, ending in /v1. */
  url: string
  key: string
}

/** Sends `runs` requests; throws fast-check's report, with a seed and the smallest request, for one with a wrong answer. */
export async function hostile(target: Target, runs: number, seed = Date.now()): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  await fc.assert(
    fc.asyncProperty(fc.array(requests(target.key), { minLength: AT_ONCE, maxLength: AT_ONCE }), async (several) => {
      for (const status of await Promise.all(several.map((one) => send(target, one)))) {
        statuses[status] = (statuses[status] ?? 0) + 1
      }
    }),
    { numRuns: Math.ceil(runs / AT_ONCE), seed },
  )
  return statuses
}

async function send({ url }: Target, { method, path, headers, body, expected }: Hostile): Promise<number> {
  const response = await fetch(url + path, {
    method,
    headers,
    signal: AbortSignal.timeout(HANG_MS),
    ...(body ? { body } : {}),
  })
  const answer = { status: response.status, headers: response.headers, text: await response.text() }
  checkAgainstContract(method, path, answer)
  if (!expected.includes(answer.status)) {
    throw new Error(`${answer.status} instead of ${expected.join(' or ')}: ${answer.text}`)
  }
  if (answer.status >= 400) {
    const error = JSON.parse(answer.text)
    if (Object.keys(error).join() !== 'code,message,status') throw new Error(`no Error body: ${answer.text}`)
  }
  return answer.status
}

const { listPets, getPet, createPet } = Object.fromEntries(operations.map((one) => [one.id, one])) as Record<
  'listPets' | 'getPet' | 'createPet',
  (typeof operations)[number]
>

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX }).map(String)
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.double().map(String),
  fc.integer().map((number) => `0${number}`),
  fc.constantFrom('', '!?', '\0', ' \t', 'Sold', '101', '1.', 'a '.repeat(9), 'x'.repeat(256)),
)
/** One in four is an odd text. */
const mostly = (right: fc.Arbitrary<string>) => fc.oneof({ weight: 3, arbitrary: right }, { weight: 1, arbitrary: odd })
const STATUSES = ['available', 'pending', 'sold']
/** Parameters, by name; one that is not here has only odd texts. */
const RIGHT: Readonly<Record<string, fc.Arbitrary<string>>> = {
  limit: fc.integer({ min: 1, max: 100 }).map(String),
  status: fc.constantFrom(...STATUSES),
  categoryId: int64,
  search: fc.stringMatching(/^[a-zé]{1,20}( [a-z]{1,9}){0,3}$/),
  sort: fc.constantFrom('oldest', 'newest'),
  petId: fc.bigInt({ min: 1n, max: INT64_MAX }).map(String),
}
const json = fc.oneof(
  fc.json(),
  odd.map((text) => JSON.stringify(text)),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.constantFrom('"\\ud800"', '1e999', '1.0', '-0', '""', '" \\t"', 'null'),
)
const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 260 }).map((text) => JSON.stringify(text))
const field = (right: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 8, arbitrary: right },
    { weight: 1, arbitrary: json },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
const objects = fc
  .record({
    name: field(name),
    categoryId: field(int64),
    status: field(fc.constantFrom(...STATUSES).map((text) => `"${text}"`)),
    more: fc.dictionary(fc.string(), fc.jsonValue()),
  })
  .map(({ more, ...fields }) => {
    const given = Object.entries(fields).flatMap(([name, value]) => (value ? [`"${name}":${value}`] : []))
    const others = Object.entries(more).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    return `{${[...given, ...others].join()}}`
  })
const encoded = (texts: fc.Arbitrary<string>) => texts.map((text) => new TextEncoder().encode(text))
const bodies = fc.oneof(
  { weight: 8, arbitrary: encoded(objects) },
  { weight: 1, arbitrary: encoded(fc.oneof(json, odd)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)) },
)
const mediaTypes = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('application/json', 'Application/JSON; charset="UTF-8"') },
  { weight: 1, arbitrary: fc.stringMatching(/^[!-~]{1,40}$/).filter((type) => !/^application\/json/i.test(type)) },
)
const idempotencyKeys = fc.oneof(fc.stringMatching(/^"[!#-Z^-~]{1,40}"$/), fc.stringMatching(/^[!-~]{1,40}$/))

/** The value of Authorization; one in ten is wrong. */
function credentials(key: string): fc.Arbitrary<string | undefined> {
  const visible = fc.stringMatching(/^[!-~]{1,60}$/)
  const changed = fc.integer({ min: 10, max: key.length - 1 }).map((at) => {
    return `${key.slice(0, at)}${key[at] === 'x' ? 'y' : 'x'}${key.slice(at + 1)}`
  })
  const wrong = fc.oneof(
    fc.constant(undefined),
    visible,
    fc.oneof(visible, changed).map((text) => `Bearer ${text}`),
  )
  return fc.oneof({ weight: 9, arbitrary: fc.constant(`Bearer ${key}`) }, { weight: 1, arbitrary: wrong })
}

/** Whether a validator of the contract, or the reader before it, refuses it. */
function isWrong(validate: (problems: string[]) => unknown): boolean {
  const problems: string[] = []
  try {
    validate(problems)
  } catch {
    return true
  }
  return problems.length > 0
}

function requests(key: string): fc.Arbitrary<Hostile> {
  const query = listPets.parameters.filter(({ name }) => name !== 'cursor')
  const texts = Object.fromEntries(
    query.map(({ name }) => [name, fc.option(RIGHT[name] ? mostly(RIGHT[name]) : odd, { nil: undefined })]),
  )
  const lists = fc.record(texts).map((given) => {
    const params = query.flatMap((one) => {
      const text = given[one.name]
      return text === undefined ? [] : [{ ...one, text }]
    })
    const written = modelWords(given.search ?? 'a').written
    const isRefused =
      written === 0 ||
      written > SEARCH_WORDS_MAX ||
      params.some(({ validate, name, text }) => isWrong((problems) => validate(text, name, problems)))
    const path = `/pets?${params.map(({ name, text }) => `${name}=${encodeURIComponent(text)}`).join('&')}`
    return { method: listPets.method, path, expected: [isRefused ? 400 : 200] }
  })
  const ids = mostly(RIGHT.petId as fc.Arbitrary<string>).filter((text) => !/^\.{0,2}$/.test(text))
  const gets = ids.map((id) => {
    const isRefused = getPet.parameters.some(({ validate, name }) =>
      isWrong((problems) => validate(id, name, problems)),
    )
    return { method: getPet.method, path: `/pets/${encodeURIComponent(id)}`, expected: isRefused ? [404] : [200, 404] }
  })
  const creates = fc
    .record({ body: bodies, type: mediaTypes, once: fc.option(idempotencyKeys, { nil: undefined }) })
    .map(({ body, type, once }) => {
      const headers = { 'Content-Type': type, ...(once && { 'Idempotency-Key': once }) }
      const isRefused = isWrong((problems) => {
        for (const { name, validate } of createPet.parameters) if (once) validate(once, name, problems)
        const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
        createPet.body?.validate(parseJson(text), 'body', problems)
      })
      // The key may have been used before, for this pet or for another one.
      const expected = !/^application\/json/i.test(type) ? [415] : isRefused ? [400] : once ? [201, 409, 422] : [201]
      return { method: createPet.method, path: '/pets', headers, body, expected }
    })
  const all: fc.Arbitrary<Omit<Hostile, 'headers'> & Partial<Hostile>> = fc.oneof(
    { weight: 2, arbitrary: lists },
    { weight: 1, arbitrary: gets },
    { weight: 4, arbitrary: creates },
  )
  return fc.record({ one: all, Authorization: credentials(key) }).map(({ one, Authorization }) => ({
    ...one,
    headers: { ...one.headers, ...(Authorization && { Authorization }) },
    expected: Authorization === `Bearer ${key}` ? one.expected : [401],
  }))
}

async function run({ runs, seed }: { runs: number; seed: number }) {
  const server = await serve([], { env: { PETSTORE_LOG_LEVEL: 'warn' } })
  await hostile(server, WARM_UP_RUNS, seed + 1)
  const before = figuresOf(server.pid).memoryMb
  const statuses = await hostile(server, runs, seed)
  const after = figuresOf(server.pid).memoryMb
  const status = await server.stop()
  const answers = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  const text = `${runs} requests generated from the contract (seed ${seed}), ${AT_ONCE} at a time, each with the statuses it may get.

- Answers by status: ${answers.join(', ')}. Each was a correct one and matched the contract; none took ${HANG_MS / 1000} s.
- Memory: ${before.toFixed(0)} MiB after the first ${WARM_UP_RUNS} requests, ${after.toFixed(0)} MiB at the end. The process ended with status ${status}.
- Lines in the log: ${server.stderr() === '' ? 'none' : server.stderr().slice(0, 2_000)}

\`packages/service/test/http/hostile.catalogue.ts\` holds the hostile input written by hand, sent over raw sockets; it is part of \`npm test\`.`
  return { text, passed: status === 0 }
}

export const main = experiment({
  name: 'hostile',
  title: 'Hostile input',
  description: 'Sends requests generated from the contract, valid and invalid, and checks every answer.',
  options: {
    runs: ['how many requests are sent', 100_000],
    seed: ['the same seed gives the same requests', 1 + Math.floor(Math.random() * 999_999)],
  },
  run,
})
