// A request's body → exact JSON: media type, size, time, UTF-8, in that order. Nothing is inflated, and nothing larger
// than the bound is ever kept.

import { PetstoreError } from '../../domain/errors.ts'
import { type Json, JsonError, parseJson } from '../../json/json.ts'
import { withTimeout } from '../limits/timeout.ts'

export const BODY_BYTES_MAX = 64 * 1024
/**
 * A body that is too large, but not by much, is read to its end and discarded: to close the connection while a client or a proxy
 * still sends would reset it, and the 413 would be lost.
 */
const DISCARDED_BYTES_MAX = 1024 * 1024

/** Throws `unsupported_media_type`, `body_too_large`, `request_timeout` or `malformed_json`. */
export async function readBody(request: Request, timeoutMs: number): Promise<Json> {
  checkMediaType(request.headers)
  const length = request.headers.get('Content-Length')
  if (length !== null && Number(length) > DISCARDED_BYTES_MAX) throw bodyTooLarge()
  // What is known to be small is read at once; the rest is counted as it arrives.
  const reading = length !== null && Number(length) <= BODY_BYTES_MAX ? request.bytes() : readCounting(request)
  return parse(decode(await receive(reading, timeoutMs)))
}

/** RFC 9110, 8.3. No Content-Type at all is read as JSON: the interface knows no other. */
function checkMediaType(headers: Headers): void {
  if (headers.has('Content-Encoding')) {
    throw new PetstoreError('unsupported_media_type', 'Send the body without Content-Encoding.')
  }
  const type = headers.get('Content-Type')
  if (type === null || type === 'application/json') return
  const [essence = ''] = ESSENCE.exec(type) ?? []
  const parameters = parametersOf(type.slice(essence.length))
  if (essence.toLowerCase() !== 'application/json' || !parameters) {
    throw new PetstoreError('unsupported_media_type', 'Send the body as application/json.')
  }
  if (parameters.some(([name, value]) => name === 'charset' && value !== 'utf-8')) {
    throw new PetstoreError('unsupported_media_type', 'Send the body in UTF-8.')
  }
}

const ESSENCE = /^[\w!#$%&'*+.^`|~/-]+/
const PARAMETER = /[ \t]*;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([\w!#$%&'*+.^`|~-]+)))?/y

/**
 * Names and values in lower case; `undefined` for what is no list of parameters. One at a time: an expression for the whole list
 * could divide the spaces between two semicolons in many ways, and would try them all.
 */
function parametersOf(text: string): [name: string, value: string][] | undefined {
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

async function readCounting({ body, signal }: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > DISCARDED_BYTES_MAX) throw bodyTooLarge()
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk)
  }
  if (bytes > BODY_BYTES_MAX) throw bodyTooLarge()
  // Bun hands over the last chunk before it has looked at what follows: what it then refuses (400, for trailers) is no request, and must
  // change nothing. It has looked one turn of the event loop later.
  await new Promise(setImmediate)
  signal.throwIfAborted()
  return Buffer.concat(chunks)
}

async function receive(reading: Promise<Uint8Array>, timeoutMs: number): Promise<Uint8Array> {
  try {
    return await withTimeout(reading, timeoutMs, () => {
      return new PetstoreError('request_timeout', `The body did not arrive within ${timeoutMs / 1000} seconds.`)
    })
  } catch (error) {
    if (error instanceof PetstoreError) throw error
    throw new PetstoreError('request_timeout', 'The connection closed before the whole body arrived.', { cause: error })
  }
}

/** A byte order mark is no white space of JSON's (RFC 8259, 8.1), so it stays, and is refused. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch (cause) {
    throw new PetstoreError('malformed_json', 'The body is not UTF-8.', { cause })
  }
}

function parse(text: string): Json {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new PetstoreError('malformed_json', `The body is not valid JSON (RFC 8259): ${error.message}.`)
  }
}

function bodyTooLarge(): PetstoreError {
  return new PetstoreError('body_too_large', `The body is larger than ${BODY_BYTES_MAX} bytes.`)
}
