// Answers and responses. An answer is what an operation or a page gives: the content, before conditional requests and common headers.
// Every response of the service is built here from an answer: its status (200 or 304), and its headers.

import type { Context } from '../route.ts'
import { entityTag, matches } from './conditions.ts'

export interface Answer {
  readonly status: number
  /** Text is copied for each connection that does not read, and is short. A file is a Blob, which is not copied. */
  readonly body: string | Blob | null
  /** In addition to those of the route. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the headers that the route's responses share. */
  readonly base?: Headers
  /** The ETag. With it, `If-None-Match` can give 304. */
  readonly tag?: string
  /** Fields for the log line of a change, in addition to the id of the API key. */
  readonly logged?: Readonly<Record<string, string>>
  /** All headers of the 200 and of the 304, built once for an answer that is sent many times. */
  readonly prepared?: { readonly whole: Headers; readonly notModified: Headers }
}

/** 200 with an entity tag. `link`: the `Link` header, when there is a next page. */
export function ok(json: string, link?: string): Answer {
  const answer = { status: 200, body: json, tag: entityTag(json, link) }
  return link === undefined ? answer : { ...answer, headers: { Link: link } }
}

export function created(
  json: string,
  replayed: boolean,
  logged: Record<string, string>,
  headers: Record<string, string> = {},
): Answer {
  return {
    status: 201,
    body: json,
    logged,
    headers: replayed ? { ...headers, 'Idempotency-Replayed': 'true' } : headers,
  }
}

/** 200 after a change: nothing to keep, so it has no entity tag. */
export function changed(json: string, logged: Record<string, string>): Answer {
  return { status: 200, body: json, logged }
}

export function noContent(headers: Record<string, string> = {}, logged?: Record<string, string>): Answer {
  return { status: 204, body: null, headers, ...(logged && { logged }) }
}

/** On every response: browsers must not guess its type, run it or frame it. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

/** The headers that responses of a route share. Copying a Headers object costs less than building one. */
export interface SharedHeaders {
  /** Of a 200 and its 304. */
  readonly read: Headers
  /** Of every other response with a JSON body. */
  readonly other: Headers
  /** Of a response without a body. */
  readonly empty: Headers
}

export function sharedHeaders(ofRoute: Record<string, string> = {}): SharedHeaders {
  const always = { ...SECURITY_HEADERS, ...ofRoute }
  const json = { ...always, 'Content-Type': 'application/json' }
  return {
    read: new Headers({ ...json, 'Cache-Control': 'private, no-cache' }),
    other: new Headers({ ...json, 'Cache-Control': 'no-store' }),
    empty: new Headers(always),
  }
}

const NO_ROUTE = sharedHeaders()

/** 304 without a body when `If-None-Match` contains the answer's tag (RFC 9110, 13.1.2). */
export function toResponse(answer: Answer, context: Context): Response {
  const { status, body, prepared, tag } = answer
  const { request } = context
  const unchanged = tag !== undefined && matches(request.headers.get('If-None-Match'), tag)
  const headers = prepared ? (unchanged ? prepared.notModified : prepared.whole) : baseOf(answer, context)
  const response = unchanged ? new Response(null, { status: 304, headers }) : new Response(body, { status, headers })
  if (!prepared) addOwn(response.headers, answer, unchanged)
  if (context.requestId !== undefined) response.headers.set('X-Request-Id', context.requestId)
  // An origin server with a clock must send Date (RFC 9110, 6.6.1). Bun adds it to every response except those to HEAD.
  if (request.method === 'HEAD') response.headers.set('Date', new Date().toUTCString())
  return response
}

/** The same answer with all its headers, to be sent many times. */
export function prepare(answer: Answer, context: Context): Answer {
  const [whole, notModified] = [new Headers(baseOf(answer, context)), new Headers(baseOf(answer, context))]
  addOwn(whole, answer, false)
  addOwn(notModified, answer, true)
  return { ...answer, prepared: { whole, notModified } }
}

function baseOf({ body, base, tag }: Answer, { route }: Context): Headers {
  if (base) return base
  const shared = route?.headers ?? NO_ROUTE
  if (tag !== undefined) return shared.read
  return body === null ? shared.empty : shared.other
}

function addOwn(all: Headers, { tag, headers }: Answer, unchanged: boolean): void {
  if (tag !== undefined) all.set('ETag', tag)
  for (const name in headers) all.set(name, headers[name] as string)
  if (unchanged) for (const name of ['Content-Type', 'Content-Encoding']) all.delete(name)
}

// Cross-origin access (CORS, in the Fetch standard) for the origins that the operator allows.

/** `*` allows every origin. API keys are sent in a header, not in a cookie, so credentials are never allowed. */
export type CorsOrigins = readonly string[]

const EXPOSED =
  'Accept-Encoding, Deprecation, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id'

/** Adds the headers that let a page of the request's `Origin` read the response, and answers its preflight requests. */
export function addCors(response: Response, request: Request, origins: CorsOrigins): void {
  if (origins.length === 0) return
  response.headers.append('Vary', 'Origin')
  const origin = request.headers.get('Origin')
  if (origin === null || !(origins.includes('*') || origins.includes(origin))) return
  response.headers.set('Access-Control-Allow-Origin', origin)
  response.headers.set('Access-Control-Expose-Headers', EXPOSED)
  if (request.method === 'OPTIONS' && request.headers.has('Access-Control-Request-Method')) {
    response.headers.set('Access-Control-Allow-Methods', response.headers.get('Allow') ?? '')
    response.headers.set(
      'Access-Control-Allow-Headers',
      'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match',
    )
    response.headers.set('Access-Control-Max-Age', '600')
  }
}
