// Reads and validates the body and the parameters of a request. The body is exact JSON: checks its media type, size,
// arrival time, encoding and schema, in this order, keeps at most `bytesMax` in memory and never decompresses.

import type { ContractBody, ContractOperation, ContractParameter } from '../../../../contract/src/contract.ts'
import { instantFromText } from '../../../../contract/src/date-time.ts'
import { type Json, JsonError, parseJson } from '../../../../contract/src/json.ts'
import { BODY_BYTES_MAX } from '../../../../contract/src/limits.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import { endOfTurn, startTimer, stopTimer } from '../../system/runtime.ts'
import type { RoutedRequest } from '../context.ts'

/**
 * Larger bodies up to this size are read and discarded. Closing the connection while the client or a proxy still
 * sends would reset it and lose the 413.
 */
const DISCARDED_BYTES_MAX = 1024 * 1024

/**
 * Returns the body without a promise if all of it has arrived. Otherwise calls `arrives` before and after the wait.
 * Throws or rejects with `unsupported_media_type`, `body_too_large`, `request_timeout` or `malformed_json`.
 */
export function readBody(
  request: Request,
  timeoutMs: number,
  arrives: (arriving: boolean) => void,
  bytesMax = BODY_BYTES_MAX,
) {
  checkMediaType(request.headers)
  const length = request.headers.get('Content-Length')
  if (length !== null && Number(length) > DISCARDED_BYTES_MAX) throw bodyTooLarge(bytesMax)
  // A body with a small Content-Length is read in one piece; others are counted as they arrive.
  const reading = length !== null && Number(length) <= bytesMax ? request.bytes() : readCounting(request, bytesMax)
  const arrived = Bun.peek(reading)
  if (arrived instanceof Uint8Array) return parse(decode(arrived))
  arrives(true)
  return arrivesWithin(reading, timeoutMs).then((bytes) => {
    arrives(false)
    return parse(decode(bytes))
  })
}

/**
 * RFC 9110, 8.3. A body without Content-Type is read as JSON, the only media type of this API. The package
 * content-type 3.1 is not used, because it accepts unclosed quotes and ignores a second charset.
 */
function checkMediaType(headers: Headers): void {
  if (headers.has('Content-Encoding')) {
    throw new PetstoreError('unsupported_media_type', 'Send the body without Content-Encoding.')
  }
  const type = headers.get('Content-Type')
  if (type === null || type === 'application/json') return
  const [essence = ''] = ESSENCE.exec(type) ?? []
  const parameters = mediaTypeParameters(type.slice(essence.length))
  if (essence.toLowerCase() !== 'application/json' || !parameters) {
    throw new PetstoreError('unsupported_media_type', `Send the body as application/json${insteadOf(essence)}.`)
  }
  const [, charset] = parameters.find(([name, value]) => name === 'charset' && value !== 'utf-8') ?? []
  if (charset !== undefined) {
    throw new PetstoreError('unsupported_media_type', `Send the body in UTF-8${insteadOf(charset)}.`)
  }
}

/** Repeats the sent text only if it looks like a media type or a charset. An API key contains an underscore. */
function insteadOf(sent: string): string {
  return /^(?!application\/json$)[a-z0-9.+-]{1,50}(?:\/[a-z0-9.+-]{1,50})?$/i.test(sent) ? `, not ${sent}` : ''
}

const ESSENCE = /^[\w!#$%&'*+.^`|~/-]+/
const PARAMETER = /[ \t]*;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([\w!#$%&'*+.^`|~-]+)))?/y

/**
 * Returns names and values in lower case, or `undefined` if the text is not a list of parameters. Matches one
 * parameter at a time, because a regular expression for the whole list would try every way to divide the spaces
 * between two semicolons.
 */
function mediaTypeParameters(text: string): [name: string, value: string][] | undefined {
  const parameters: [string, string][] = []
  for (let at = 0; at < text.length; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at
    const match = PARAMETER.exec(text)
    if (!match) return text.slice(at).trim() === '' ? parameters : undefined
    const [, name, quoted, plain] = match
    if (name !== undefined) parameters.push([name.toLowerCase(), (quoted ?? plain ?? '').toLowerCase()])
  }
  return parameters
}

/** Resolves with the body. Rejects with `request_timeout` after `timeoutMs`, or if the connection closes first. */
async function arrivesWithin(reading: Promise<Uint8Array>, timeoutMs: number): Promise<Uint8Array> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const message = `The body did not arrive within ${timeoutMs / 1000} seconds.`
  const timer = startTimer(() => reject(new PetstoreError('request_timeout', message)), timeoutMs)
  try {
    return await Promise.race([reading, late])
  } catch (cause) {
    if (cause instanceof PetstoreError) throw cause
    throw new PetstoreError('request_timeout', 'The connection closed before the whole body arrived.', { cause })
  } finally {
    stopTimer(timer)
  }
}

async function readCounting({ body, signal }: Request, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > DISCARDED_BYTES_MAX) throw bodyTooLarge(bytesMax)
    if (bytes <= bytesMax) chunks.push(chunk)
  }
  if (bytes > bytesMax) throw bodyTooLarge(bytesMax)
  // Bun delivers the last chunk before it parses the trailers. If the trailers are malformed, Bun responds with 400 itself, and
  // the request must change nothing. Bun has parsed them at the end of this turn.
  await endOfTurn()
  signal.throwIfAborted()
  return Buffer.concat(chunks)
}

const OR = new Intl.ListFormat('en-GB', { type: 'disjunction', style: 'short' })

/** JSON has no byte order mark (RFC 8259, 8.1). The decoder keeps it, so that `parse` can reject it. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch (cause) {
    throw new PetstoreError('malformed_json', 'The body is not UTF-8.', { cause })
  }
}

function parse(text: string): Json {
  if (text.startsWith('\uFEFF')) {
    throw new PetstoreError(
      'malformed_json',
      'The body begins with a byte order mark. Send JSON without it (RFC 8259, 8.1).',
    )
  }
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new PetstoreError('malformed_json', `The body is not valid JSON (RFC 8259): ${error.message}.`)
  }
}

function bodyTooLarge(bytesMax: number): PetstoreError {
  return new PetstoreError('body_too_large', `The body is larger than ${bytesMax} bytes.`)
}

/** Validates the body. Throws the contract's error for this body, with all problems in one message. */
export function validateBody({ validate, invalid, changes }: ContractBody, json: Json): unknown {
  const problems: string[] = []
  const value = validate(json, 'The body', problems)
  if (problems.length > 0) throw new PetstoreError(invalid, problems.join(' '))
  // All given fields are unknown, and so ignored.
  if (changes.length > 0 && Object.keys(value as object).length === 0) {
    throw new PetstoreError(invalid, `Nothing to change: give ${OR.format(changes)}.`)
  }
  return value
}

// Parameters are in the path, the query and headers. Ignores unknown ones. Rejects known ones that are given
// twice (except lists), or whose names have brackets.

/**
 * Returns all parameters of the operation, with defaults. Throws `invalid_parameter` with all problems in one
 * message, or `not_found` for an invalid path parameter, because no resource can have that path.
 */
export function readParameters({ parameters }: ContractOperation, request: RoutedRequest): Record<string, unknown> {
  const { params, headers } = request
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  // Reading the URL makes the runtime build it.
  const url = parameters.some((parameter) => parameter.in === 'query') ? request.url : ''
  // Not `new URL`: if the Host is invalid, Bun gives only the target. In both cases the first `?` starts the query.
  const start = url.indexOf('?')
  const query = start < 0 ? '' : url.slice(start + 1)
  for (const parameter of parameters) {
    const { name } = parameter
    const value =
      parameter.in === 'path'
        ? readPath(parameter, params[name])
        : readOne(parameter, textsOf(parameter, query, headers), problems)
    if (value !== undefined) values[name] = value
  }
  if (BRACKET.test(query)) refuseBrackets(parameters, query, problems)
  if (problems.length > 0) throw new PetstoreError('invalid_parameter', problems.join(' '))
  return values
}

const BRACKET = /\[|%5b/i

/** Some clients send lists as `type[]` or `type[0]`. Ignoring that filter would list the wrong items. */
function refuseBrackets(parameters: readonly ContractParameter[], query: string, problems: string[]): void {
  for (const given of new Set(new URLSearchParams(`?${query}`).keys())) {
    const [, name] = /^(\w+)\[\d{0,9}\]$/.exec(given) ?? []
    const known = parameters.find((parameter) => parameter.in === 'query' && parameter.name === name)
    if (known) problems.push(`${known.many ? 'Repeat' : 'Write'} \`${name}\` instead of \`${given}\`.`)
  }
}

function readPath({ name, validate }: ContractParameter, text = ''): unknown {
  const problems: string[] = []
  const value = validate(text, name, problems)
  if (problems.length > 0) throw new PetstoreError('not_found', `Nothing has this id. ${problems.join(' ')}`)
  return value
}

function readOne(parameter: ContractParameter, texts: readonly string[], problems: string[]): unknown {
  const { name, many } = parameter
  const [text] = texts
  if (text === undefined) return parameter.default
  const { maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = many ?? { maxItems: 1 }
  if (texts.length > maxItems) {
    problems.push(`${name} must be given ${many ? `at most ${maxItems} times` : 'once'}.`)
    return undefined
  }
  const own: string[] = []
  const values = [...new Set(texts)].map((one) => parameter.validate(one, name, own))
  if (uniqueItems && values.length < texts.length) own.push(`${name} must not have the same value twice.`)
  problems.push(...own.map((problem) => problem + (parameter.in === 'query' ? noteOnPlus(text) : '')))
  return many ? values : values[0]
}

/** Returns a note for an invalid value: in a query, `+` means a space. */
export function noteOnPlus(text: string): string {
  return instantFromText(text.replace(' ', '+')) === undefined ? '' : ' In a URL, write its + as %2B.'
}

function textsOf(parameter: ContractParameter, query: string, headers: Headers): readonly string[] {
  if (parameter.in === 'query') return valuesOf(parameter.name, query)
  // Bun joins two header lines with a comma, which the contract's pattern must reject.
  const line = headers.get(parameter.name)
  return line === null ? [] : [line]
}

/** Returns the same values as `new URLSearchParams('?' + query)`, but faster if nothing is escaped. */
export function valuesOf(name: string, query: string): readonly string[] {
  if (query === '') return []
  if (query.includes('%') || query.includes('+')) return new URLSearchParams(`?${query}`).getAll(name)
  const values: string[] = []
  for (let at = 0; at <= query.length; ) {
    const next = query.indexOf('&', at)
    const end = next < 0 ? query.length : next
    if (query.startsWith(name, at)) {
      const after = at + name.length
      if (after === end) values.push('')
      else if (query.charCodeAt(after) === EQUALS) values.push(query.slice(after + 1, end))
    }
    at = end + 1
  }
  return values
}

const EQUALS = 0x3d
