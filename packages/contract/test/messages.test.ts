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
const PATTERN = 'must contain a character that is not white space, and no U+0000.'
const LENGTH = `must be 1 to ${TEXT_LENGTH_MAX} characters long.`
const INT64 = 'an integer from -9223372036854775808 to 9223372036854775807'
const INSTANT = 'expiresAt must be a date and time with an offset, such as 2026-11-21T18:00:00Z.'
const STATUS = 'status must be one of available, pending, sold.'

const pet = (name: string, categoryId = '7') => `{"name":${name},"categoryId":${categoryId}}`
const order = (field: string) => `{"petId":1,${field}}`

describe.each([
  [
    'createPet',
    [
      [pet(`"${'a'.repeat(256)}"`), `name ${LENGTH}`],
      [pet('""'), `name ${LENGTH}`],
      [pet(`"${' '.repeat(60_000)}"`), `name ${LENGTH}`],
      [pet('" \\t\\u3000"'), `name ${PATTERN}`],
      [pet('"a\\u0000b"'), `name ${PATTERN}`],
      [pet('"\\ud800"'), 'name must be well-formed Unicode, without lone surrogates.'],
      [pet('7'), 'name must be a string.'],
      [pet('"a"', '1.5'), 'categoryId must be an integer, without a fraction.'],
      [pet('"a"', '9223372036854775808'), `categoryId must be ${INT64}.`],
      ['{"categoryId":"1"}', 'name is required. categoryId must be an integer.'],
      ['{"name":"a","categoryId":7,"status":"Sold"}', STATUS],
      ['{"name":"Rex","category_id":7}', 'categoryId is required. Did you mean categoryId instead of category_id?'],
      ['{"status":1}', `name is required. categoryId is required. ${STATUS}`],
      ['[]', 'The body must be a JSON object.'],
    ],
  ],
  [
    'placeOrder',
    [
      ['{}', 'petId is required.'],
      [order(`"reference":"${'x'.repeat(256)}"`), `reference ${LENGTH}`],
      [order('"reference":" \\t"'), `reference ${PATTERN}`],
      [order('"reference":null'), 'reference must be a string.'],
      [order('"expiresAt":"2026-11-21T18:00:00"'), INSTANT],
      [order('"expiresAt":"2027-02-30T18:00:00Z"'), INSTANT],
      ['{"reference":1,"expiresAt":1}', `petId is required. reference must be a string. ${INSTANT}`],
      ['"petId"', 'The body must be a JSON object.'],
    ],
  ],
] as const)('a body of %s', (id, rows) => {
  test.each(rows as readonly (readonly [string, string])[])('%.80s: %s', (body, sentence) => {
    const { validate } = operation(id)?.body ?? {}
    expect(problemsOf((problems) => validate?.(parseJson(body), 'The body', problems))).toBe(sentence)
  })
})

test.each([
  ['listPets', 'limit', '0', 'limit must be an integer from 1 to 100.'],
  ['listPets', 'limit', '５', 'limit must be an integer from 1 to 100, in plain decimal digits.'],
  ['listPets', 'status', '', STATUS],
  ['listPets', 'sort', 'Newest', 'sort must be one of oldest, newest.'],
  ['listPets', 'categoryId', '', `categoryId must be ${INT64}, in plain decimal digits.`],
  ['listPets', 'search', '', `search ${LENGTH}`],
  ['getPet', 'petId', '01', `petId must be ${INT64}, in plain decimal digits.`],
  ['listOrders', 'status', 'sold', 'status must be one of pending, completed, cancelled, expired, returned.'],
  ['listOrders', 'petId', '1.0', `petId must be ${INT64}, in plain decimal digits.`],
  ['listEvents', 'wait', '31', 'wait must be an integer from 0 to 30.'],
])('%s, %s=%s: %s', (id, name, text, sentence) => {
  const parameter = operation(id)?.parameters.find((one) => one.name === name)
  expect(problemsOf((problems) => parameter?.validate(text, name, problems))).toBe(sentence)
})
