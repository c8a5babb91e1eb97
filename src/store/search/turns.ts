// Work that takes long gives way: to everything that has arrived at the server, and in the background also for longer.

import { endOfTurn } from '../../system/turn.ts'

/** No request waits longer for a search, or for the index. */
const SLICE_MS = 2

/** Waits for the end of a turn when the work has taken its share of it. */
export function taking(): () => Promise<void> {
  let startedAt = performance.now()
  return async () => {
    if (performance.now() - startedAt < SLICE_MS) return
    await endOfTurn()
    startedAt = performance.now()
  }
}

/** A turn that takes longer has other work than this. */
const BUSY_MS = 0.3
/** The times of its own work that the background waits: beside other work it costs a thirtieth, and a sixth while a search needs it. */
const REST = { idle: 1, wanted: 5, busy: 30 }

/** As `taking`, for work in the background. */
export function resting(isWanted: () => boolean): () => Promise<void> {
  let startedAt = performance.now()
  return async () => {
    const now = performance.now()
    if (now - startedAt < SLICE_MS / 2) return
    await endOfTurn()
    const isBusy = performance.now() - now > BUSY_MS
    await Bun.sleep((isBusy ? (isWanted() ? REST.wanted : REST.busy) : REST.idle) * (now - startedAt))
    startedAt = performance.now()
  }
}

const FRESH_MS = 10_000

/** That a search could not be answered, for want of the index. */
export class Demand {
  private at = Number.NEGATIVE_INFINITY

  notice(): void {
    this.at = performance.now()
  }

  isFresh(): boolean {
    return performance.now() - this.at < FRESH_MS
  }
}
