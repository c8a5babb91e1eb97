// The messages of errors in the HTTP layer. The promises test codes; packages/contract/test/messages.test.ts tests the
// messages about values, and packages/service/test/domain/ those about pets, orders and searches.

import { petBody } from '../../../../../test/support/pets.ts'
import { SEARCH_WORDS_MAX } from '../../../../contract/src/limits.ts'
import { noSuchPet, petNotFound } from '../../../src/domain/decisions/refusal-messages.ts'
import { describeApi, JSON_TYPE, type OnStore, type Row } from './api.ts'

const CURSOR = "cursor must be copied unchanged from the previous page's Link header"

/** A target, and parts of the message. */
const QUERIES: readonly (readonly [string, ...string[]])[] = [
  ['/pets?limit=5&limit=5', 'limit must be given once.'],
  ['/pets?sort=newest&sort=newest', 'sort must be given once.'],
  ['/store/events?type[]=order.placed&type[]=order.changed', 'Repeat `type` instead of `type[]`.'],
  ['/store/events?petId[]=7', 'Write `petId` instead of `petId[]`.'],
  ['/store/orders?status[]=pending&limit=x', 'limit must', 'Write `status` instead of `status[]`.'],
  ['/store/orders?limit=x&status=x&petId=x', 'limit must', 'status must', 'petId must'],
  ...['', 'AAAAAAAAAAEl7_8=', 'AAAAAAAAAAEl7_8A', '%00', 'AAAAAAAAABTWRkY'].map(
    (cursor) => [`/pets?cursor=${cursor}`, CURSOR] as const,
  ),
  ['/store/orders?petId=1&petIds=2', 'petId and petIds cannot be used together.'],
  ['/store/orders?petIds=1&petIds=2&petIds=1', 'petIds must not have the same value twice.'],
  [`/store/orders?${'petIds=1&'.repeat(101)}`, 'petIds must be given at most 100 times.'],
  ['/pets?categoryId=1&count=false', 'count must be one of true, not "false".'],
  ...['count=true', 'count=true&categoryId=1&search=rex'].map(
    (query) => [`/pets?${query}`, 'count needs categoryId, and cannot be used together with search.'] as const,
  ),
  [`/pets?search=${'a+'.repeat(SEARCH_WORDS_MAX + 1)}`, 'search must'],
  [
    '/store/events?from=then',
    `from must be beginning, now, or a date and time with an offset, such as 2026-11-21T18:00:00Z, unlike "then".`,
  ],
  ['/store/events?from=2026-11-21T18:00Z', 'not "2026-11-21T18:00Z". It has no seconds.'],
  ['/store/events?from=now&cursor=cEiGDd95AAAAAAAAADZE-v89', 'from and cursor cannot be used together'],
]

export function messages(on: OnStore): void {
  describeApi('messages', on, (api) => {
    const sent = (ask: string, status: number, code: string, body: string, ...message: string[]): Row => ({
      description: `${ask} ${body.slice(0, 80)}`,
      ask,
      headers: JSON_TYPE,
      body,
      status,
      code,
      message,
    })
    const got = (path: string, status: number, code: string, ...message: string[]): Row => ({
      description: path,
      ask: `GET ${path}`,
      status,
      code,
      message,
    })
    api.rows([
      // All problems together, as in the contract's examples.
      sent('POST /pets', 400, 'invalid_pet', '{"categoryId":"1"}', 'name is', 'categoryId must'),
      sent('POST /store/orders', 400, 'invalid_order', '{"expiresAt":"today"}', 'petId is', 'expiresAt'),
      sent('POST /store/orders', 404, 'pet_not_found', '{"petId":0}', petNotFound(0n).message),
      sent('POST /pets', 400, 'malformed_json', `\uFEFF${petBody()}`, 'begins with a byte order mark'),
      sent('PATCH /pets/1', 400, 'invalid_pet', '{"weight":1}', 'Nothing to change: give name, categoryId or status.'),
      {
        ...sent('POST /pets', 400, 'invalid_parameter', petBody(), 'Idempotency-Key must'),
        headers: { ...JSON_TYPE, 'Idempotency-Key': '"ä"' },
      },
      ...QUERIES.map(([path, ...message]) => got(path, 400, 'invalid_parameter', ...message)),
      got('/pets/999999999', 404, 'not_found', noSuchPet(999_999_999n).message),
      got('/pets/-9223372036854775808', 404, 'not_found', noSuchPet(-(2n ** 63n)).message),
      got('/pets/01', 404, 'not_found', 'Nothing has this id. petId must'),
    ])
  })
}
