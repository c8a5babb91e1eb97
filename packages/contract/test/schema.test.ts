// Compares the schema compiler with an independent validator, and tests the schemas that it rejects.

import { expect, test } from 'bun:test'
import { Ajv2020 } from 'ajv/dist/2020'
import fc from 'fast-check'
import document from '../../../openapi.yaml'
import { TEXT_LENGTH_MAX } from '../src/generated.ts'
import { parseJson } from '../src/json.ts'
import type { Schema } from '../src/openapi.ts'
import { compileSchema } from '../src/schema.ts'

const { schemas } = document.components
/** Only for the texts below. packages/contract/test/date-time.test.ts tests others. */
const dateTime = (text: string) => text === '2026-11-21T18:00:00+02:00'
const date = (text: string) => text === '2026-11-21'
const integers = { int32: integerBelow(2 ** 31), int64: integerBelow(2 ** 63) }
const ajv = new Ajv2020({ strict: false, formats: { ...integers, 'date-time': dateTime, date } })
ajv.addSchema({ $id: 'contract', components: { schemas } })

/** Values for fields of pets, orders and errors. A double holds the integers exactly. */
const value = fc.oneof(
  { maxDepth: 2 },
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(...'| |Rex|not_found|available|sold|SOLD|completed|2026-02-30|a\0'.split('|')),
  fc.constantFrom('2026-11-21T18:00:00+02:00', '2026-11-21 18:00:00', '2026-11-21'),
  fc.constantFrom(' '.repeat(TEXT_LENGTH_MAX), 'x'.repeat(TEXT_LENGTH_MAX), 'x'.repeat(TEXT_LENGTH_MAX + 1)),
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
  test(`${name} accepts the same values as an independent validator`, () => {
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

/** Returns the values before the first invalid one, and all problems. */
function read(schema: Schema, ...jsons: string[]) {
  const problems: string[] = []
  const validate = compileSchema(schema, schemas)
  const values = jsons.map((json) => validate(parseJson(json), 'It', problems))
  return { values: values.slice(0, jsons.length - problems.length), problems }
}

test('fills in the default of a valid pet and removes unknown fields', () => {
  expect(read({ $ref: '#/components/schemas/NewPet' }, `{"x":1,"categoryId":${2n ** 63n - 1n},"name":" a "}`)).toEqual({
    values: [{ name: ' a ', categoryId: 2n ** 63n - 1n, status: 'available' }],
    problems: [],
  })
})

test.each([
  [
    'returns a date-time as milliseconds since 1970',
    { type: 'string', format: 'date-time' },
    ['"2026-11-21T19:00:00.5+01:00"', '1795284000000'],
    [Date.UTC(2026, 10, 21, 18, 0, 0, 500)],
    ['It must be a date and time with an offset, such as 2026-11-21T18:00:00Z, not 1795284000000.'],
  ],
  [
    'returns a date as text',
    { type: 'string', format: 'date' },
    ['"2024-02-29"', '"2026-02-29"', '"2026-11-21T18:00:00Z"', '20261121'],
    ['2024-02-29'],
    ['"2026-02-29"', '"2026-11-21T18:00:00Z"', '20261121'].map(
      (value) => `It must be a date, such as 2026-11-21, not ${value}.`,
    ),
  ],
  [
    'rejects an empty object if it must have a field',
    { type: 'object', properties: {}, minProperties: 1 },
    ['{"x":1}', '{}'],
    [{}],
    ['It must have at least one field.'],
  ],
  [
    'limits the number of items of an array',
    { type: 'array', items: { type: 'string' }, maxItems: 2 },
    ['["a","b"]', '["a","b","c"]'],
    [['a', 'b']],
    ['It must have at most 2 items, not 3.'],
  ],
])('%s', (_, schema, jsons, values, problems) => {
  expect(read(schema, ...jsons)).toEqual({ values, problems })
})

for (const schema of [
  {},
  { type: 'number' },
  { type: 'integer' },
  { type: 'string', format: 'email' },
  { type: 'string', format: 'date', pattern: '^2' },
  { type: 'string', format: 'date-time', maxLength: 20 },
  { type: 'array', items: { type: 'string' }, uniqueItems: true },
  { type: 'object', additionalProperties: false },
  { type: 'object', minProperties: 2 },
  { $ref: '#/components/schemas/Nothing' },
]) {
  test(`rejects an unsupported schema: ${JSON.stringify(schema)}`, () => {
    expect(() => compileSchema(schema, schemas)).toThrow()
  })
}

function integerBelow(bound: number) {
  return { type: 'number' as const, validate: (n: number) => Number.isInteger(n) && n >= -bound && n < bound }
}
