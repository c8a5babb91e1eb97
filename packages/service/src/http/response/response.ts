// Builds all responses. An operation or page returns an answer: the content before conditional requests and shared
// headers. This file turns it into a response, with status (200 or 304), shared headers, and the headers for
// cross-origin access (CORS in the Fetch standard).

import { headers as contract } from '../../../../contract/src/contract.ts'
import { ERROR_STATUS, type Error as ErrorBody, type ErrorCode } from '../../../../contract/src/generated.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import { wallMs } from '../../system/runtime.ts'
import type { Context, SharedHeaders } from '../context.ts'

export interface Answer {
  readonly status: number
  /** Text is short and copied for each connection that does not read. A file is a Blob, which is not copied. */
  readonly body: string | Blob | null
  /** Added to the route's headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the route's shared headers. */
  readonly ownHeaders?: Headers
  /** The ETag, which enables 304 for `If-None-Match`. */
  readonly tag?: string
  /** Additional fields for the log line of a change. */
  readonly logged?: Readonly<Record<string, string>> | undefined
  /** All headers of the 200 and the 304, built once for an answer that is sent often. */
  readonly prepared?: { readonly whole: Headers; readonly notModified: Headers }
}

/** Returns a 200 with an entity tag. `links`: the `Link` header, if there are other pages. */
export function ok(json: string, links?: string): Answer {
  const answer = { status: 200, body: json, tag: entityTag(json, links) }
  return links === undefined ? answer : { ...answer, headers: { Link: links } }
}

/**
 * Returns a 201 with the entity tag of a GET of the new resource. A replay has the tag of the answer that it repeats.
 */
export function created(
  json: string,
  replayed: boolean,
  logged: Record<string, string>,
  headers: Record<string, string> = {},
): Answer {
  const repeated = replayed ? { 'Idempotency-Replayed': 'true' } : {}
  return { status: 201, body: json, logged, headers: { ...headers, ...repeated, ETag: entityTag(json) } }
}

/** Returns a 200 after a change. The ETag is for later requests; conditions of this request do not apply to it. */
export function changed(json: string, logged: Record<string, string>): Answer {
  return { status: 200, body: json, logged, headers: { ETag: entityTag(json) } }
}

export function noContent(headers: Record<string, string> = {}, logged?: Record<string, string>): Answer {
  return { status: 204, body: null, headers, logged }
}

/** Returns 304 without a body if `If-None-Match` contains the answer's tag (RFC 9110, 13.1.2). */
export function toResponse(answer: Answer, context: Context): Response {
  const { status, body, prepared, tag } = answer
  const { request } = context
  const unchanged = tag !== undefined && matches(request.headers.get('If-None-Match'), tag)
  const headers = prepared ? (unchanged ? prepared.notModified : prepared.whole) : headersOf(answer, context)
  const response = unchanged ? new Response(null, { status: 304, headers }) : new Response(body, { status, headers })
  if (!prepared) addOwn(response.headers, answer, unchanged)
  if (context.requestId !== undefined) response.headers.set('X-Request-Id', context.requestId)
  // An origin server with a clock must send Date (RFC 9110, 6.6.1). Bun adds it to all responses except to HEAD.
  if (request.method === 'HEAD') response.headers.set('Date', new Date(wallMs()).toUTCString())
  return response
}

/** Builds all headers of an answer, to send it often. */
export function prepare(answer: Answer, context: Context): Answer {
  const [whole, notModified] = [new Headers(headersOf(answer, context)), new Headers(headersOf(answer, context))]
  addOwn(whole, answer, false)
  addOwn(notModified, answer, true)
  return { ...answer, prepared: { whole, notModified } }
}

function headersOf({ body, ownHeaders, tag }: Answer, { headers }: Context): Headers {
  if (ownHeaders) return ownHeaders
  if (tag !== undefined) return headers.cacheable
  return body === null ? headers.bodyless : headers.uncached
}

function addOwn(all: Headers, { tag, headers }: Answer, unchanged: boolean): void {
  if (tag !== undefined) all.set('ETag', tag)
  for (const name in headers) all.set(name, headers[name] as string)
  if (unchanged) for (const name of ['Content-Type', 'Content-Encoding']) all.delete(name)
}

/** Keeps browsers from guessing the type of a response, running it or framing it. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

export function sharedHeaders(ofRoute: Record<string, string>, allow: string): SharedHeaders {
  const always = { ...SECURITY_HEADERS, ...ofRoute }
  const json = { ...always, 'Content-Type': 'application/json' }
  return {
    cacheable: new Headers({ ...json, 'Cache-Control': 'private, no-cache' }),
    uncached: new Headers({ ...json, 'Cache-Control': 'no-store' }),
    bodyless: new Headers(always),
    allow,
  }
}

/** For paths that do not exist. */
export const NO_ROUTE = sharedHeaders({}, '')

/** `*` allows every origin. API keys are sent in a header and not in a cookie, so credentials are never allowed. */
export type CorsOrigins = readonly string[]

/** Every page can read Cache-Control anyway. */
const EXPOSED = contract.responses.filter((name) => name !== 'Cache-Control').join(', ')
/** Headers that tracing libraries add (W3C Trace Context and Baggage). */
const TRACING = ['traceparent', 'tracestate', 'baggage', 'X-Request-Id']
const ALLOWED = ['Authorization', 'Content-Type', ...contract.requests, ...TRACING].join(', ')

/**
 * Adds the CORS headers that allow pages of the request's `Origin` to read the response, and answers preflight
 * requests.
 */
export function addCors(response: Response, request: Request, origins: CorsOrigins): void {
  if (origins.length === 0) return
  response.headers.append('Vary', 'Origin')
  const origin = request.headers.get('Origin')
  if (origin === null || !(origins.includes('*') || origins.includes(origin))) return
  response.headers.set('Access-Control-Allow-Origin', origin)
  response.headers.set('Access-Control-Expose-Headers', EXPOSED)
  if (request.method === 'OPTIONS' && request.headers.has('Access-Control-Request-Method')) {
    response.headers.set('Access-Control-Allow-Methods', response.headers.get('Allow') ?? '')
    response.headers.set('Access-Control-Allow-Headers', ALLOWED)
    response.headers.set('Access-Control-Max-Age', '600')
  }
}

// Entity tags and conditional requests (RFC 9110, 8.8.3 and 13).

/**
 * Returns a strong tag of 132 bits. It includes the links, because the last page of a growing list gets a link while
 * its body stays the same.
 */
export function entityTag(body: string, links = ''): string {
  return `"${Bun.SHA256.hash(body + links, 'base64url').slice(0, 22)}"`
}

type Condition = string | null | undefined

/** The headers of a change. */
export interface Conditions {
  'If-Match'?: string
  'If-None-Match'?: string
}

/** Returns whether `If-None-Match` is `*` or contains the tag (weak comparison). */
function matches(ifNoneMatch: Condition, tag: string): boolean {
  return names(ifNoneMatch, tag, WEAKLY)
}

/**
 * Returns the error for a failed `If-Match` (strong comparison), or a failed `If-None-Match` of a request that is not
 * a GET. Call it only if the request would succeed without them (RFC 9110, 13.2).
 */
export function failedPrecondition(tag: string, ifMatch: Condition, ifNoneMatch?: Condition) {
  if (typeof ifMatch === 'string' && !names(ifMatch, tag, STRONGLY))
    return failed('If-Match does not name the current entity tag.')
  return matches(ifNoneMatch, tag) ? failed('If-None-Match names the current entity tag.') : undefined
}

/**
 * Returns the check of a change's conditions against the resource that the store finds, or `undefined` without
 * conditions. If the change is already in effect, `If-Match` is ignored, because the client may be retrying after a
 * lost response (RFC 9110, 13.1.1). `If-None-Match` has no such rule.
 */
export function preconditionOf<Resource>(
  { 'If-Match': ifMatch, 'If-None-Match': ifNoneMatch }: Conditions,
  json: (resource: Resource) => string,
): ((resource: Resource, alreadyInEffect?: boolean) => PetstoreError | undefined) | undefined {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined
  return (resource, alreadyInEffect) =>
    failedPrecondition(entityTag(json(resource)), alreadyInEffect ? undefined : ifMatch, ifNoneMatch)
}

/** Matches the tags of a list, without the marks of weak tags. */
const WEAKLY = /"[\x21\x23-\x7e\x80-\xff]*"/g
const STRONGLY = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

function names(condition: Condition, tag: string, compared: RegExp): boolean {
  if (typeof condition !== 'string') return false
  if (condition.trim() === '*') return true
  const tags: string[] = condition.match(compared) ?? []
  return tags.includes(tag)
}

function failed(message: string): PetstoreError {
  return new PetstoreError('precondition_failed', message)
}

// Turns errors into responses. Only this file builds Error bodies. openapi.yaml defines the codes and their statuses.

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
  // RFC 9110, 15.5.16: this header shows that the content coding was rejected, not the media type.
  const encoded = code === 'unsupported_media_type' && request.headers.has('Content-Encoding')
  const accepted = encoded ? { 'Accept-Encoding': 'identity' } : {}
  const patch = code === 'unsupported_media_type' && request.method === 'PATCH' ? ACCEPT_PATCH : {}
  return { status, body: JSON.stringify(body), headers: { ...HEADERS[code], ...allow, ...accepted, ...patch } }
}
