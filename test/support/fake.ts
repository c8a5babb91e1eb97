// A server on a free port that responds as the test says, until the end of the test file.

import { atEndOfFile } from './files.ts'
import { until } from './until.ts'

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

/** Forwards requests to a service, but holds the requests that `holds` selects until `open` is called. */
export function startGate(
  service: { origin: string; env: Record<string, string> },
  holds: (request: Request) => boolean,
) {
  const gate = Promise.withResolvers<void>()
  let held = 0
  const { url } = startFake(async (request) => {
    if (holds(request)) {
      held++
      await gate.promise
    }
    return passOn(request, service)
  })
  return {
    /** The variables that connect a command to the gate. */
    env: { ...service.env, PETSTORE_URL: url },
    open: gate.resolve,
    untilHeld: (count: number) => until(`${count} requests are held`, () => held >= count),
  }
}
