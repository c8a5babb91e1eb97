// Routes outside the contract: health checks and the contract's files, which need no key, and `GET /key`.

import { contractFor } from '../../../../contract/src/contract.ts'
import type { Environment } from '../../domain/keys.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { Context } from '../context.ts'
import { type Answer, errorAnswer, SECURITY_HEADERS } from '../response/response.ts'

import { Route } from '../route.ts'
import { lazy, StaticFile } from './static-file.ts'

/** The process responds; it may still be starting. */
export const ALIVE: Answer = { status: 200, body: '{"status":"ok"}' }
export const liveness = new Route('/healthz', { GET: () => ALIVE })

/**
 * Liveness and readiness checks for load balancers and orchestrators. `ping` rejects if the store cannot respond;
 * `unready` returns why the service is not ready, if so.
 */
export function healthChecks(ping: () => Promise<void>, unready: () => string | undefined): Route[] {
  return [
    liveness,
    new Route('/readyz', {
      GET: async (context) => {
        const reason = unready()
        // Not thrown, because nothing has failed that should be logged.
        if (reason) return errorAnswer(new PetstoreError('unavailable', reason), context)
        await ping()
        return { status: 200, body: '{"status":"ready"}' }
      },
    }),
  ]
}

export type ServerAddresses = () => Parameters<typeof contractFor>

/** Serves the contract as YAML and JSON, with this service's addresses. */
export function contractFiles(addresses: ServerAddresses): Route[] {
  return (['yaml', 'json'] as const).map((format) => {
    // The addresses are only known once the server listens.
    const file = lazy(() => StaticFile.of(contractFor(...addresses())[format], `application/${format}`, 'revalidated'))
    return new Route(`/openapi.${format}`, {
      GET: async ({ request }) => (await file()).answer(request, SECURITY_HEADERS),
    })
  })
}

/** The response of `GET /key` about the request's API key, for the page and `petstore status`. */
export interface KeyInfo {
  name: string
  access: 'full' | 'read-only'
  environment: Environment
  /** Missing if the key does not expire. */
  expiresAt?: string | undefined
}

/** `authenticate` sets the context's caller, or throws. */
export function keyInfo(authenticate: (context: Context) => Promise<unknown>, environment: Environment): Route {
  return new Route('/key', {
    GET: async (context) => {
      await authenticate(context)
      const { name = '', readOnly, expiresAt } = context.caller ?? {}
      const info: KeyInfo = {
        name,
        access: readOnly ? 'read-only' : 'full',
        environment,
        expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
      }
      return { status: 200, body: JSON.stringify(info) }
    },
  })
}
