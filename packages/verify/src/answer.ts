// An answer, and what a check may expect of it. What is not as expected is thrown as Broken, with the one thing that differs.

import { int64FromJson } from '../../contract/src/int64.ts'
import { type Json, JsonError, JsonNumber, type JsonObject, parseJson, stringifyJson } from '../../contract/src/json.ts'
import type { Received } from './exchange.ts'
import { Broken, type CheckRequest } from './request.ts'

export class Answer {
  readonly status: number
  /** Some check has found it wrong. */
  faulted = false
  private parsed: Json | undefined

  constructor(
    readonly request: CheckRequest,
    private readonly received: Received,
  ) {
    this.status = received.status
  }

  /** In the order of their arrival; names in small letters. */
  get headers(): Received['headers'] {
    return this.received.headers
  }

  /** The values of all headers of this name, joined (RFC 9110, 5.3). */
  header(name: string): string | undefined {
    const values = this.headers.filter(([one]) => one === name.toLowerCase()).map(([, value]) => value)
    return values.length > 0 ? values.join(', ') : undefined
  }

  get text(): string {
    return new TextDecoder().decode(this.received.body)
  }

  json(): Json {
    if (this.parsed !== undefined) return this.parsed
    try {
      this.parsed = parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.received.body))
      return this.parsed
    } catch (error) {
      const reason = error instanceof JsonError ? error.message : 'invalid UTF-8'
      throw this.broken('JSON', `${this.text === '' ? 'an empty body' : this.text} (${reason})`)
    }
  }

  array(): Json[] {
    const json = this.json()
    if (!Array.isArray(json)) throw this.broken('a JSON array', stringifyJson(json))
    return json
  }

  objects(): JsonObject[] {
    return this.array().map((item) => this.asObject(item))
  }

  object(): JsonObject {
    return this.asObject(this.json())
  }

  private asObject(json: Json): JsonObject {
    if (!(json instanceof Map)) throw this.broken('a JSON object', stringifyJson(json))
    return json
  }

  /** Of the one object. */
  get id(): string {
    return textOf(this.object().get('id'))
  }

  /** Of the listed objects. */
  get ids(): string[] {
    return this.objects().map((item) => textOf(item.get('id')))
  }

  broken(expected: string, actual: string): Broken {
    this.faulted = true
    return new Broken(expected, actual, this.request)
  }

  expectStatus(...expected: number[]): this {
    if (expected.includes(this.status)) return this
    throw this.broken(
      `status ${expected.join(' or ')}`,
      `status ${this.status}${this.text === '' ? '' : `: ${this.text}`}`,
    )
  }

  /** `expected`: the value, what it has to match, or undefined for no such header. */
  expectHeader(name: string, expected: string | RegExp | undefined): this {
    const actual = this.header(name)
    const same = expected instanceof RegExp ? expected.test(actual ?? '') && actual !== undefined : actual === expected
    if (same) return this
    const wanted = expected instanceof RegExp ? `that matches ${expected.source}` : expected
    throw this.broken(
      expected === undefined ? `no ${name}` : `${name}: ${wanted}`,
      actual === undefined ? `no ${name}` : `${name}: ${actual}`,
    )
  }

  expectText(expected: string): this {
    if (this.text === expected) return this
    throw this.broken(expected === '' ? 'no body' : expected, this.text)
  }

  expectIds(expected: readonly string[], actual: readonly string[] = this.ids): this {
    if (actual.join() === expected.join()) return this
    throw this.broken(`ids ${expected}`, `ids ${actual}`)
  }

  expectAtMost(limit: number): this {
    const { length } = this.array()
    if (length <= limit) return this
    throw this.broken(`at most ${limit} item${limit === 1 ? '' : 's'}`, `${length} items`)
  }

  /** Compares members as JSON, and numbers by their value; undefined: there is none. */
  expectMember(name: string, expected: Json | undefined, object = this.object()): this {
    const actual = object.get(name)
    const isSame = actual === undefined || expected === undefined ? actual === expected : sameValue(actual, expected)
    if (isSame) return this
    throw this.broken(memberText(name, expected), memberText(name, actual))
  }

  expectMembers(expected: Iterable<readonly [string, Json | undefined]>, object = this.object()): this {
    for (const [name, value] of expected) this.expectMember(name, value, object)
    return this
  }

  /** `code`: undefined for any. */
  expectError(status: number, code: string | undefined): this {
    this.expectStatus(status)
    return code === undefined ? this : this.expectMember('code', code)
  }

  expectString(name: string, object = this.object()): this {
    if (typeof object.get(name) === 'string') return this
    throw this.broken(`${name}: a string`, memberText(name, object.get(name)))
  }

  expectInt64(name: string, object = this.object()): bigint {
    const value = object.get(name)
    const integer = value instanceof JsonNumber ? int64FromJson(value.text) : undefined
    if (typeof integer === 'bigint') return integer
    throw this.broken(`${name}: an int64`, memberText(name, value))
  }
}

/** The text of a member that should be a number or a string, whichever it is. */
export function textOf(value: Json | undefined): string {
  if (value instanceof JsonNumber) {
    const integer = int64FromJson(value.text)
    return typeof integer === 'bigint' ? String(integer) : value.text
  }
  return typeof value === 'string' ? value : stringifyJson(value ?? null)
}

export function number(value: bigint | number | string): JsonNumber {
  return new JsonNumber(String(value))
}

export function sameValue(one: Json, other: Json): boolean {
  if (one instanceof JsonNumber && other instanceof JsonNumber) return textOf(one) === textOf(other)
  return stringifyJson(one) === stringifyJson(other)
}

function memberText(name: string, value: Json | undefined): string {
  return value === undefined ? `no ${name}` : `${name}: ${stringifyJson(value)}`
}
