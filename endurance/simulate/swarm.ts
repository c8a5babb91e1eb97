// Draws what exists in a simulated run. Each run has only a few operations, filters, keys, sorts and failures, because equal requests hardly
// ever meet if every client chooses from everything.

import type { Limits } from '../../packages/service/src/domain/limits.ts'
import { type Choices, FILTERS, OPERATIONS, type Operations, waysOf } from '../history/chooser.ts'
import { LISTS } from '../history/requests.ts'

const CHANGES: Operations = ['add', 'repeat', 'correct', 'remove', 'place', 'move', 'change']
const READS = (Object.keys(OPERATIONS) as unknown as Operations).filter((name) => !CHANGES.includes(name))
/** An order must be placed before one of these can do something. */
const OF_ORDERS: Operations = ['move', 'change', 'firstOrder']
const KEYS = ['first', 'second', 'reader']
/** A place that is never given back shows soon. */
const SMALL = {
  requestsMax: 16,
  readersMax: 2,
  cachedKeysMax: 2,
  cachedCharactersMax: 10_000,
  batchMax: 3,
  idempotencyMs: 10_000,
}
const CLIENTS_MAX = 20
const WAITING_MAX = 3
const FILES_SHARE = 0.3

export interface Swarm<Failure> {
  readonly choices: Choices
  readonly clients: number
  /** How many of the clients wait for events. */
  readonly waiting: number
  /** The number of pets and orders that most requests are about. */
  readonly hot: number
  /** Keys that stay valid, by name. */
  readonly keys: readonly string[]
  /** How many keys are revoked, one after another. */
  readonly leavers: number
  /** The longest pause of a client between two requests. */
  readonly thinkMs: number
  /** The pause of all clients after each failure, which shows what the failure left. */
  readonly afterFailureMs: number
  readonly failures: readonly Failure[]
  readonly limits: Partial<Limits>
  /** How likely the other server runs before a statement, and after it. */
  readonly betweenShare: number
  /** Whether the servers take backups and forward events. That takes time, so the clients have pauses. */
  readonly hasFiles: boolean
  /** Whether clients repeat requests with an Idempotency-Key. */
  readonly repeats: boolean
  /** Whether the servers first migrate a store of the release before. */
  readonly isUpgrade: boolean
}

/** `failures` are the names of all failures. */
export function drawSwarm<Failure>(random: () => number, failures: readonly Failure[]): Swarm<Failure> {
  const pick = <Of>(some: readonly Of[]) => some[Math.floor(random() * some.length)] as Of
  const few = <Of>(some: readonly Of[], least: number, most: number) => {
    const count = least + Math.floor(random() * (most - least + 1))
    return some
      .map((one) => ({ one, rank: random() }))
      .toSorted((one, other) => one.rank - other.rank)
      .slice(0, count)
      .map(({ one }) => one)
  }
  const drawn = [...few(CHANGES, 1, 2), ...few(READS, 1, 2)]
  const operations: Operations = drawn.some((name) => OF_ORDERS.includes(name)) ? [...drawn, 'place'] : drawn
  const clients = 1 + Math.floor(random() * CLIENTS_MAX)
  const hasFiles = random() < FILES_SHARE
  return {
    choices: {
      ways: waysOf(operations),
      lists: few(LISTS, 1, 4),
      filters: pick([[], few(FILTERS, 1, 1), few(FILTERS, 2, 4)]),
      sorts: pick([['oldest'], ['newest'], ['oldest', 'newest']] as const),
      limits: few([1, 3, 10, 100], 1, 2),
      follows: random() < 0.5,
    },
    clients,
    waiting: Math.min(clients - 1, Math.floor(random() * (WAITING_MAX + 1))),
    hot: pick([1, 2, 8]),
    keys: pick([['first'], few(KEYS, 2, 3)]),
    leavers: pick([0, 2, 16]),
    thinkMs: pick(hasFiles ? [100] : [0, 0, 10, 100]),
    afterFailureMs: pick(hasFiles ? [1_500] : [0, 1_500]),
    failures: few(failures, 2, 4),
    hasFiles,
    betweenShare: pick([0.005, 0.01, 0.1]),
    limits: pick([{}, SMALL, SMALL, { ...SMALL, rate: { requests: 20, periodSeconds: 1 } }]),
    repeats: operations.includes('repeat'),
    isUpgrade: random() < 0.1,
  }
}
