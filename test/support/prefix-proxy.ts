// A proxy as operators set one up: it serves the service below a path of its own, `/shop`, which it removes before it passes a request on.

import { atEndOfFile } from './files.ts'

export const PREFIX = '/shop'

export interface PrefixProxy {
  /** Without a slash at its end. */
  origin: string
  /** Everything that was asked of it. */
  paths: string[]
}

/** What is not below `/shop` is 404, in plain text. `to()` gives the service's origin. It stops when the test file has ended. */
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
