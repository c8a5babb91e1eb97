// The headers that responses share: those of every response, and those of a route, which are built once.

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
