// Generates requests from the contract, valid and invalid in every part, and checks each answer: the expected status, never a
// 5xx, no hang, and an Error body that matches the contract. Memory must not grow.
//
//   npm run endurance -- hostile --runs 100000 --report

import fc from 'fast-check'
import document from '../openapi.yaml'
import { INT64_MAX, INT64_MIN } from '../packages/contract/src/int64.ts'
import type { Operation, Schema } from '../packages/contract/src/openapi.ts'
import { parametersOf } from '../packages/contract/src/parameters.ts'
import { checkAgainstContract } from '../test/support/contract-check.ts'
import { serve } from '../test/support/process.ts'
import { experiment } from './command.ts'
import { figuresOf } from './load/figures.ts'

const HANG_MS = 15_000
const AT_ONCE = 8
/** Sent before the memory is read for the first time. */
const WARM_UP_RUNS = 5_000

/** A part of a request, and the status it leads to if it is wrong. */
interface Part<Value> {
  value: Value
  wrong?: number
}

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

/** Requests to the contract's operations: every parameter and body from its schema, valid or not. */
function requests(key: string): fc.Arbitrary<Hostile> {
  const { get: list, post } = document.paths['/pets'] as Record<'get' | 'post', Operation>
  const query = parametersOf('get', list, document.components).filter(({ name }) => name !== 'cursor')
  const texts = fc.record(
    Object.fromEntries(query.map(({ name, schema }) => [name, fc.option(textOf(schema), { nil: undefined })])),
  )
  const target = texts.map((parts): Part<string> => {
    const given = Object.entries(parts).flatMap(([name, part]) => (part ? [{ name, ...part }] : []))
    const value = given.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('&')
    return { value: `/pets?${value}`, ...(given.some(({ wrong }) => wrong) ? { wrong: 400 } : {}) }
  })
  const lists = fc.record({ key: keys(key), target }).map(({ key, target }): Hostile => {
    return { method: 'GET', path: target.value, headers: key.value, expected: [key.wrong ?? target.wrong ?? 200] }
  })
  const ids = fc.oneof(
    fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }).map(String),
    fc.string({ minLength: 1 }).map((text) => `x${encodeURIComponent(text)}`),
  )
  const gets = fc.record({ key: keys(key), id: ids }).map(({ key, id }): Hostile => {
    return { method: 'GET', path: `/pets/${id}`, headers: key.value, expected: key.wrong ? [key.wrong] : [200, 404] }
  })
  const newPet = post.requestBody?.content['application/json']?.schema as Schema
  const idempotency = parametersOf('post', post, document.components)[0]?.schema as Schema
  const creates = fc
    .record({
      key: keys(key),
      type: mediaTypes,
      body: bodies(resolve(newPet)),
      idempotencyKey: fc.option(headerOf(idempotency), { nil: undefined }),
    })
    .map(({ key, type, body, idempotencyKey }): Hostile => {
      // The key may have been used before, for this pet or for another one.
      const added = idempotencyKey ? [201, 409, 422] : [201]
      const wrong = key.wrong ?? type.wrong ?? body.wrong ?? idempotencyKey?.wrong
      const headers = {
        ...key.value,
        ...type.value,
        ...(idempotencyKey ? { 'Idempotency-Key': idempotencyKey.value } : {}),
      }
      return { method: 'POST', path: '/pets', headers, body: body.value, expected: wrong ? [wrong] : added }
    })
  return fc.oneof({ weight: 2, arbitrary: lists }, { weight: 1, arbitrary: gets }, { weight: 4, arbitrary: creates })
}

function keys(key: string): fc.Arbitrary<Part<Record<string, string>>> {
  const visible = fc.stringMatching(/^[!-~]{1,60}$/)
  const wrong = fc.oneof(
    fc.constant({}),
    visible.map((text) => ({ Authorization: `Bearer ${text}` })),
    visible.map((text) => ({ Authorization: text })),
    fc.integer({ min: 10, max: key.length - 1 }).map((at) => {
      const other = key[at] === 'x' ? 'y' : 'x'
      return { Authorization: `Bearer ${key.slice(0, at)}${other}${key.slice(at + 1)}` }
    }),
  )
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant({ value: { Authorization: `Bearer ${key}` } }) },
    { weight: 1, arbitrary: wrong.map((value) => ({ value: value as Record<string, string>, wrong: 401 })) },
  )
}

const mediaTypes: fc.Arbitrary<Part<Record<string, string>>> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .constantFrom('application/json', 'Application/JSON; charset="UTF-8"', 'application/json;charset=utf-8;x=y')
      .map((type) => ({ value: { 'Content-Type': type } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .stringMatching(/^[!-~]{1,40}$/)
      .filter((type) => !/^application\/json/i.test(type))
      .map((type) => ({ value: { 'Content-Type': type }, wrong: 415 })),
  },
)

/** The text of a query parameter. */
function textOf(schema: Schema): fc.Arbitrary<Part<string>> {
  const { type, format, minimum = 0, maximum = 0, enum: values } = resolve(schema)
  if (values) {
    const wrong = fc.string({ unit: 'binary' }).filter((text) => !values.includes(text) && text.isWellFormed())
    return either(fc.constantFrom(...values), wrong, 400)
  }
  if (format === 'int64') return int64s()
  if (type === 'string')
    return either(fc.stringMatching(/^[a-zé]{1,20}( [a-z]{1,9}){0,3}$/), fc.constantFrom(...UNSEARCHED), 400)
  if (type !== 'integer') throw new Error(`no texts for a parameter of the type ${type}`)
  // The contract's reader rounds the bounds of int64.
  const [min, max] = format === 'int64' ? [INT64_MIN, INT64_MAX] : [BigInt(minimum), BigInt(maximum)]
  const right = fc.bigInt({ min, max }).map(String)
  const wrong = fc.oneof(
    fc.bigInt({ min: max + 1n, max: 10n ** 30n }).map(String),
    fc.bigInt({ min: -(10n ** 30n), max: min - 1n }).map(String),
    fc.string().filter((text) => !/^\d+$/.test(text)),
    fc.double().map((number) => `${number}.`),
    right.map((text) => `0${text}`),
  )
  return either(right, wrong, 400)
}

/** Nothing that can be searched for, or too many words. */
const UNSEARCHED = ['', '!?', '\u0000', 'a '.repeat(9)]

function int64s(): fc.Arbitrary<Part<string>> {
  const max = 2n ** 63n - 1n
  const wrong = fc.oneof(
    fc.bigInt({ min: max + 1n, max: 2n ** 80n }).map(String),
    fc.bigInt({ min: -(2n ** 80n), max: -max - 2n }).map(String),
    fc.string().filter((text) => !/^-?\d+$/.test(text)),
  )
  return either(fc.bigInt({ min: -max - 1n, max }).map(String), wrong, 400)
}

/** The text of a header, from the pattern of its schema. */
function headerOf({ pattern }: Schema): fc.Arbitrary<Part<string>> {
  const right = new RegExp(pattern as string)
  const visible = fc.stringMatching(/^[!-~]{1,40}$/)
  return either(
    visible.filter((text) => right.test(text)),
    visible.filter((text) => !right.test(text)),
    400,
  )
}

function bodies(schema: Schema): fc.Arbitrary<Part<Uint8Array<ArrayBuffer>>> {
  const { properties = {}, required = [] } = schema
  const fields = Object.entries(properties).map(([name, of]) => {
    const part = jsonOf(resolve(of))
    const absent = fc.constant<Part<string> | undefined>(
      required.includes(name) ? { value: '', wrong: 400 } : undefined,
    )
    return fc.oneof({ weight: 9, arbitrary: part }, { weight: 1, arbitrary: absent }).map((given) => ({ name, given }))
  })
  const objects = fc
    .record({ fields: fc.tuple(...fields), more: fc.dictionary(fc.string(), fc.jsonValue()) })
    .map(({ fields, more }): Part<string> => {
      const own = fields.flatMap(({ name, given }) => (given?.value ? [`${JSON.stringify(name)}:${given.value}`] : []))
      const others = Object.entries(more)
        .filter(([name]) => !(name in properties))
        .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
      const wrong = fields.some(({ given }) => given?.wrong)
      return { value: `{${[...own, ...others].join()}}`, ...(wrong ? { wrong: 400 } : {}) }
    })
  const others = fc.oneof(fc.json(), fc.string(), fc.string({ unit: 'binary' })).map((value) => ({ value, wrong: 400 }))
  const encoded = fc
    .oneof({ weight: 6, arbitrary: objects }, { weight: 1, arbitrary: others })
    .map(({ value, ...rest }) => ({ ...rest, value: new TextEncoder().encode(value) }))
  const bytes = fc.uint8Array({ maxLength: 200 }).map((value) => ({ value: new Uint8Array(value), wrong: 400 }))
  return fc.oneof({ weight: 9, arbitrary: encoded }, { weight: 1, arbitrary: bytes })
}

/** The JSON text of a property. */
function jsonOf({ type, enum: values, minLength = 0, maxLength = 0, pattern }: Schema): fc.Arbitrary<Part<string>> {
  const others = fc.constantFrom('null', '[]', '{}', 'true', '1.5', '"\\ud800"', '1e999', '""')
  if (values)
    return either(
      fc.constantFrom(...values).map((value) => JSON.stringify(value)),
      others,
      400,
    )
  if (type === 'integer') {
    const right = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)
    const beyond = fc.bigInt({ min: 2n ** 63n, max: 2n ** 80n }).map(String)
    return either(
      right,
      fc.oneof(
        others,
        beyond,
        right.map((text) => `"${text}"`),
      ),
      400,
    )
  }
  const allowed = new RegExp(pattern ?? '', 'u')
  const right = fc.string({ unit: 'binary', minLength, maxLength }).filter((text) => allowed.test(text))
  const long = fc.string({ unit: 'binary', minLength: maxLength + 1, maxLength: 4 * maxLength })
  const wrong = fc.oneof(
    others,
    long.map((text) => JSON.stringify(text)),
    fc.constant('" \\t"'),
  )
  return either(
    right.map((text) => JSON.stringify(text)),
    wrong,
    400,
  )
}

function either(right: fc.Arbitrary<string>, wrong: fc.Arbitrary<string>, status: number): fc.Arbitrary<Part<string>> {
  return fc.oneof(
    { weight: 3, arbitrary: right.map((value) => ({ value })) },
    { weight: 1, arbitrary: wrong.map((value) => ({ value, wrong: status })) },
  )
}

function resolve(schema: Schema): Schema {
  const { $ref, ...own } = schema
  return $ref ? { ...document.components.schemas[$ref.split('/').at(-1) as string], ...own } : schema
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
