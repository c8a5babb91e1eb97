// Expires overdue reservations while the server runs. Every server does this, and any number can. No rule depends on
// when it happens, because the store checks the time itself.

import { LIMITS } from '../domain/limits.ts'
import type { OrderStore, Transition } from '../domain/orders.ts'
import type { Log } from '../observability/log.ts'
import { monotonicMs, sleep, startTimer, stopTimer, type Timer } from '../system/runtime.ts'

/** Starts with reservations that became overdue while no server ran. */
export function startExpiry(orders: Pick<OrderStore, 'expireOrders'>, log: Log, everyMs = LIMITS.expiryEveryMs) {
  let stopped = false
  let failing = false
  let timer: Timer | undefined
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
    timer = startTimer(() => {
      sweeping = sweepAndWait()
    }, everyMs)
  }

  async function sweep(): Promise<void> {
    for (let more = true; more && !stopped; ) {
      const startedAt = monotonicMs()
      more = (await orders.expireOrders()).length > 0
      // Leave half of the time to requests.
      if (more) await sleep(monotonicMs() - startedAt)
    }
  }

  return {
    /** Starts no more transactions. Resolves when the last one has ended. */
    stop(): Promise<void> {
      stopped = true
      stopTimer(timer)
      return sweeping
    },
  }
}

/** Logs each expired order, no matter which store call expired it. */
export function logExpired(log: Log, transitions: readonly Transition[]): void {
  for (const { id, petId, status } of transitions) {
    if (status === 'expired') log.change({ orderId: String(id), petId: String(petId), status }, 'expireOrders')
  }
}
