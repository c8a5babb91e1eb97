// Health checks for load balancers and orchestrators, without a key: is the process alive, and is it ready for requests?

import { PetstoreError } from '../../domain/errors.ts'
import { Route } from '../route.ts'

export interface Health {
  /** Rejects when the store cannot answer. */
  ping: () => Promise<void>
  /** True while the service shuts down. */
  draining: () => boolean
}

export function healthChecks({ ping, draining }: Health): Route[] {
  return [
    new Route('/healthz', { GET: () => ({ status: 200, body: '{"status":"ok"}' }) }),
    new Route('/readyz', {
      GET: async () => {
        if (draining()) throw new PetstoreError('unavailable', 'The service is shutting down.')
        await ping()
        return { status: 200, body: '{"status":"ready"}' }
      },
    }),
  ]
}
