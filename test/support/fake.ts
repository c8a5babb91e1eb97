// A server on a free port that answers as a test says. It stops when the test file has ended.

import { atEndOfFile } from './files.ts'

/** Its base URL, ending in /v1. */
export function startFake(answer: (request: Request) => Response | Promise<Response>): { url: string } {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: answer })
  atEndOfFile(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}/v1` }
}

/** Passes a request on to a service, as a proxy does. */
export function passOn(request: Request, { origin }: { origin: string }): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  return fetch(origin + pathname + search, request)
}
