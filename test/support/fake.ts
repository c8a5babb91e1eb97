// A server on a free port that answers as the test says, until the end of the test file.

import { atEndOfFile } from './files.ts'

/** Returns the base URL, which ends in /v1. */
export function startFake(answer: (request: Request) => Response | Promise<Response>): { url: string } {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: answer })
  atEndOfFile(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}/v1` }
}

/** Forwards a request to a service. */
export function passOn(request: Request, { origin }: { origin: string }): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  return fetch(origin + pathname + search, request)
}
