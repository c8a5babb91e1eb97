// The Host header (RFC 9110, 7.2): a request whose Host is invalid is refused before anything else is looked at.

/**
 * A host and a port (RFC 9110, 7.2; RFC 3986, 3.2.2); may be empty. A name with a comma would be one, too, but Bun joins two Host lines
 * with a comma, and these must be refused (RFC 9112, 3.2).
 */
const HOST = /^(?:(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*|\[[\da-f:.]+\])(?::\d*)?$/i

/** The last one that was valid: nearly all requests have the same, and comparing takes a fortieth of the time. */
let lastHost = ''

/** Whether the request's Host is valid, or it has none, as HTTP/1.0 allows. */
export function hasValidHost({ headers }: Request): boolean {
  const host = headers.get('Host') ?? ''
  if (host === lastHost) return true
  const valid = HOST.test(host)
  if (valid) lastHost = host
  return valid
}
