// When each commit can have happened: not before somebody asked for it, and not after all who can have asked for it
// had their answer. An expiry is asked for by nobody: it comes after its time, and soon.

import type { Commit } from './commits.ts'
import type { Operation } from './operations.ts'
import { countUpTo, type Versions } from './versions.ts'

/** What the run allows. */
export interface Allowance {
  /** A clock was ahead by so much for a while. */
  readonly aheadMs: number
  /** How much later than it should an expiry may come. */
  readonly lateMs: number
  /** Whether nothing broke. */
  readonly isSteady?: boolean
}

/** The contract of placeOrder: a reservation ends within this time. */
export const EXPIRY_MS = 1_000
/** Between the clock of the operations and that of the events, which counts whole milliseconds. */
export const ROUNDED_MS = 5

export class Windows {
  /** Each is a commit, and another before it in the feed that can only have come after it. */
  readonly contradictions: Readonly<Record<'commit' | 'before', Commit>>[] = []
  /** A time of the wall clock on the clock of the operations. */
  readonly clock: (wall: number) => number
  /** Of each commit by itself: when all who can have asked for it had their answer, or its time was over. */
  private readonly answered: readonly number[]
  /** Of each commit, both rising. */
  private readonly notBefore: number[] = []
  private readonly notAfter: number[] = []

  constructor(
    readonly commits: readonly Commit[],
    versions: Versions,
    operations: readonly Operation[],
    { aheadMs, lateMs }: Allowance,
  ) {
    this.clock = clockOf(operations)
    const { clock } = this
    const asked = commits.map(({ event, askers }) => {
      const at = aheadMs > 0 ? Number.NEGATIVE_INFINITY : clock(Date.parse(event.at)) - ROUNDED_MS
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

  /** The version that must have been there when something began. */
  sureAt(time: number): number {
    return countUpTo(this.notAfter, time)
  }

  /**
   * Of the commits from this version on, the first that must have been there by then: it or a later one makes the
   * version sure.
   */
  sureBy(version: number, time: number): Commit | undefined {
    return this.commits.find((_, n) => n + 1 >= version && (this.answered[n] as number) <= time)
  }

  /** The last version that can have been there when something ended. */
  possibleAt(time: number): number {
    return countUpTo(this.notBefore, time)
  }
}

/** Gives a time of the wall clock on the clock of the operations. */
function clockOf(operations: readonly Operation[]): (wall: number) => number {
  const [first, last] = [operations[0], operations.at(-1)]
  if (!first || !last || first === last) return (wall) => wall
  const offset = first.startedAt - first.from
  const drift = (last.startedAt - last.from - offset) / Math.max(1, last.from - first.from)
  return (wall) => wall + offset + drift * (wall - first.from)
}
