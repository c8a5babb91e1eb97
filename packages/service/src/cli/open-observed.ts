// The store of a service: what happens to it is logged and counted.

import type { Store, StoreOptions } from '../domain/store.ts'
import { logExpired } from '../http/expiry.ts'
import type { Log } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { openStore } from '../store/kinds.ts'

export async function openWatched(
  address: string,
  log: Log,
  metrics: Metrics | undefined,
  options: Pick<StoreOptions, 'now' | 'monotonic' | 'identity'>,
): Promise<Store> {
  const store = await openStore(address, {
    ...options,
    serves: true,
    onMigration: (sentence) => log.info({}, sentence),
    onTrouble: ({ lost, reason }) =>
      lost ? log.error({ reason }, 'store lost') : log.warn({ reason }, 'store in danger'),
    onBatch: metrics?.batch,
    onTransitions(transitions) {
      metrics?.transitions(transitions)
      logExpired(log, transitions)
    },
  })
  metrics?.watch({ pool: store.pool, lockWaitSeconds: store.lockWaitSeconds })
  return metrics?.timed(store) ?? store
}
