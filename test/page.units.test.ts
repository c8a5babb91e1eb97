// The pages' own reasoning, where no browser is needed: whose problem a sentence is, and exact numbers.

import { describe, expect, test } from 'bun:test'
import { toProblems } from '../src/console/field-problems.ts'
import { makeJsonExact } from '../src/reference/exact-json.ts'

describe('a message of the service', () => {
  test('is taken apart into the problems of each field', () => {
    expect(toProblems('name is required. categoryId must be an integer.')).toEqual({
      fields: { name: 'Name is required.', categoryId: 'Category must be an integer.' },
      other: '',
    })
  })

  test('keeps what belongs to no field, and sentences that go on', () => {
    expect(toProblems('The body is larger than 65536 bytes.').other).toBe('The body is larger than 65536 bytes.')
    expect(toProblems('name is bad. Choose another.').fields.name).toBe('Name is bad. Choose another.')
    expect(toProblems('names are fine.')).toEqual({ fields: {}, other: 'names are fine.' })
  })

  test('loses no word', () => {
    const message = 'status must be one of available, pending, sold. name must be 1 to 255 characters long.'
    expect(Object.keys(toProblems(message).fields)).toEqual(['status', 'name'])
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
