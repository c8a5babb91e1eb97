// The schema compiler, against an independent validator, and where it must refuse to start.

import { describe, expect, test } from 'bun:test'
import { Ajv2020 } from 'ajv/dist/2020'
import fc from 'fast-check'
import document from '../../../openapi.yaml'
import { TEXT_LENGTH_MAX } from '../src/generated.ts'
import { parseJson } from '../src/json.ts'
import { compileSchema } from '../src/schema.ts'

const { schemas } = document.components
/** Of the texts below; packages/contract/test/date-time.test.ts has all others. */
const dateTime = (text: string) => text === '2026-11-21T18:00:00+02:00'
const date = (text: string) => text === '2026-11-21'
const ajv = new Ajv2020({
  strict: false,
  formats: { int32: integerBelow(2 ** 31), int64: integerBelow(2 ** 63), 'date-time': dateTime, date },
})
ajv.addSchema({ $id: 'contract', components: { schemas } })

/** Values that are or nearly are a pet or an order: names that matter, integers that a double holds exactly. */
const value = fc.oneof(
  { maxDepth: 2 },
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    '',
    ' ',
    'Rex',
    'not_found',
    'available',
    'sold',
    'SOLD',
    'completed',
    '2026-11-21T18:00:00+02:00',
    '2026-11-21 18:00:00',
    '2026-11-21',
    '2026-02-30',
    'a\0',
    ' '.repeat(TEXT_LENGTH_MAX),
    'x'.repeat(TEXT_LENGTH_MAX),
    'x'.repeat(TEXT_LENGTH_MAX + 1),
  ),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 1.5, 2 ** 31, 1e300, -1e300),
  fc.constantFrom(null, true, [], {}),
)
const records = [
  ['id', 'name', 'categoryId', 'status', 'x'],
  ['code', 'message', 'status', 'x'],
  ['id', 'petId', 'petName', 'status', 'placedAt', 'changedAt', 'reference', 'expiresAt'],
  ['available', 'pending', 'sold', 'x'],
].map((names) => fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] }))
const record = fc.oneof(...records)

for (const name of Object.keys(schemas)) {
  test(`${name} takes and refuses what an independent validator does`, () => {
    const ours = compileSchema({ $ref: `#/components/schemas/${name}` }, schemas)
    const theirs = ajv.compile({ $ref: `contract#/components/schemas/${name}` })
    fc.assert(
      fc.property(fc.oneof(record, fc.array(record, { maxLength: 3 }), value), (json) => {
        const problems: string[] = []
        ours(parseJson(JSON.stringify(json)), 'It', problems)
        expect({ json, valid: problems.length === 0 }).toEqual({ json, valid: theirs(json) })
      }),
      { numRuns: 3000 },
    )
  })
}

test('a valid pet comes out with the default filled in and without unknown fields', () => {
  const problems: string[] = []
  const validate = compileSchema({ $ref: '#/components/schemas/NewPet' }, schemas)
  const json = parseJson('{"x":1,"categoryId":9223372036854775807,"name":" a "}')
  expect(validate(json, 'It', problems)).toEqual({ name: ' a ', categoryId: 2n ** 63n - 1n, status: 'available' })
  expect(problems).toEqual([])
})

test('a date-time comes out as milliseconds since 1970', () => {
  const problems: string[] = []
  const validate = compileSchema({ $ref: '#/components/schemas/NewOrder' }, schemas)
  const json = parseJson('{"petId":1,"expiresAt":"2026-11-21T19:00:00.5+01:00"}')
  expect(validate(json, 'It', problems)).toEqual({ petId: 1n, expiresAt: Date.UTC(2026, 10, 21, 18, 0, 0, 500) })
  validate(parseJson('{"petId":1,"expiresAt":1795284000000}'), 'It', problems)
  expect(problems).toEqual(['expiresAt must be a date and time with an offset, such as 2026-11-21T18:00:00Z.'])
})

test('a date comes out as its text', () => {
  const problems: string[] = []
  const validate = compileSchema({ type: 'string', format: 'date' }, schemas)
  expect(validate(parseJson('"2024-02-29"'), 'bornOn', problems)).toBe('2024-02-29')
  for (const json of ['"2026-02-29"', '"2026-11-21T18:00:00Z"', '20261121'])
    validate(parseJson(json), 'bornOn', problems)
  expect(problems).toEqual(Array(3).fill('bornOn must be a date, such as 2026-11-21.'))
})

test('an object that may not be empty says so', () => {
  const validate = compileSchema({ type: 'object', properties: {}, minProperties: 1 }, schemas)
  const problems: string[] = []
  for (const json of ['{"x":1}', '{}']) validate(parseJson(json), 'It', problems)
  expect(problems).toEqual(['It must have at least one field.'])
  expect(() => compileSchema({ type: 'object', minProperties: 2 }, schemas)).toThrow('unsupported schema')
})

test('a list takes as many items as the contract allows, and not one more', () => {
  const validate = compileSchema({ type: 'array', items: { type: 'string' }, maxItems: 2 }, schemas)
  const problemsOf = (json: string) => {
    const problems: string[] = []
    validate(parseJson(json), 'It', problems)
    return problems
  }
  expect(problemsOf('["a","b"]')).toEqual([])
  expect(problemsOf('["a","b","c"]')).toEqual(['It must have at most 2 items.'])
})

describe('a contract that is not understood stops the start', () => {
  for (const schema of [
    {},
    { type: 'number' },
    { type: 'integer' },
    { type: 'string', format: 'email' },
    { type: 'string', format: 'date', pattern: '^2' },
    { type: 'string', format: 'date-time', maxLength: 20 },
    { type: 'array', items: { type: 'string' }, uniqueItems: true },
    { type: 'object', additionalProperties: false },
    { $ref: '#/components/schemas/Nothing' },
  ]) {
    test(JSON.stringify(schema), () => {
      expect(() => compileSchema(schema, schemas)).toThrow()
    })
  }
})

function integerBelow(bound: number) {
  return { type: 'number' as const, validate: (n: number) => Number.isInteger(n) && n >= -bound && n < bound }
}
