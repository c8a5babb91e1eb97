// Reads and writes JSON exactly. JSON.parse rounds int64 and accepts duplicate names. This reader follows RFC 8259,
// keeps numbers as text, rejects duplicate names and limits the nesting. The writer is like JSON.stringify, but writes
// a bigint as a number. Reading the body of a create takes 0.5 µs instead of 0.1 µs.
//
// Also reads 64-bit integers exactly: from JSON numbers (1.0 and 1e3 are integers, as in JSON Schema), and from decimal
// digits in paths and queries.

import { NESTING_MAX } from './limits.ts'

export type Json = null | boolean | string | JsonNumber | Json[] | JsonObject
export type JsonObject = Map<string, Json>

/** A number as it was written. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/** The text is not JSON. The message has the reason and the position, counted from 0. */
export class JsonError extends SyntaxError {
  override readonly name = 'JsonError'
}

/** Reads one JSON text. Throws JsonError. */
export function parseJson(text: string): Json {
  return new Reader(text).document()
}

class Reader {
  private at = 0
  constructor(private readonly text: string) {}

  document(): Json {
    const value = this.value(0)
    this.skipSpace()
    if (this.at < this.text.length) this.fail('unexpected text after the value')
    return value
  }

  /** `depth` counts the enclosing objects and arrays. */
  private value(depth: number): Json {
    this.skipSpace()
    switch (this.text.charCodeAt(this.at)) {
      case 0x7b:
        return this.object(depth + 1)
      case 0x5b:
        return this.array(depth + 1)
      case 0x22:
        return this.string()
      case 0x74:
        return this.literal('true', true)
      case 0x66:
        return this.literal('false', false)
      case 0x6e:
        return this.literal('null', null)
      default:
        return this.number()
    }
  }

  private object(depth: number): JsonObject {
    const object: JsonObject = new Map()
    this.open(depth)
    if (this.skip(0x7d)) return object
    do {
      this.skipSpace()
      if (this.text.charCodeAt(this.at) !== 0x22) this.fail('expected a name in double quotes')
      const name = this.string()
      if (object.has(name)) this.fail('an object has two members with the same name')
      if (!this.skip(0x3a)) this.fail('expected ":"')
      object.set(name, this.value(depth))
    } while (this.skip(0x2c))
    if (!this.skip(0x7d)) this.fail('expected "," or "}"')
    return object
  }

  private array(depth: number): Json[] {
    const array: Json[] = []
    this.open(depth)
    if (this.skip(0x5d)) return array
    do array.push(this.value(depth))
    while (this.skip(0x2c))
    if (!this.skip(0x5d)) this.fail('expected "," or "]"')
    return array
  }

  private open(depth: number): void {
    if (depth > NESTING_MAX) this.fail(`nested more than ${NESTING_MAX} levels deep`)
    this.at++
  }

  /** Finds the closing quote. JSON.parse then checks and decodes escapes and control characters. */
  private string(): string {
    const start = this.at
    let plain = true
    for (let at = start + 1; at < this.text.length; at++) {
      const code = this.text.charCodeAt(at)
      if (code === 0x22) {
        this.at = at + 1
        return plain ? this.text.slice(start + 1, at) : this.unescape(start, at + 1)
      }
      if (code === 0x5c) at++
      if (code === 0x5c || code < 0x20) plain = false
    }
    return this.fail('a string has no closing quote')
  }

  private unescape(start: number, end: number): string {
    try {
      return JSON.parse(this.text.slice(start, end))
    } catch {
      this.at = start
      return this.fail('a string contains an unescaped control character or an invalid escape')
    }
  }

  private number(): JsonNumber {
    NUMBER.lastIndex = this.at
    const match = NUMBER.exec(this.text)
    if (!match) return this.fail(this.at < this.text.length ? 'expected a value' : 'unexpected end of the text')
    this.at = NUMBER.lastIndex
    return new JsonNumber(match[0])
  }

  private literal<T>(text: string, value: T): T {
    if (!this.text.startsWith(text, this.at)) this.fail('expected a value')
    this.at += text.length
    return value
  }

  private skip(code: number): boolean {
    this.skipSpace()
    if (this.text.charCodeAt(this.at) !== code) return false
    this.at++
    return true
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at++
    }
  }

  private fail(reason: string): never {
    throw new JsonError(`${reason} (at character ${this.at})`)
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y

/**
 * Like JSON.stringify, but writes a bigint as a number, and the values of parseJson as they were read. Much faster
 * than JSON.stringify with a replacer function, which is called for every member.
 */
export function stringifyJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string') return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += (text === '' ? '' : ',') + stringifyJson(item ?? null)
    return `[${text}]`
  }
  if (value instanceof JsonNumber) return value.text
  if (value instanceof Map) return stringifyJson(Object.fromEntries(value))
  if ('toJSON' in value) return JSON.stringify(value)
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name]
    if (member !== undefined) text += `${text === '' ? '' : ','}${stringifyJson(name)}:${stringifyJson(member)}`
  }
  return `{${text}}`
}

/** Text without characters to escape, and without surrogates, which can be lone. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n
const INT64_DIGITS_MAX = 19
/** What `int64FromDecimal` accepts, for messages. */
export const INT64_EXPECTED = 'a 64-bit integer in decimal digits'

/** Returns the value of a JSON number's text, or `fraction` or `range` if it is not an int64. */
export function int64FromJson(text: string): bigint | 'fraction' | 'range' {
  if (text.length < INT64_DIGITS_MAX && DIGITS.test(text)) return BigInt(text)
  const [, sign, whole = '', decimals = '', exponent = '0'] = PARTS.exec(text) ?? []
  if (whole === '') throw new RangeError(`not a JSON number: ${text}`)
  const digits = (whole + decimals).replace(/^0+/, '')
  const significant = trimEndZeros(digits)
  if (significant === '') return 0n
  // An exponent above 2^53 is rounded here, but is out of range anyway.
  const zeros = Number(exponent) - decimals.length + (digits.length - significant.length)
  if (zeros < 0) return 'fraction'
  if (significant.length + zeros > INT64_DIGITS_MAX) return 'range'
  const value = BigInt(significant + '0'.repeat(zeros)) * (sign === '-' ? -1n : 1n)
  return inRange(value) ? value : 'range'
}

/** Matches nearly all numbers. */
const DIGITS = /^[0-9]+$/
const PARTS = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/

/** Not a regular expression, because `0+$` takes quadratic time. */
function trimEndZeros(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--
  return digits.slice(0, end)
}

/** Reads decimal digits without leading zeros, with an optional minus sign. Returns `undefined` for any other text. */
export function int64FromDecimal(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(text)) return undefined
  const value = BigInt(text)
  return inRange(value) ? value : undefined
}

function inRange(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX
}
