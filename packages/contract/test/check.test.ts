// That the tests' own check of answers refuses what the contract does not allow.

import { describe, expect, test } from 'bun:test'
import { checkAgainstContract, isInstant } from '../../../test/support/contract-check.ts'

const TYPE = { 'Content-Type': 'application/json' }
const CREATED = { ...TYPE, 'X-Request-Id': 'r', ETag: '"x"' }
const PET = { id: 1, name: 'Rex', categoryId: 7, status: 'available' }

const check = (method: string, path: string, status: number, body: unknown, headers: Record<string, string>) => () =>
  checkAgainstContract(method, path, {
    status,
    headers: new Headers(headers),
    text: body === undefined ? '' : JSON.stringify(body),
  })
const refused = (code: string) =>
  check('POST', '/pets', 400, { code, message: 'No.', status: 400 }, { ...TYPE, 'X-Request-Id': 'r' })
const created = (body: unknown, headers: Record<string, string> = CREATED) => check('POST', '/pets', 201, body, headers)

describe('an answer that the contract allows passes', () => {
  for (const pet of [PET, { ...PET, id: 2 ** 63, categoryId: -(2 ** 63) }]) {
    test(JSON.stringify(pet), () => {
      expect(created(pet)).not.toThrow()
    })
  }

  test('on a path that the contract does not have', () => {
    expect(check('GET', '/nothing', 404, undefined, {})).not.toThrow()
  })
})

describe('the check refuses an answer', () => {
  for (const [description, checking, message] of [
    ['with an undeclared status', check('POST', '/pets', 200, PET, CREATED), 'createPet does not declare 200'],
    [
      'without a required header',
      created(PET, { ...TYPE, ETag: '"x"' }),
      'createPet 201 lacks the header X-Request-Id',
    ],
    [
      'whose header does not match',
      created(PET, { ...CREATED, 'Idempotency-Replayed': 'yes' }),
      'Idempotency-Replayed',
    ],
    ['of another media type', created(PET, { ...CREATED, 'Content-Type': 'text/plain' }), 'application/json'],
    ['without a required field', created({ ...PET, id: undefined }), "required property 'id'"],
    ['with a fraction as id', created({ ...PET, id: 1.5 }), 'it/id must be integer'],
    ['with an id beyond int64', created({ ...PET, id: 2 ** 64 }), 'it/id must be <= 9223372036854776000'],
    ['with a name that the contract refuses', created({ ...PET, name: ' ' }), 'it/name must match pattern'],
    [
      'with a code that the response does not state',
      refused('not_found'),
      'createPet 400 does not state the code not_found',
    ],
    ['with an unknown status of the pet', created({ ...PET, status: 'gone' }), 'it/status'],
    [
      'with a body where none is declared',
      check('GET', '/pets', 304, PET, { ETag: '"x"', 'Cache-Control': 'no-cache' }),
      'must have no body',
    ],
  ] as const) {
    test(description, () => {
      expect(checking).toThrow(message)
    })
  }
})

describe('an instant is in UTC with milliseconds', () => {
  test('2026-11-21T09:30:00.000Z passes', () => {
    expect(isInstant('2026-11-21T09:30:00.000Z')).toBe(true)
  })

  for (const text of [
    '2026-11-21',
    '2026-11-21T09:30:00Z',
    '2026-11-21T09:30:00.000+01:00',
    '2026-02-30T09:30:00.000Z',
    '2026-11-21t09:30:00.000z',
    'soon',
  ]) {
    test(`${text} is refused`, () => {
      expect(isInstant(text)).toBe(false)
    })
  }
})
