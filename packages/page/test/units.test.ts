// Functions of the pages that need no browser types: problems of fields, failures, exact numbers, and addresses of
// lists.

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import contract from '../../../openapi.yaml'
import { PetstoreApiError, PetstoreNetworkError, PetstoreUncertainError } from '../../client/src/petstore.ts'
import { ORDER_STATUSES, PET_STATUSES } from '../../contract/src/generated.ts'
import type { OpenApi } from '../../contract/src/openapi.ts'
import { forReaders } from '../reference/document.ts'
import { makeJsonExact } from '../reference/exact-json.ts'
import { toNewPet, withAttempt } from '../src/animal/draft.ts'
import { toProblems } from '../src/animal/field-problems.ts'
import { toFailure } from '../src/failures.ts'
import { fromIdRanges, toIdRanges } from '../src/list/id-ranges.ts'
import {
  firstPage,
  firstPageOf,
  fromAddress,
  type ListPosition,
  nextPage,
  PAGE_SIZE,
  previousPage,
  toAddress,
} from '../src/list/list-position.ts'

test('each status of the contract has a style', () => {
  const css = readFileSync(join(import.meta.dir, '../src/parts/parts.css'), 'utf8')
  for (const status of [...PET_STATUSES, ...ORDER_STATUSES]) expect(css).toMatch(new RegExp(`\\.status-${status}\\b`))
})

test('the service’s message about an animal is split into the problems of each field', () => {
  expect(toProblems('name is required. categoryId must be an integer.')).toEqual({
    fields: { name: 'Name is required.', categoryId: 'Category must be an integer.' },
    other: '',
  })
})

test('the service’s message about an animal keeps sentences of no field, and of the previous field', () => {
  expect(toProblems('The body is too large.').other).toBe('The body is too large.')
  expect(toProblems('name is bad. Choose another.').fields.name).toBe('Name is bad. Choose another.')
  expect(toProblems('names are fine.')).toEqual({ fields: {}, other: 'names are fine.' })
})

test('the service’s message about an animal is split only before the name of a field', () => {
  const message = 'status must be one of available, pending, sold. name must be 1 to 255 characters long.'
  expect(Object.keys(toProblems(message).fields)).toEqual(['status', 'name'])
})

test('an animal needs a name, and a whole number as its category', () => {
  expect(toNewPet({ name: '', categoryId: 'seven', status: 'sold' })).toEqual({
    problem: 'name is required. categoryId must be a whole number.',
  })
  expect(toNewPet({ name: ' Rex ', categoryId: '9223372036854775807', status: 'sold' })).toEqual({
    name: ' Rex ',
    categoryId: 9223372036854775807n,
    status: 'sold',
  })
})

test('the same draft is sent with the same key, and a changed one with a new key', () => {
  const first = withAttempt({ name: 'Rex', categoryId: '7', status: 'available' })
  expect(withAttempt({ ...first }).attempt).toEqual(first.attempt)
  expect(withAttempt({ ...first, name: 'Max' }).attempt.key).not.toBe(first.attempt.key)
})

const kindOf = (code: string, status: number) => {
  const { kind } = toFailure(new PetstoreApiError('No.', code, status, undefined, undefined))
  return kind
}

test('a failure with an unknown code is classified by its status', () => {
  for (const status of [408, 429, 502, 503, 504]) expect(kindOf('code_of_tomorrow', status)).toBe('unavailable')
  expect(kindOf('code_of_tomorrow', 401)).toBe('unauthorized')
  for (const status of [400, 403, 409, 500]) expect(kindOf('code_of_tomorrow', status)).toBe('other')
})

test('a failure with an unknown outcome is marked, and has the message of its cause', () => {
  const refused = new PetstoreApiError('No.', 'order_not_pending', 409, undefined, undefined)
  expect(toFailure(refused).mayBeDone).toBeUndefined()
  const uncertain = toFailure(new PetstoreUncertainError(refused))
  expect(uncertain).toEqual({ ...toFailure(refused), mayBeDone: true })
  expect(toFailure(new PetstoreNetworkError('x'))).toMatchObject({ kind: 'unavailable', mayBeDone: true })
})

test('a failure of a full store is not retried', () => {
  expect(kindOf('storage_full', 503)).toBe('other')
  expect(kindOf('unavailable', 503)).toBe('unavailable')
})

const shown = forReaders(contract as unknown as OpenApi, 'https://pets.example/shop/') as OpenApi

test('the contract in the reference mentions the file of this release’s client', () => {
  const { info } = forReaders(
    { ...contract, info: { ...contract.info, 'x-release': '9.8.7' } } as never,
    '/',
  ) as OpenApi
  expect(JSON.stringify(info)).toContain('petstore-client-9.8.7.tgz')
})

test('the contract in the reference has the address of the page, and no regular expressions or rounded bounds', () => {
  expect(shown.servers).toEqual([{ url: 'https://pets.example/shop/v1', description: 'This service' }])
  expect(JSON.stringify(shown)).not.toMatch(/"pattern"|9223372036854775/)
})

test('the contract in the reference has for each operation its errors and two samples, curl first', () => {
  for (const operations of Object.values(shown.paths)) {
    for (const operation of Object.values(operations)) {
      expect(operation.description).toMatch(/Errors: .*401 `missing_api_key`.*429 `rate_limited`/)
      const samples = (operation as unknown as Record<string, object[]>)['x-codeSamples']
      expect(samples).toMatchObject([{ label: 'curl' }, { label: 'petstore-client' }])
    }
  }
})

describe('exact JSON', () => {
  const json = { parse: JSON.parse, rawJSON: (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON }
  makeJsonExact(json as Parameters<typeof makeJsonExact>[0])
  const again = (text: string) => JSON.stringify(json.parse(text))

  test('exact JSON keeps the digits of every integer', () => {
    const text = '[9223372036854775807,-9223372036854775808,9007199254740993,1,-0.5,{"id":9007199254740992}]'
    expect(again(text)).toBe(text)
  })

  test('exact JSON leaves other values unchanged', () => {
    expect(json.parse('{"a":[1,"2",null,true,1.5,1e3]}')).toEqual({ a: [1, '2', null, true, 1.5, 1000] })
    expect(json.parse('[1,2]', (_key: string, value: unknown) => (value === 1 ? 'one' : value))).toEqual(['one', 2])
  })
})

const start = firstPage({
  view: 'animals',
  status: 'sold',
  categoryId: 2n ** 63n - 1n,
  ids: '',
  search: 'old bis',
  sort: 'oldest',
  limit: 50,
})
const second = nextPage(start, 'A') as ListPosition
const third = nextPage(second, 'B') as ListPosition

test('a position in the list is read back from its address', () => {
  const orders = nextPage(firstPageOf('orders'), 'C') as ListPosition
  const newest = { ...third, sort: 'newest' } as const
  for (const position of [start, second, third, newest, orders]) {
    expect(fromAddress(toAddress(position).slice(2))).toEqual(position)
  }
  expect(toAddress(firstPageOf('animals'))).toBe('./')
  expect(toAddress(firstPageOf('orders'))).toBe('./?view=orders&status=pending')
  // Another screen can have another number of rows.
  expect(toAddress(nextPage(firstPageOf('animals'), 'A') as ListPosition)).toBe(`./?limit=${PAGE_SIZE}&cursor=A&page=2`)
})

test('leads to the next and previous page', () => {
  expect(previousPage(third, 'X')).toEqual({ ...second, cursor: 'X' })
  expect(previousPage(second, 'X')).toEqual(start)
  expect(previousPage(start, undefined)).toBeUndefined()
  expect(nextPage(start, undefined)).toBeUndefined()
})

test('a position in the list of ids has ranges', () => {
  const ids = toIdRanges([7n, 3n, 2n ** 63n - 1n, 4n, 5n, 3n])
  expect(ids).toBe('3-5,7,9223372036854775807')
  const some = { ...firstPageOf('animals'), limit: 100, ids }
  expect(fromAddress(toAddress(some).slice(2))).toEqual(some)
  const idsOf = fromIdRanges(ids)
  expect(idsOf?.(0, 3)).toEqual([2n ** 63n - 1n, 7n, 5n])
  expect(idsOf?.(2, 9)).toEqual([5n, 4n, 3n])
  expect(idsOf?.(5, 9)).toEqual([])
  expect(fromIdRanges('1-9223372036854775807')?.(1, 2)).toEqual([2n ** 63n - 2n, 2n ** 63n - 3n])
})

test.each([
  '?ids=all',
  '?ids=1-2-x',
  '?ids=9223372036854775808',
  '?page=3',
  '?page=-1',
  '?cursor=A&page=-2',
  '?cursor=A',
  '?cursor=A&page=1',
  '?cursor=A&page=x',
  '?status=gone&limit=0&sort=best',
  '?cursor=&page=2',
])('a position in the list that is invalid is the first page: %s', (search) =>
  expect(fromAddress(search)).toEqual(firstPageOf('animals')),
)
