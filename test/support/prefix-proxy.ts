// A proxy that serves the service below the path `/shop`, which it removes from requests.

import { startFake } from './fake.ts'

export const PREFIX = '/shop'

/**
 * Other paths get a 404. `to()` returns the origin of the service. Returns the origin of the proxy, without a trailing
 * slash, and the paths of all requests. Stops at the end of the test file.
 */
export function startPrefixProxy(to: () => string) {
  const paths: string[] = []
  const { url } = startFake((request) => {
    const { pathname, search } = new URL(request.url)
    paths.push(pathname)
    if (!pathname.startsWith(`${PREFIX}/`)) return new Response('Not the shop.', { status: 404 })
    const headers = new Headers(request.headers)
    headers.set('Accept-Encoding', 'identity')
    const { method, body } = request
    return fetch(to() + pathname.slice(PREFIX.length) + search, { method, headers, body, redirect: 'manual' })
  })
  return { origin: new URL(url).origin, paths }
}
