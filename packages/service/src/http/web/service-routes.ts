// Routes outside the contract: health checks and the contract's files, which need no key, `GET /key` and `GET
// /names`.

import { contractFor } from '../../../../contract/src/contract.ts'
import { stringifyJson } from '../../../../contract/src/json.ts'
import type { Environment } from '../../domain/keys.ts'
import type { Names } from '../../domain/names.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { Context } from '../context.ts'
import { errorAnswer } from '../response/error-answer.ts'
import { type Answer, ok, SECURITY_HEADERS } from '../response/response.ts'
import { Route } from '../route.ts'
import { lazy, StaticFile } from './static-file.ts'

/** The process responds; it may still be starting. */
export const ALIVE: Answer = { status: 200, body: '{"status":"ok"}' }
export const liveness = new Route('/healthz', { GET: () => ALIVE })

/**
 * Liveness and readiness checks for load balancers and orchestrators. `ping` rejects if the store cannot answer;
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

/** The answer of `GET /key` about the request's API key, for the page and `petstore status`. */
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

/**
 * Serves the names of the store and its categories, for the page and the commands. Without a key, for the sign-in
 * page, the answer has only the store's name. `authenticate` throws if the request's key is not valid.
 */
export function namesRoute(authenticate: (context: Context) => Promise<unknown>, { store, categories }: Names): Route {
  const forKeys = ok(stringifyJson({ store, categories }))
  const forAll = ok(stringifyJson({ store }))
  return new Route('/names', {
    GET: async (context) => {
      if (!context.request.headers.has('Authorization')) return forAll
      await authenticate(context)
      return forKeys
    },
  })
}
