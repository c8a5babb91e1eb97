// Builds all responses. An operation or page returns an answer: the content before conditional requests and shared
// headers. This file turns it into a response, with status (200 or 304), shared headers, and the headers for
// cross-origin access (CORS in the Fetch standard).

import { headers as contract } from '../../../../contract/src/contract.ts'
import { wallMs } from '../../system/runtime.ts'
import type { Context, SharedHeaders } from '../context.ts'
import { entityTag, matches } from './conditions.ts'

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
