// Turns errors into answers. Only this file builds Error bodies. openapi.yaml defines the codes and their statuses.

import { ERROR_STATUS, type Error as ErrorBody, type ErrorCode } from '../../../../contract/src/generated.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { Context } from '../context.ts'
import type { Answer } from './response.ts'

/** Retry-After of a 503, in seconds. */
export const RETRY_AFTER_S = '1'
const RETRY = { 'Retry-After': RETRY_AFTER_S }
/**
 * Closes the connection, because the service would otherwise have to read the rest of the body to find the next
 * request.
 */
const CLOSE = { Connection: 'close' }

/** RFC 5789, 2.2 and 3.1. */
export const ACCEPT_PATCH = { 'Accept-Patch': 'application/json' }

const HEADERS: Partial<Record<ErrorCode, Record<string, string>>> = {
  // RFC 6750, 3: an error attribute only if a token was sent.
  missing_api_key: { 'WWW-Authenticate': 'Bearer realm="petstore"' },
  invalid_api_key: { 'WWW-Authenticate': 'Bearer realm="petstore", error="invalid_token"' },
  read_only_key: { 'WWW-Authenticate': 'Bearer realm="petstore", error="insufficient_scope"' },
  body_too_large: CLOSE,
  request_timeout: CLOSE,
  unavailable: RETRY,
  storage_full: RETRY,
}

/** Turns unexpected errors into `internal`. Their details go to the log, and the caller gets a fixed message. */
export function toPetstoreError(error: unknown): PetstoreError {
  if (error instanceof PetstoreError) return error
  return new PetstoreError('internal', 'The service failed. The reason is in its log.', { cause: error })
}

export function isServerFailure({ code }: PetstoreError): boolean {
  return ERROR_STATUS[code] >= 500
}

export function errorAnswer({ code, message }: PetstoreError, { request, headers }: Context): Answer {
  const status = ERROR_STATUS[code]
  const body: ErrorBody = { code, message, status }
  const allow = code === 'method_not_allowed' ? { Allow: headers.allow } : {}
  // RFC 9110, 15.5.16: this header shows that the content coding was refused, not the media type.
  const encoded = code === 'unsupported_media_type' && request.headers.has('Content-Encoding')
  const accepted = encoded ? { 'Accept-Encoding': 'identity' } : {}
  const patch = code === 'unsupported_media_type' && request.method === 'PATCH' ? ACCEPT_PATCH : {}
  return { status, body: JSON.stringify(body), headers: { ...HEADERS[code], ...allow, ...accepted, ...patch } }
}
