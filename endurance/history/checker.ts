// Checks that the store is linearizable: one order of all operations explains every response and respects real time.
// The event feed gives the order of the commits, so each operation must fit between two commits: after every commit
// that was visible when the operation started, and before every commit whose request started after the operation
// ended. Placing each operation at the earliest version that explains its response leaves the most freedom to later
// operations, so one pass is enough.

import type { Commit } from './commits.ts'
import { feedFaults } from './feed.ts'
import { type Place, pageCondition } from './feed-pages.ts'
import { isUnanswered, type Operation, type Seen } from './operations.ts'
import { keyFault, refused } from './refusals.ts'
import { type Condition, succeeded } from './rules.ts'
import { Tags } from './tags.ts'
import { doneTwice, overdue } from './together.ts'
import { type Circumstances, World } from './world.ts'

export interface Fault {
  readonly reason: string
  /** The operations that contradict each other. */
  readonly operations: readonly Operation[]
  readonly commits: readonly Commit[]
  /**
   * When the last of the operations ended, or without operations the time of the last commit, on the operations'
   * clock.
   */
  readonly at: number
}

/** An empty page after a wait shows the store as it was at most this long before the response. */
const WAIT_MS = 1_000

/** `faults` are in order of time. */
export function check(operations: readonly Operation[], events: readonly Seen[], circumstances: Circumstances) {
  const world = new World(events, operations, circumstances)
  const tags = new Tags(operations)
  const answered = operations.filter((one) => !isUnanswered(one))
  const pass = new Pass(world, tags, answered)
  for (const operation of answered.toSorted((one, other) => one.startedAt - other.startedAt)) pass.place(operation)
  const fault = faultsAt(world)
  const faults = [
    ...pass.faults,
    ...tags.faults.map(({ operation, other, reason }) => fault(reason, [other, operation])),
    ...Array.from(feedFaults(world), ({ commit, reason }) => fault(reason, commit.askers, [commit])),
    ...world.windows.contradictions.map(({ before, commit }) => {
      const reason = 'the later event was acknowledged before the earlier one was requested'
      return fault(reason, [...commit.askers, ...before.askers], [before, commit])
    }),
    ...Array.from(doneTwice(world), (twice) => fault(...twice)),
    ...Array.from(overdue(world), (late) => fault(...late)),
  ]
  return { checked: answered.length, world, faults: faults.toSorted((one, other) => one.at - other.at) }
}

function faultsAt({ windows }: World) {
  return (
    reason: string,
    about: readonly (Operation | undefined)[],
    commits: readonly (Commit | undefined)[] = [],
  ): Fault => {
    const operations = about.filter((one) => one !== undefined)
    const told = commits.filter((one) => one !== undefined)
    const ends = operations.map(({ endedAt }) => endedAt).filter(Number.isFinite)
    const at = Math.max(...(ends.length > 0 ? ends : told.map(({ event }) => windows.clock(Date.parse(event.at)))))
    return { reason, operations, commits: told, at }
  }
}

/** Places each operation at a version of the store. Operations must be given in the order in which they started. */
class Pass {
  readonly faults: Fault[] = []
  private readonly found = new Map<Operation, number>()
  private readonly places = new Map<number, Place>()
  private readonly byEnd: readonly Operation[]
  private ended = 0
  private seen = 0

  constructor(
    private readonly world: World,
    private readonly tags: Tags,
    answered: readonly Operation[],
  ) {
    this.byEnd = answered.toSorted((one, other) => one.endedAt - other.endedAt)
  }

  place(operation: Operation): void {
    const { windows } = this.world
    const { startedAt, endedAt, ask } = operation
    for (; (this.byEnd[this.ended] as Operation).endedAt < startedAt; this.ended++)
      this.seen = Math.max(this.seen, this.found.get(this.byEnd[this.ended] as Operation) ?? 0)
    const isWaited = ask.kind === 'events' && ask.wait && operation.text === '[]'
    const toldAt = isWaited ? endedAt - WAIT_MS - this.world.circumstances.lateMs : startedAt
    const sure = windows.sureAt(Math.max(startedAt, toldAt))
    const floor = Math.max(this.seen, sure)
    const last = Math.max(floor, windows.possibleAt(endedAt))
    const condition = this.conditionOf(operation, floor, last)
    if (condition === undefined) return
    const version = typeof condition === 'string' ? undefined : first(condition, floor, last)
    if (version !== undefined) this.found.set(operation, version)
    else this.faults.push(this.faultOf(operation, condition, floor, last))
  }

  /** Returns `undefined` if the response says nothing about the store. */
  private conditionOf(operation: Operation, floor: number, last: number): Condition | undefined {
    const { world } = this
    const { ask, status, method } = operation
    const reason = keyFault(operation, world)
    if (reason !== undefined) return reason
    if (status === 401 || status === 403) return undefined
    if (status === 429) return world.circumstances.isLimited ? undefined : 'its key has no rate limit'
    if (method === 'HEAD') {
      const shown = status < 300 ? this.tags.bodyOf(operation) : undefined
      if (status >= 300 && status !== 404) return `${status} is not a valid response`
      if (status === 404)
        return refused({ ...operation, text: '{"code":"not_found","message":"","status":404}' }, world)
      return shown && succeeded({ ...operation, ...shown }, world, [floor, last])
    }
    if (status >= 400) return refused(operation, world)
    if (ask.kind === 'events') return pageCondition(operation, ask, world, this.places, [floor, last])
    return succeeded(operation, world, [floor, last])
  }

  private faultOf(operation: Operation, condition: Condition, floor: number, last: number): Fault {
    const { commits } = this.world
    const fault = (reason: string, others: readonly Operation[], about: readonly (Commit | undefined)[]) =>
      faultsAt(this.world)(reason, [...others.filter((one) => one !== operation).slice(0, 2), operation], about)
    if (typeof condition === 'string') return fault(condition, [], this.world.madeBy(operation).slice(0, 2))
    for (let version = floor - 1; version >= 0; version--) {
      if (!condition(version)) continue
      // Name the commit that the response does not show, and an operation that had seen it. If there is no such
      // operation, name the commit that was due, such as an expiry, which no request causes.
      const witness = this.witnessOf(operation, version + 1)
      const due = witness ? undefined : this.world.windows.sureBy(version + 1, operation.startedAt)
      const known = new Set([commits[version], due])
      return fault('it shows the store before a commit that was already visible', witness ? [witness] : [], [...known])
    }
    const later = first(condition, last + 1, commits.length)
    if (later === undefined)
      return fault('the store never had this state', [], commits.slice(Math.max(0, floor - 1), last + 1).slice(0, 4))
    const commit = commits[later - 1]
    return fault('it shows a commit that was requested later', commit?.askers ?? [], [commit])
  }

  /** Finds an earlier operation that had seen the version, preferably the one that made it. */
  private witnessOf({ startedAt }: Operation, version: number): Operation | undefined {
    const asker = this.world.commits[version - 1]?.askers.find(({ endedAt }) => endedAt < startedAt)
    if (asker) return asker
    let witness: Operation | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [one, seen] of this.found) {
      if (one.endedAt >= startedAt || seen < version || seen >= least) continue
      witness = one
      least = seen
    }
    return witness
  }
}

function first(condition: (version: number) => boolean, from: number, to: number): number | undefined {
  for (let version = from; version <= to; version++) if (condition(version)) return version
  return undefined
}
