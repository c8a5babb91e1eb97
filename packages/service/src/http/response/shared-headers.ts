// Headers that responses share: for all responses, for a route (built once), and for cross-origin access (CORS in the
// Fetch standard).

import { headers as contract } from '../../../../contract/src/contract.ts'

/** Keeps browsers from guessing the type of a response, running it or framing it. */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Headers that responses of a route share. Copying Headers costs less than building them. */
export interface SharedHeaders {
  /** For a 200 and its 304. */
  readonly read: Headers
  /** For other responses with a JSON body. */
  readonly other: Headers
  /** For responses without a body. */
  readonly empty: Headers
  /** The `Allow` header (RFC 9110, 10.2.1), for methods that are not allowed. */
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
