// A request's body → exact JSON: media type, size, time, UTF-8, in that order. Nothing is inflated, and nothing larger
// than the bound is ever kept.

import { PetstoreError } from '../errors.ts'
import { inTime } from './deadline.ts'
import { type Json, parseJson } from './json.ts'

export const BODY_BYTES_MAX = 64 * 1024

/** Throws `unsupported_media_type`, `body_too_large`, `request_timeout` or `malformed_json`. */
export async function readBody(request: Request, timeoutMs: number): Promise<Json> {
  checkMediaType(request.headers)
  const length = request.headers.get('Content-Length')
  if (length !== null && Number(length) > BODY_BYTES_MAX) throw tooLarge()
  // With a length the whole body is bounded; without one (chunked) it is counted as it arrives.
  const reading = length === null ? readCounted(request.body) : request.bytes()
  return parseJson(decode(await arrived(reading, timeoutMs)))
}

/** RFC 9110, 8.3. No Content-Type at all is read as JSON: the interface knows no other. */
function checkMediaType(headers: Headers): void {
  if (headers.has('Content-Encoding')) {
    throw new PetstoreError('unsupported_media_type', 'Send the body as it is, without Content-Encoding.')
  }
  const type = headers.get('Content-Type')
  if (type === null || type === 'application/json') return
  const [, essence = '', parameters = ''] = MEDIA_TYPE.exec(type) ?? []
  if (essence.toLowerCase() !== 'application/json') {
    throw new PetstoreError('unsupported_media_type', 'Send the body as application/json.')
  }
  for (const [, name = '', quoted, plain] of parameters.matchAll(PARAMETER)) {
    if (name.toLowerCase() === 'charset' && (quoted ?? plain)?.toLowerCase() !== 'utf-8') {
      throw new PetstoreError('unsupported_media_type', 'Send the body in UTF-8.')
    }
  }
}

const PARAMETER = /[ \t]*;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([\w!#$%&'*+.^`|~-]+)))?/g
const MEDIA_TYPE = new RegExp(`^([\\w!#$%&'*+.^\`|~/-]+)((?:${PARAMETER.source})*)[ \\t]*$`)

async function readCounted(stream: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream ?? []) {
    bytes += chunk.byteLength
    if (bytes > BODY_BYTES_MAX) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

async function arrived(reading: Promise<Uint8Array>, timeoutMs: number): Promise<Uint8Array> {
  try {
    return await inTime(reading, timeoutMs, () => {
      return new PetstoreError('request_timeout', `The body did not arrive within ${timeoutMs / 1000} seconds.`)
    })
  } catch (error) {
    if (error instanceof PetstoreError) throw error
    throw new PetstoreError('request_timeout', 'The connection ended before the body did.', { cause: error })
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

function tooLarge(): PetstoreError {
  return new PetstoreError('body_too_large', `The body is larger than ${BODY_BYTES_MAX} bytes.`)
}
