// A proxy that serves the service below the path `/shop`, which it removes from requests.

import { atEndOfFile } from './files.ts'

export const PREFIX = '/shop'

export interface PrefixProxy {
  /** Without a trailing slash. */
  origin: string
  /** The paths of all requests. */
  paths: string[]
}

/** Other paths get a 404. `to()` returns the origin of the service. Stops at the end of the test file. */
export function startPrefixProxy(to: () => string): PrefixProxy {
  const paths: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // Longer than a wait for events.
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      paths.push(pathname)
      if (!pathname.startsWith(`${PREFIX}/`)) return new Response('Not the shop.', { status: 404 })
      const headers = new Headers(request.headers)
      headers.set('Accept-Encoding', 'identity')
      const { method, body } = request
      return fetch(to() + pathname.slice(PREFIX.length) + search, { method, headers, body, redirect: 'manual' })
    },
  })
  atEndOfFile(() => server.stop(true))
  return { origin: `http://127.0.0.1:${server.port}`, paths }
}
