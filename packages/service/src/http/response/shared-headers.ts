// The headers that responses share: the headers of every response, of a route, which are built once, and of cross-origin access (CORS, in the
// Fetch standard).

import { headers as contract } from '../../../../contract/src/contract.ts'

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
  /** The `Allow` header (RFC 9110, 10.2.1), where the method is not allowed. */
  readonly allow: string
}

export function sharedHeaders(ofRoute: Record<string, string>, allow: string): SharedHeaders {
  const always = { ...SECURITY_HEADERS, ...ofRoute }
  const json = { ...always, 'Content-Type': 'application/json' }
  return {
    read: new Headers({ ...json, 'Cache-Control': 'private, no-cache' }),
    other: new Headers({ ...json, 'Cache-Control': 'no-store' }),
    empty: new Headers(always),
    allow,
  }
}

/** Where nothing exists. */
export const NO_ROUTE = sharedHeaders({}, '')

/** `*` allows every origin. API keys are sent in a header, not in a cookie, so credentials are never allowed. */
export type CorsOrigins = readonly string[]

/** Without the header that every page may read. */
const EXPOSED = contract.responses.filter((name) => name !== 'Cache-Control').join(', ')
/** Tracing libraries add them to each request (W3C Trace Context and Baggage). */
const TRACING = ['traceparent', 'tracestate', 'baggage']
const ALLOWED = ['Authorization', 'Content-Type', ...contract.requests, ...TRACING].join(', ')

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
    response.headers.set('Access-Control-Allow-Headers', ALLOWED)
    response.headers.set('Access-Control-Max-Age', '600')
  }
}
