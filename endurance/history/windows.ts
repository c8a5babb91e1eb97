// Computes when each commit may have happened: after the start of a request that may have caused it, and before the end of the last such
// request. No request causes an expiry: it happens soon after the reservation's end.

import type { Commit } from './commits.ts'
import type { Operation } from './operations.ts'
import { countUpTo, type Versions } from './versions.ts'

/** The tolerances of a run. */
export interface Allowance {
  /** How far a clock was ahead or behind for a while. */
  readonly clockErrorMs: number
  /** How late an expiry can be. */
  readonly lateMs: number
  /** Whether there was no failure. */
  readonly isSteady?: boolean
}

/** The contract of placeOrder: a reservation expires within this time after its end. */
export const EXPIRY_MS = 1_000
/** The tolerance between the clocks of operations and of events, which have whole milliseconds. */
export const ROUNDED_MS = 5

export class Windows {
  /** Pairs of commits whose order in the feed contradicts real time. */
  readonly contradictions: Readonly<Record<'commit' | 'before', Commit>>[] = []
  /** Converts a wall-clock time to the clock of the operations. */
  readonly clock: (wall: number) => number
  /** For each commit alone: the latest time at which it may have happened. */
  private readonly answered: readonly number[]
  /** Bounds for each commit that also consider its neighbours; both ascend. */
  private readonly notBefore: number[] = []
  private readonly notAfter: number[] = []

  constructor(
    readonly commits: readonly Commit[],
    versions: Versions,
    operations: readonly Operation[],
    { clockErrorMs, lateMs }: Allowance,
  ) {
    this.clock = clockOf(operations)
    const { clock } = this
    const asked = commits.map(({ event, askers }) => {
      const at = clockErrorMs > 0 ? Number.NEGATIVE_INFINITY : clock(Date.parse(event.at)) - ROUNDED_MS
      return askers.reduce(
        (least, { startedAt }) => Math.min(least, Math.max(at, startedAt)),
        askers.length > 0 ? Infinity : at,
      )
    })
    this.answered = commits.map(({ event, askers, version }) => {
      if (event.type !== 'order.expired')
        return Math.max(...askers.map(({ endedAt }) => endedAt), askers.length > 0 ? 0 : Infinity)
      const end = versions.order(event.orderId ?? 0, version)?.terms.expiresAt
      return end ? clock(Date.parse(end)) + EXPIRY_MS + lateMs : Infinity
    })
    const { answered } = this
    for (const [n, time] of asked.entries()) this.notBefore[n] = Math.max(this.notBefore[n - 1] ?? time, time)
    for (let n = commits.length - 1; n >= 0; n--) {
      const time = answered[n] as number
      this.notAfter[n] = Math.min(this.notAfter[n + 1] ?? time, time)
    }
    for (let n = 0; n < commits.length; n++) {
      if (!(this.timeOf(n) > (answered[n] as number))) continue
      const before = asked.findIndex((time) => time > (answered[n] as number))
      this.contradictions.push({ commit: commits[n] as Commit, before: commits[before] as Commit })
    }
  }

  private timeOf(n: number): number {
    return this.notBefore[n] as number
  }

  /** The oldest version that the store may have had at this time. */
  sureAt(time: number): number {
    return countUpTo(this.notAfter, time)
  }

  /** The first commit from this version on that must have happened by this time. */
  sureBy(version: number, time: number): Commit | undefined {
    return this.commits.find((_, n) => n + 1 >= version && (this.answered[n] as number) <= time)
  }

  /** The newest version that the store may have had at this time. */
  possibleAt(time: number): number {
    return countUpTo(this.notBefore, time)
  }
}

/** Returns a function that converts wall-clock times to the clock of the operations. */
function clockOf(operations: readonly Operation[]): (wall: number) => number {
  const [first, last] = [operations[0], operations.at(-1)]
  if (!first || !last || first === last) return (wall) => wall
  const offset = first.startedAt - first.from
  const drift = (last.startedAt - last.from - offset) / Math.max(1, last.from - first.from)
  return (wall) => wall + offset + drift * (wall - first.from)
}
