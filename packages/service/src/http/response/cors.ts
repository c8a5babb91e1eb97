// Cross-origin access (CORS, in the Fetch standard) for the origins that the operator allows.

import { headers as contract } from '../../../../contract/src/contract.ts'

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
