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

/** Turns that take longer together have other work than this. A commit is in every other turn, at most. */
const TURNS = 8
const BUSY_MS = 0.5
/** The times of its own work that the background waits: beside other work it costs a hundredth, and a sixth while searches need it. */
const REST = { idle: 1, wanted: 5, busy: 100 }

/** As `taking`, for work in the background. */
export function resting(isWanted: () => boolean): () => Promise<void> {
  let startedAt = performance.now()
  return async () => {
    const workedMs = performance.now() - startedAt
    if (workedMs < SLICE_MS / 2) return
    const turnsAt = performance.now()
    for (let turn = 0; turn < TURNS; turn++) await endOfTurn()
    const isBusy = performance.now() - turnsAt > BUSY_MS
    await Bun.sleep((isBusy ? (isWanted() ? REST.wanted : REST.busy) : REST.idle) * workedMs)
    startedAt = performance.now()
  }
}

const FRESH_MS = 10_000

/** That a search has much to read beside the index, or could not be answered. */
export class Demand {
  private at = Number.NEGATIVE_INFINITY

  notice(): void {
    this.at = performance.now()
  }

  isFresh(): boolean {
    return performance.now() - this.at < FRESH_MS
  }
}
