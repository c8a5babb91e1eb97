// The messages of the contract's validators: the field, the problem and the allowed values.

import { describe, expect, test } from 'bun:test'
import { operations } from '../src/contract.ts'
import { TEXT_LENGTH_MAX } from '../src/generated.ts'
import { parseJson } from '../src/json.ts'

const problemsOf = (validate: (problems: string[]) => unknown) => {
  const problems: string[] = []
  validate(problems)
  return problems.join(' ')
}
const operation = (id: string) => operations.find((one) => one.id === id)
const PATTERN = 'must contain a character that is not white space, and no U+0000, unlike'
const LENGTH = `must be 1 to ${TEXT_LENGTH_MAX} characters long, not`
const INT64 = 'an integer from -9223372036854775808 to 9223372036854775807'
const INSTANT = 'expiresAt must be a date and time with an offset, such as 2026-11-21T18:00:00Z, not'
const STATUS = 'status must be one of available, pending, sold, not'

const pet = (name: string, categoryId = '7') => `{"name":${name},"categoryId":${categoryId}}`
const order = (field: string) => `{"petId":1,${field}}`

describe.each([
  [
    'createPet',
    [
      [pet(`"${'🐶'.repeat(256)}"`), `name ${LENGTH} 256.`],
      [pet(`"${' '.repeat(60_000)}"`), `name ${LENGTH} 60000.`],
      [pet('" \\t\\u3000"'), `name ${PATTERN} " \\t\u3000".`],
      [pet('"a\\u0000b"'), `name ${PATTERN} "a\\u0000b".`],
      [pet('"\\ud800"'), 'name must be well-formed Unicode without lone surrogates, unlike "\\ud800".'],
      [pet('7'), 'name must be a string, not 7.'],
      [pet('"a"', '1.5'), 'categoryId must be an integer, not 1.5.'],
      [pet('"a"', '"\\u202e1\\u007f"'), 'categoryId must be an integer, not "\\u{202e}1\\u{7f}".'],
      [pet('"a"', `"${'🐶'.repeat(25)}"`), `categoryId must be an integer, not "${'🐶'.repeat(24)}…".`],
      [pet('"a"', '{"id":7}'), 'categoryId must be an integer, not an object.'],
      [pet('"a"', '9223372036854775808'), `categoryId must be ${INT64}, not 9223372036854775808.`],
      ['{"categoryId":"1"}', 'name is required. categoryId must be an integer, not "1".'],
      ['{"name":"a","categoryId":7,"status":"Sold"}', `${STATUS} "Sold".`],
      ['{"name":"Rex","category_id":7}', 'categoryId is required. Did you mean categoryId instead of category_id?'],
      ['[]', 'The body must be a JSON object, not an array.'],
    ],
  ],
  [
    'placeOrder',
    [
      ['{}', 'petId is required.'],
      [order('"reference":null'), 'reference must be a string, not null.'],
      [order('"expiresAt":"2026-11-21T18:00:00"'), `${INSTANT} "2026-11-21T18:00:00".`],
      [order('"expiresAt":"2026-11-21T18:00+01:00"'), `${INSTANT} "2026-11-21T18:00+01:00". It has no seconds.`],
      [order('"expiresAt":"2027-02-30T18:00:00Z"'), `${INSTANT} "2027-02-30T18:00:00Z".`],
      ['{"reference":1,"expiresAt":1}', `petId is required. reference must be a string, not 1. ${INSTANT} 1.`],
      ['"petId"', 'The body must be a JSON object, not "petId".'],
    ],
  ],
] as const)('a body of %s', (id, rows) => {
  test.each(rows as readonly (readonly [string, string])[])('%.80s: %s', (body, sentence) => {
    const { validate } = operation(id)?.body ?? {}
    expect(problemsOf((problems) => validate?.(parseJson(body), 'The body', problems))).toBe(sentence)
  })
})

test.each([
  ['listPets', 'limit', '0', 'limit must be an integer from 1 to 100, not 0.'],
  ['listPets', 'limit', '５', 'limit must be an integer from 1 to 100, in plain decimal digits, not "５".'],
  ['listPets', 'sort', 'Newest', 'sort must be one of oldest, newest, not "Newest".'],
  ['listPets', 'categoryId', '', `categoryId must be ${INT64}, in plain decimal digits, not "".`],
  ['getPet', 'petId', '01', `petId must be ${INT64}, in plain decimal digits, not "01".`],
  ['listEvents', 'wait', '31', 'wait must be an integer from 0 to 30, not 31.'],
])('%s, %s=%s: %s', (id, name, text, sentence) => {
  const parameter = operation(id)?.parameters.find((one) => one.name === name)
  expect(problemsOf((problems) => parameter?.validate(text, name, problems))).toBe(sentence)
})
