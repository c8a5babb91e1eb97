// Functions of the pages that need no browser: problems of fields, exact numbers, and the list's address.

import { describe, expect, test } from 'bun:test'
import { PetstoreApiError } from '../src/client/petstore.ts'
import { toFailure } from '../src/console/failures.ts'
import { toProblems } from '../src/console/field-problems.ts'
import { firstPage, fromAddress, nextPage, previousPage, startOf, toAddress } from '../src/console/list-position.ts'
import { makeJsonExact } from '../src/reference/exact-json.ts'

describe('a message of the service', () => {
  test('is split into the problems of each field', () => {
    expect(toProblems('name is required. categoryId must be an integer.')).toEqual({
      fields: { name: 'Name is required.', categoryId: 'Category must be an integer.' },
      other: '',
    })
  })

  test('keeps sentences that belong to no field, or to the field before', () => {
    expect(toProblems('The body is larger than 65536 bytes.').other).toBe('The body is larger than 65536 bytes.')
    expect(toProblems('name is bad. Choose another.').fields.name).toBe('Name is bad. Choose another.')
    expect(toProblems('names are fine.')).toEqual({ fields: {}, other: 'names are fine.' })
  })

  test('loses no word', () => {
    const message = 'status must be one of available, pending, sold. name must be 1 to 255 characters long.'
    expect(Object.keys(toProblems(message).fields)).toEqual(['status', 'name'])
  })
})

describe('a failure', () => {
  const kindOf = (code: string, status: number) => {
    const { kind } = toFailure(new PetstoreApiError('No.', code, status, undefined, undefined))
    return kind
  }

  test('with a code that the page does not know is treated by its status', () => {
    for (const status of [408, 429, 502, 503, 504]) expect(kindOf('code_of_tomorrow', status)).toBe('unavailable')
    expect(kindOf('code_of_tomorrow', 401)).toBe('unauthorized')
    for (const status of [400, 403, 409, 500]) expect(kindOf('code_of_tomorrow', status)).toBe('other')
  })

  test('of a full store is not offered again', () => {
    expect(kindOf('storage_full', 503)).toBe('other')
    expect(kindOf('unavailable', 503)).toBe('unavailable')
  })
})

describe('JSON made exact', () => {
  const json = { parse: JSON.parse, rawJSON: (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON }
  makeJsonExact(json as Parameters<typeof makeJsonExact>[0])
  const again = (text: string) => JSON.stringify(json.parse(text))

  test('keeps the digits of every integer', () => {
    const text = '[9223372036854775807,-9223372036854775808,9007199254740993,1,-0.5,{"id":9007199254740992}]'
    expect(again(text)).toBe(text)
  })

  test('leaves everything else as it was', () => {
    expect(json.parse('{"a":[1,"2",null,true,1.5,1e3]}')).toEqual({ a: [1, '2', null, true, 1.5, 1000] })
    expect(json.parse('[1,2]', (_key: string, value: unknown) => (value === 1 ? 'one' : value))).toEqual(['one', 2])
  })
})

describe('a position in the list', () => {
  const start = firstPage({ view: 'animals', status: 'sold', limit: 50 })
  const third = nextPage(nextPage(start, 'A'), 'B')

  test('is read back from its address and history state', () => {
    const orders = nextPage(startOf('orders', start), 'C')
    for (const position of [start, nextPage(start, 'A'), third, orders]) {
      const address = toAddress(position)
      expect(fromAddress(address.slice(2), { earlier: position.earlier })).toEqual(position)
    }
    expect(toAddress(firstPage({ view: 'animals', status: undefined, limit: 20 }))).toBe('./')
  })

  test('leads back through the pages that the tab has seen, and from a link only from page 2', () => {
    expect(previousPage(third)).toEqual(nextPage(start, 'A'))
    expect(previousPage(nextPage(start, 'A'))).toEqual(start)
    expect(previousPage(start)).toBeUndefined()
    expect(previousPage(fromAddress('?cursor=B&page=3', null))).toBeUndefined()
    expect(previousPage(fromAddress('?cursor=A&page=2', null))).toMatchObject({ page: 1, cursor: undefined })
  })

  test.each([
    '?page=3',
    '?cursor=A',
    '?cursor=A&page=1',
    '?cursor=A&page=x',
    '?status=gone&limit=7',
    '?cursor=&page=2',
  ])('that makes no sense is the first page: %s', (search) =>
    expect(fromAddress(search, null)).toEqual(firstPage({ view: 'animals', status: undefined, limit: 20 })),
  )
})
