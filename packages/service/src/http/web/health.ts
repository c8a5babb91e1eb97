// Health checks for load balancers and orchestrators, without a key: is the process alive, and is it ready for requests?

import { PetstoreError } from '../../domain/petstore-error.ts'
import { errorAnswer } from '../response/error-answer.ts'
import { Route } from '../route.ts'

interface Health {
  /** Rejects when the store cannot answer. */
  ping: () => Promise<void>
  /** Why the service takes no requests now, or not yet. */
  unready: () => string | undefined
}

export function healthChecks({ ping, unready }: Health): Route[] {
  return [
    new Route('/healthz', { GET: () => ({ status: 200, body: '{"status":"ok"}' }) }),
    new Route('/readyz', {
      GET: async (context) => {
        const reason = unready()
        // Nothing has failed, so it is not logged.
        if (reason) return errorAnswer(new PetstoreError('unavailable', reason), context)
        await ping()
        return { status: 200, body: '{"status":"ready"}' }
      },
    }),
  ]
}
