// `GET /key`: what the request's own API key is, for the page and `petstore status`.

import type { Environment } from '../../domain/keys.ts'
import type { Context } from '../context.ts'
import { Route } from '../route.ts'

export interface KeyInfo {
  name: string
  access: 'full' | 'read-only'
  environment: Environment
  /** Left out where the key does not expire. */
  expiresAt?: string
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
        ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
      }
      return { status: 200, body: JSON.stringify(info) }
    },
  })
}
