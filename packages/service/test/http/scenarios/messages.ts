// What errors say: each names what is wrong and what is allowed, in words that a person can act on. That they are refused, and with which
// code, are promises of the catalogue.

import { petBody, verbatim } from '../../../../../test/support/pets.ts'
import { describeApi, JSON_TYPE, type OnStore, type Row } from './api.ts'

const NO_OFFSET = 'expiresAt must be a date and time with an offset'
const CURSOR = "cursor must be copied unchanged from the previous page's Link header."

/** The body of a create, and what its refusal says. */
const PETS: readonly (readonly [string, ...string[]])[] = [
  [petBody({ name: 'a'.repeat(256) }), 'name must be 1 to 255 characters'],
  [petBody({ name: '' }), 'name must be 1 to 255 characters'],
  [petBody({ name: ' \t\u3000' }), 'name must contain a character that is not white'],
  [petBody({ name: ' '.repeat(60_000) }), 'name must be 1 to 255'],
  [petBody({ name: verbatim('"a\\u0000b"') }), 'no U+0000'],
  [petBody({ name: verbatim('"\\ud800"') }), 'well-formed'],
  [petBody({ name: 7 }), 'name must be a string.'],
  [petBody({ categoryId: verbatim('1.5') }), 'categoryId must be an integer, without a fraction.'],
  [petBody({ name: undefined, categoryId: '1' }), 'name is required. categoryId must be an integer.'],
  [petBody({ categoryId: 2n ** 63n }), 'to 9223372036854775807.'],
  [petBody({ status: 'Sold' }), 'status must be one of available, pending, sold.'],
  ['{"name":"Rex","category_id":7}', 'instead of category_id?'],
  ['{"status":1}', 'name is required.', 'categoryId is required.', 'status must'],
  ['[]', 'The body must be a JSON object.'],
]

const ORDERS: readonly (readonly [string, ...string[]])[] = [
  ['{}', 'petId is required.'],
  ['{"petId":1.5}', 'petId must be an integer, without a fraction.'],
  ['{"petId":9223372036854775808}', 'petId must be an integer from'],
  [JSON.stringify({ petId: 1, reference: 'x'.repeat(256) }), 'reference must be 1 to 255 characters'],
  [JSON.stringify({ petId: 1, reference: ' \t' }), 'reference must contain a character that'],
  [JSON.stringify({ petId: 1, reference: 'a\0' }), 'no U+0000'],
  ['{"petId":1,"reference":null}', 'reference must be a string.'],
  ['{"petId":1,"expiresAt":"2026-11-21T18:00:00"}', NO_OFFSET],
  ['{"petId":1,"expiresAt":"2027-02-30T18:00:00Z"}', NO_OFFSET],
  ['{"reference":1,"expiresAt":1}', 'petId is', 'reference must', NO_OFFSET],
  ['{"expiresAt":"today"}', 'petId is required.', NO_OFFSET],
  ['"petId"', 'The body must be a JSON object.'],
]

/** A target, and what its refusal says. */
const QUERIES: readonly (readonly [string, ...string[]])[] = [
  ['/pets?limit=0', 'limit must be an integer from 1 to 100'],
  ['/pets?limit=%EF%BC%95', 'limit must be'],
  ['/pets?limit=5&limit=5', 'limit must be given once.'],
  ['/pets?status=', 'status must be one of available, pending, sold.'],
  ['/pets?limit=0&status=gone', 'limit must be', 'status must be'],
  ...['', 'AAAAAAAAAAEl7_8=', 'AAAAAAAAAAEl7_8A', '%00', 'AAAAAAAAABTWRkY'].map(
    (cursor) => [`/pets?cursor=${cursor}`, CURSOR] as const,
  ),
  ['/store/orders?limit=101', 'limit must be an integer from 1 to 100'],
  ['/store/orders?status=sold', 'status must be one of pending, completed, cancelled, expired, returned.'],
  ['/store/orders?petId=1.0', 'petId must be an integer'],
  ['/store/orders?limit=x&status=x&petId=x', 'limit must', 'status must', 'petId must'],
  ['/store/orders?cursor=x', CURSOR],
  ['/pets?sort=Newest', 'sort must be one of oldest, newest.'],
  ['/pets?sort=newest&sort=newest', 'sort must be given once.'],
  ['/pets?categoryId=', 'categoryId must be an integer'],
  ['/pets?search=', 'search must be 1 to 255 characters long.'],
  ['/pets?search=-', 'search must have a letter or a digit in it.'],
  ['/pets?search=a+b+c+d+e+f+g+h+i', 'search must have at most 8 words.'],
  ['/store/events?wait=31', 'wait must be an integer from 0 to 30'],
  [
    '/store/events?from=then',
    'from must be beginning, now, or a date and time with an offset, such as 2026-11-21T18:00:00Z.',
  ],
  ['/store/events?cursor=x', 'cursor must be copied unchanged'],
  ['/store/events?from=now&cursor=cEiGDd95AAAAAAAAADZE-v89', 'from and cursor cannot be given together'],
]

const NO_PETS: readonly (readonly [string, string])[] = [
  ['999999999', 'No pet has id 999999999.'],
  ['-9223372036854775808', 'No pet has id -9223372036854775808.'],
  ['01', 'petId must be an integer from -9223372036854775808 to 9223372036854775807, in plain decimal digits.'],
]

export function messages(on: OnStore): void {
  describeApi('messages', on, (api) => {
    const posted = (path: string, code: string) => {
      return ([body, ...message]: readonly [string, ...string[]]): Row => ({
        description: body.slice(0, 80),
        ask: `POST ${path}`,
        headers: JSON_TYPE,
        body,
        status: 400,
        code,
        message,
      })
    }
    const got = (code: string, status: number) => {
      return ([path, ...message]: readonly [string, ...string[]]): Row => ({
        description: path,
        ask: `GET ${path}`,
        status,
        code,
        message,
      })
    }
    api.rows(PETS.map(posted('/pets', 'invalid_pet')))
    api.rows(ORDERS.map(posted('/store/orders', 'invalid_order')))
    api.rows(QUERIES.map(got('invalid_parameter', 400)))
    api.rows(NO_PETS.map(([id, message]) => got('not_found', 404)([`/pets/${id}`, message])))
    api.rows([
      {
        ...posted('/store/orders', 'pet_not_found')(['{"petId":0}', 'No pet has id 0.']),
        status: 404,
      },
      {
        ...posted('/pets/1', 'invalid_pet')(['{"weight":1}', 'Nothing to change: give name, categoryId or status.']),
        ask: 'PATCH /pets/1',
      },
      {
        ...posted('/pets', 'invalid_parameter')([petBody(), 'Idempotency-Key must be 1 to 255']),
        headers: { ...JSON_TYPE, 'Idempotency-Key': '"ä"' },
      },
    ])
  })
}
