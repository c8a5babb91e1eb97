// Sends requests made of valid and invalid parts. Checks that each response has the status that the contract's validators expect, is never
// a 5xx, arrives in time, and has an Error body that matches the contract, and that each added pet has the name that was sent.
// packages/contract/test checks the validators themselves.

import fc from 'fast-check'
import { operations } from '../packages/contract/src/contract.ts'
import { INT64_MAX, INT64_MIN, parseJson } from '../packages/contract/src/json.ts'
import { SEARCH_WORDS_MAX } from '../packages/contract/src/limits.ts'
import { checkAgainstContract } from '../test/support/contract-check.ts'
import { modelWords } from '../test/support/search-rules.ts'

const HANG_MS = 15_000
const AT_ONCE = 8

interface Hostile {
  method: string
  path: string
  headers: Record<string, string>
  body?: Uint8Array<ArrayBuffer>
  /** Every correct status. */
  expected: number[]
}

/** `url` is the base address, ending in /v1. */
type Target = Record<'url' | 'key', string>

/** Sends `runs` requests. Throws fast-check's report, with a seed and the smallest request, if a response is wrong. */
export async function hostile(target: Target, runs: number): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  await fc.assert(
    fc.asyncProperty(fc.array(requests(target.key), { minLength: AT_ONCE, maxLength: AT_ONCE }), async (several) => {
      for (const status of await Promise.all(several.map((one) => send(target, one)))) {
        statuses[status] = (statuses[status] ?? 0) + 1
      }
    }),
    { numRuns: Math.ceil(runs / AT_ONCE) },
  )
  return statuses
}

async function send({ url }: Target, { path, expected, ...sent }: Hostile): Promise<number> {
  const { method, headers, body } = sent
  const response = await fetch(url + path, { ...sent, signal: AbortSignal.timeout(HANG_MS) })
  const answer = { status: response.status, headers: response.headers, text: await response.text() }
  checkAgainstContract(method, path, answer)
  if (!expected.includes(answer.status)) {
    throw new Error(`${answer.status} instead of ${expected.join(' or ')}: ${answer.text}`)
  }
  if (answer.status >= 400) {
    const error = JSON.parse(answer.text)
    if (Object.keys(error).join() !== 'code,message,status') throw new Error(`no Error body: ${answer.text}`)
  }
  if (answer.status === 201) {
    const { id, name } = JSON.parse(answer.text)
    const stored = await (await fetch(`${url}/pets/${id}`, { headers })).text()
    const isKept = name === JSON.parse(new TextDecoder().decode(body)).name && stored === answer.text
    if (!isKept) throw new Error(`another name: ${answer.text}, then ${stored}`)
  }
  return answer.status
}

const operation = (id: string) => operations.find((one) => one.id === id) as (typeof operations)[number]
const [listPets, getPet, createPet] = [operation('listPets'), operation('getPet'), operation('createPet')]

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX }).map(String)
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
  fc.double().map(String),
  fc.integer().map((number) => `0${number}`),
  fc.constantFrom('', '!?', '\0', ' \t', 'Sold', '101', '1.', 'a '.repeat(9), 'x'.repeat(256)),
)
/** Draws each arbitrary in proportion to its weight. */
const among = <Of>(...all: [weight: number, fc.Arbitrary<Of>][]) =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })))
const mostly = (right: fc.Arbitrary<string>) => among([3, right], [1, odd])
const STATUSES = ['available', 'pending', 'sold']
/** Valid values of parameters by name. A parameter that is not listed gets only odd texts. */
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
const field = (right: fc.Arbitrary<string>) => among([8, right], [1, json], [1, fc.constant(undefined)])
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
const bodies = among(
  [8, encoded(objects)],
  [1, encoded(fc.oneof(json, odd))],
  [1, fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes))],
)
const mediaTypes = among(
  [9, fc.constantFrom('application/json', 'Application/JSON; charset="UTF-8"')],
  [1, fc.stringMatching(/^[!-~]{1,40}$/).filter((type) => !/^application\/json/i.test(type))],
)
const idempotencyKeys = fc.oneof(fc.stringMatching(/^"[!#-Z^-~]{1,40}"$/), fc.stringMatching(/^[!-~]{1,40}$/))

/** The value of Authorization; one in ten is wrong. */
function credentials(key: string): fc.Arbitrary<string | undefined> {
  const visible = fc.stringMatching(/^[!-~]{1,60}$/)
  const changed = fc.integer({ min: 10, max: key.length - 1 }).map((at) => {
    return `${key.slice(0, at)}${key[at] === 'x' ? 'y' : 'x'}${key.slice(at + 1)}`
  })
  const bearing = fc.oneof(visible, changed).map((text) => `Bearer ${text}`)
  return among([9, fc.constant(`Bearer ${key}`)], [1, fc.oneof(fc.constant(undefined), visible, bearing)])
}

/** Whether a validator of the contract, or the parser before it, rejects the value. */
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
  const textsOf = ({ name }: { name: string }) => fc.option(RIGHT[name] ? mostly(RIGHT[name]) : odd, { nil: undefined })
  const texts = Object.fromEntries(query.map((one) => [one.name, textsOf(one)]))
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
    const isRefused = getPet.parameters.some((one) => isWrong((problems) => one.validate(id, one.name, problems)))
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
      // An earlier request may have used the key, for the same pet or for another.
      const expected = !/^application\/json/i.test(type) ? [415] : isRefused ? [400] : once ? [201, 409, 422] : [201]
      return { method: createPet.method, path: '/pets', headers, body, expected }
    })
  const all = among<Omit<Hostile, 'headers'> & Partial<Hostile>>([2, lists], [1, gets], [4, creates])
  return fc.record({ one: all, Authorization: credentials(key) }).map(({ one, Authorization }) => ({
    ...one,
    headers: { ...one.headers, ...(Authorization && { Authorization }) },
    expected: Authorization === `Bearer ${key}` ? one.expected : [401],
  }))
}
