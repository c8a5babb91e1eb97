// A response, and the expectations that checks have of it. A failed expectation throws Broken with the difference.

import {
  int64FromJson,
  type Json,
  JsonError,
  JsonNumber,
  type JsonObject,
  parseJson,
  stringifyJson,
} from '../../contract/src/json.ts'
import type { Received } from './exchange.ts'
import { joinedHeader } from './headers.ts'
import { Broken, type CheckRequest } from './request.ts'

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export class Answer {
  readonly status: number
  /** A check has reported this response as broken. */
  faulted = false
  private parsed: Json | undefined

  constructor(
    readonly request: CheckRequest,
    private readonly received: Received,
  ) {
    this.status = received.status
  }

  /** In the order received, with lowercase names. */
  get headers(): Received['headers'] {
    return this.received.headers
  }

  header(name: string): string | undefined {
    return joinedHeader(this.headers, name)
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

  /** The id of the object in the body. */
  get id(): string {
    return textOf(this.object().get('id'))
  }

  /** The ids of the objects in the list. */
  get ids(): string[] {
    return this.objects().map((item) => textOf(item.get('id')))
  }

  broken(expected: string, actual: string): Broken {
    this.faulted = true
    return new Broken(expected, actual, this.request)
  }

  expect(isSo: boolean, expected: string, actual: string): this {
    if (isSo) return this
    throw this.broken(expected, actual)
  }

  expectStatus(...expected: number[]): this {
    const actual = `status ${this.status}${this.text === '' ? '' : `: ${this.text}`}`
    return this.expect(expected.includes(this.status), `status ${expected.join(' or ')}`, actual)
  }

  /** `expected` is the value or a pattern; `undefined` expects the header to be absent. */
  expectHeader(name: string, expected: string | RegExp | undefined): this {
    const actual = this.header(name)
    const same = expected instanceof RegExp ? expected.test(actual ?? '') && actual !== undefined : actual === expected
    const wanted = expected instanceof RegExp ? `matching ${expected.source}` : expected
    const shown = (value?: string) => (value === undefined ? `no ${name}` : `${name}: ${value}`)
    return this.expect(same, shown(wanted), shown(actual))
  }

  /** Expects the same Content-Length as the GET response, if both have one (RFC 9110, 8.6). */
  expectSameLength(plain: Answer): this {
    const length = plain.header('Content-Length')
    if (length === undefined || this.header('Content-Length') === undefined) return this
    return this.expectHeader('Content-Length', length)
  }

  expectText(expected: string): this {
    return this.expect(this.text === expected, expected === '' ? 'no body' : expected, this.text)
  }

  expectIds(expected: readonly string[], actual: readonly string[] = this.ids): this {
    return this.expect(actual.join() === expected.join(), `ids ${expected}`, `ids ${actual}`)
  }

  expectOrder(direction: 'rise' | 'fall' = 'rise'): this {
    const listed = this.objects().map((item) => this.expectInt64('id', item))
    const ids = direction === 'rise' ? listed : listed.reverse()
    const wrong = ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] as bigint))
    const [one, other] = direction === 'rise' ? [wrong, wrong - 1] : [wrong - 1, wrong]
    return this.expect(wrong < 0, `ids that ${direction}`, `id ${ids[one]} after ${ids[other]}`)
  }

  expectAtMost(limit: number): this {
    const { length } = this.array()
    return this.expect(length <= limit, `at most ${limit} item${limit === 1 ? '' : 's'}`, `${length} items`)
  }

  /** Compares as JSON, numbers by value. `undefined` expects the member to be absent. */
  expectMember(name: string, expected: Json | undefined, object = this.object()): this {
    const actual = object.get(name)
    const isSame = actual === undefined || expected === undefined ? actual === expected : sameValue(actual, expected)
    return this.expect(isSame, memberText(name, expected), memberText(name, actual))
  }

  expectOtherTag(tag: string | undefined): this {
    return this.expect(this.header('ETag') !== tag, 'a different ETag', `ETag: ${tag} again`)
  }

  /** Expects the error message to contain each name. */
  expectNamed(...names: string[]): this {
    const message = String(this.object().get('message'))
    const lost = names.find((name) => !message.includes(name))
    return this.expect(lost === undefined, `a message that mentions ${lost}`, message)
  }

  expectMembers(expected: Iterable<readonly [string, Json | undefined]>, object = this.object()): this {
    for (const [name, value] of expected) this.expectMember(name, value, object)
    return this
  }

  /** Without `code`, any code is accepted. */
  expectError(status: number, code: string | undefined): this {
    this.expectStatus(status)
    return code === undefined ? this : this.expectMember('code', code)
  }

  expectString(name: string, object = this.object()): this {
    const value = object.get(name)
    return this.expect(typeof value === 'string', `${name}: a string`, memberText(name, value))
  }

  /** Expects a time in the contract's format, and returns it as milliseconds since 1970. */
  expectInstant(name: string, object = this.object()): number {
    const value = object.get(name)
    if (typeof value === 'string' && INSTANT.test(value)) return Date.parse(value)
    throw this.broken(`${name}: a time in UTC with milliseconds`, memberText(name, value))
  }

  expectInt64(name: string, object = this.object()): bigint {
    const value = object.get(name)
    const integer = value instanceof JsonNumber ? int64FromJson(value.text) : undefined
    if (typeof integer === 'bigint') return integer
    throw this.broken(`${name}: an int64`, memberText(name, value))
  }
}

/** Returns a number's digits, or a string as it is. */
export function textOf(value: Json | undefined): string {
  if (value instanceof JsonNumber) {
    const integer = int64FromJson(value.text)
    return typeof integer === 'bigint' ? String(integer) : value.text
  }
  return typeof value === 'string' ? value : stringifyJson(value ?? null)
}

/** Returns a member of a JSON object as text. Returns `undefined` without the member, and for other texts. */
export function memberOf(text: string, name: string): string | undefined {
  try {
    const value = parseJson(text)
    return value instanceof Map && value.has(name) ? textOf(value.get(name)) : undefined
  } catch {
    return undefined
  }
}

export const number = (value: bigint | number | string): JsonNumber => new JsonNumber(String(value))

export function sameValue(one: Json, other: Json): boolean {
  if (one instanceof JsonNumber && other instanceof JsonNumber) return textOf(one) === textOf(other)
  return stringifyJson(one) === stringifyJson(other)
}

function memberText(name: string, value: Json | undefined): string {
  return value === undefined ? `no ${name}` : `${name}: ${stringifyJson(value)}`
}
