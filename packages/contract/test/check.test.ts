// The check of responses that other tests use rejects responses that do not follow the contract.

import { expect, test } from 'bun:test'
import { checkAgainstContract, isInstant } from '../../../test/support/contract-check.ts'

const TYPE = { 'Content-Type': 'application/json' }
const CREATED = { ...TYPE, 'X-Request-Id': 'r', ETag: '"x"' }
const NOT_MODIFIED = { ETag: '"x"', 'Cache-Control': 'no-cache' }
const PET = { id: 1, name: 'Rex', categoryId: 7, status: 'available' }

const check = (method: string, path: string, status: number, body: unknown, headers: Record<string, string>) => () =>
  checkAgainstContract(method, path, { status, headers: new Headers(headers), text: JSON.stringify(body) ?? '' })
const refused = (code: string) =>
  check('POST', '/pets', 400, { code, message: 'No.', status: 400 }, { ...TYPE, 'X-Request-Id': 'r' })
const created = (body: unknown, headers: Record<string, string> = CREATED) => check('POST', '/pets', 201, body, headers)

test.each([
  ['with a pet', created(PET)],
  ['with the largest ids', created({ ...PET, id: 2 ** 63, categoryId: -(2 ** 63) })],
  ['of an unknown path', check('GET', '/nothing', 404, undefined, {})],
])('accepts a response %s', (_, checking) => {
  expect(checking).not.toThrow()
})

for (const [description, checking, message] of [
  ['with an undeclared status', check('POST', '/pets', 200, PET, CREATED), 'createPet does not declare 200'],
  ['without a required header', created(PET, { ...TYPE, ETag: '"x"' }), 'lacks the header X-Request-Id'],
  ['with a wrong header', created(PET, { ...CREATED, 'Idempotency-Replayed': 'yes' }), 'Idempotency-Replayed'],
  ['of another media type', created(PET, { ...CREATED, 'Content-Type': 'text/plain' }), 'application/json'],
  ['without a required field', created({ ...PET, id: undefined }), "required property 'id'"],
  ['with a fraction as id', created({ ...PET, id: 1.5 }), 'it/id must be integer'],
  ['with an id beyond int64', created({ ...PET, id: 2 ** 64 }), 'it/id must be <= 9223372036854776000'],
  ['with an invalid name', created({ ...PET, name: ' ' }), 'it/name must match pattern'],
  ['with an undeclared code', refused('not_found'), 'createPet 400 does not state the code not_found'],
  ['with an unknown status of the pet', created({ ...PET, status: 'gone' }), 'it/status'],
  ['with an undeclared body', check('GET', '/pets', 304, PET, NOT_MODIFIED), 'must have no body'],
] as const) {
  test(`rejects a response ${description}`, () => {
    expect(checking).toThrow(message)
  })
}

test('an instant is in UTC with milliseconds', () => {
  const others =
    '2026-11-21|2026-11-21T09:30:00Z|2026-11-21T09:30:00.000+01:00|2026-02-30T09:30:00.000Z|2026-11-21t09:30:00.000z'
  const [good = '', ...all] = ['2026-11-21T09:30:00.000Z', ...others.split('|'), 'soon']
  expect([good, ...all].filter(isInstant)).toEqual([good])
})
