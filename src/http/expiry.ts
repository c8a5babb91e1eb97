// Ends reservations whose time has passed, as long as the server runs. Every server does this: one that is gone leaves nothing undone,
// and two do not disturb each other. Nothing depends on it being in time: the store looks at the time itself wherever it counts.

import type { OrderStore } from '../domain/orders.ts'
import type { Log } from '../observability/log.ts'

const EVERY_MS = 500
/** In one transaction: small enough that requests do not wait for it. */
const BATCH = 500

export interface Expiry {
  /** Begins no further transaction. Resolves when the last one has ended. */
  stop(): Promise<void>
}

/** The first sweep is at once: what became due while no server ran. */
export function startExpiry(orders: Pick<OrderStore, 'expireOrders'>, log: Log, everyMs = EVERY_MS): Expiry {
  let stopped = false
  let failing = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let sweeping = sweepAndWait()

  async function sweepAndWait(): Promise<void> {
    try {
      await sweep()
      failing = false
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'orders not expired yet')
      failing = true
    }
    if (stopped) return
    timer = setTimeout(() => {
      sweeping = sweepAndWait()
    }, everyMs)
  }

  async function sweep(): Promise<void> {
    for (let full = true; full && !stopped; ) {
      const expired = await orders.expireOrders(BATCH)
      for (const { id, petId } of expired) {
        log.info({ orderId: String(id), petId: String(petId), status: 'expired' }, 'expireOrders')
      }
      full = expired.length === BATCH
    }
  }

  return {
    stop() {
      stopped = true
      clearTimeout(timer)
      return sweeping
    },
  }
}
