// The service's Prometheus metrics; process-metrics.ts has the process's. The service measures only if
// PETSTORE_ADMIN_PORT is set.

import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DeprecatedCalls } from '../domain/keys.ts'
import type { Inventory, OrderStatus, OrderStore, Transition } from '../domain/orders.ts'
import type { PetStore } from '../domain/pets.ts'
import type { Store } from '../domain/store.ts'
import { atMost, monotonicMs } from '../system/runtime.ts'
import { measureProcess, orNothing } from './process-metrics.ts'
import { counter, gauge, Histogram } from './prometheus.ts'

/** Called for each scrape. */
export interface Watched {
  pool?: Store['pool'] | undefined
  lockWaitSeconds?: Store['lockWaitSeconds'] | undefined
  /** The path of a store that is a file. */
  file?: string | undefined
  /** How long a periodic backup has been overdue. */
  backupOverdue?: (() => number) | undefined
  /** Requests without a response, not counting readers that wait for events. */
  inFlight?: (() => number) | undefined
  /** Since the start. */
  deprecatedCalls?: (() => Iterable<DeprecatedCalls>) | undefined
  /** Requests with an invalid key since the start. */
  invalidKeys?: () => number
  /** Readers that wait for events, and the number of events sent. */
  feed?: { readonly waiting: number; readonly sent: number }
}

const NO_POOL = { size: 0, busy: 0, waiting: 0, failures: 0, changes: {} as Readonly<Record<string, number>> }

/** The store methods that serve requests. A missing one does not compile. */
type Measured = Omit<PetStore & OrderStore, 'expireOrders' | 'orderJson'> & Pick<Store, 'listEvents' | 'findKey'>
type Method = (...all: unknown[]) => Promise<unknown>
// biome-ignore format: a list of names
const MEASURED: Record<keyof Measured, true> = {
  listPets: true, countPets: true, createPet: true, getPet: true, updatePet: true, deletePet: true,
  listOrders: true, placeOrder: true, getOrder: true, updateOrder: true, completeOrder: true,
  cancelOrder: true, returnOrder: true, getInventory: true, listEvents: true, findKey: true,
}

const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const READ_MS = 1_000
/** Tests wait for these metrics. */
export const IN_FLIGHT = 'petstore_requests_in_flight'
export const WAITING_READERS = 'petstore_waiting_readers'
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256]
const NO_ORDERS = { pending: 0, completed: 0, cancelled: 0, expired: 0, returned: 0 }

export class Metrics {
  private readonly processText = measureProcess()
  private readonly requests = new Histogram(
    'petstore_request_duration_seconds',
    'Time from the headers of a request to its response, by operation and status.',
    SECONDS,
    'operation',
    'status',
  )
  private readonly stores = new Histogram(
    'petstore_store_duration_seconds',
    'Time of a call of the store, by call and outcome (ok or failed).',
    SECONDS,
    'call',
    'outcome',
  )
  private readonly commits = new Histogram('petstore_commit_duration_seconds', 'Time of a synced commit.', SECONDS)
  private readonly sizes = new Histogram('petstore_commit_changes', 'Changes that were committed together.', SIZES)
  private readonly commit = { size: this.sizes.series(), seconds: this.commits.series() }
  private readonly watched: Watched = {}
  private readonly statuses: Record<OrderStatus, number> = { ...NO_ORDERS }
  private readInventory = async (): Promise<Inventory | undefined> => undefined

  /** Counts one response. `operation` is an operationId, or the path of a route outside the contract. */
  request(operation: string, status: number, seconds: number): void {
    this.requests.series(operation, status).observe(seconds)
  }

  /** Counts one group commit. */
  readonly batch = (size: number, seconds: number): void => {
    this.commit.size.observe(size)
    this.commit.seconds.observe(seconds)
  }

  transitions(transitions: readonly Transition[]): void {
    for (const { status } of transitions) this.statuses[status]++
  }

  /** Adds values to report. */
  watch(more: Watched): void {
    Object.assign(this.watched, more)
  }

  /** Wraps the store to measure its calls, and reads its inventory for each report. */
  timed(store: Store): Store {
    this.readInventory = store.getInventory
    const measured = Object.keys(MEASURED).map((name) => [name, this.call(name, store[name as keyof Measured])])
    return { ...store, ...Object.fromEntries(measured) }
  }

  private call(name: string, call: Measured[keyof Measured]): Method {
    const method = call as Method
    const [ok, failed] = [this.stores.series(name, 'ok'), this.stores.series(name, 'failed')]
    return async (...all) => {
      const startedAt = monotonicMs()
      let outcome = failed
      try {
        const result = await method(...all)
        outcome = ok
        return result
      } finally {
        outcome.observe((monotonicMs() - startedAt) / 1000)
      }
    }
  }

  /**
   * Returns all metrics in Prometheus' text format. Leaves out the inventory and lock waits if the store does not
   * answer within a second.
   */
  async text(): Promise<string> {
    const { pool, lockWaitSeconds, file, backupOverdue, inFlight, deprecatedCalls, invalidKeys, feed } = this.watched
    const inTime = <Value>(reading: Promise<Value>) =>
      atMost(
        reading.catch(() => undefined),
        READ_MS,
      )
    const [inventory, lockWait] = await Promise.all([
      inTime(this.readInventory()),
      inTime(lockWaitSeconds?.() ?? Promise.resolve(0)),
    ])
    const { size, busy, waiting, failures, changes } = pool?.() ?? NO_POOL
    const byReason = Object.entries(changes).map(([reason, value]) => ({ labels: { reason }, value }))
    const deprecated = Iterator.from(deprecatedCalls?.() ?? []).map(({ operationId, keyId, calls }) => {
      return { labels: { operation: operationId, key_id: String(keyId) }, value: calls }
    })
    const byStatus = Object.entries(this.statuses).map(([status, value]) => ({ labels: { status }, value }))
    const pets = Object.entries(inventory ?? {}).map(([status, pets]) => ({ labels: { status }, value: Number(pets) }))
    const inFlightHelp = 'Requests without a response, not counting requests that wait for events.'
    const transitionsHelp = 'Orders that this server moved to each status, without repeated requests.'
    return [
      ...[this.requests, this.stores, this.commits, this.sizes].map((histogram) => histogram.text()),
      counter('petstore_deprecated_calls_total', 'Calls of deprecated operations, by API key id.', deprecated),
      counter('petstore_invalid_keys_total', 'Requests with an invalid API key.', invalidKeys?.() ?? 0),
      gauge('petstore_pool_size', 'Connections to PostgreSQL that answer reads.', size),
      gauge('petstore_pool_busy', 'Connections of the pool in use.', busy),
      gauge('petstore_pool_waiting', 'Store calls that wait for a free connection.', waiting),
      counter('petstore_pool_failures_total', 'Attempts to open a connection to PostgreSQL that failed.', failures),
      counter('petstore_primary_changes_total', 'Changes of the primary of PostgreSQL, by reason.', byReason),
      gauge('petstore_lock_wait_seconds', 'The longest current wait for a lock in PostgreSQL.', lockWait ?? []),
      counter('petstore_order_transitions_total', transitionsHelp, byStatus),
      gauge('petstore_pets', 'Pets of the store, by status.', pets),
      gauge(IN_FLIGHT, inFlightHelp, inFlight?.() ?? 0),
      gauge(WAITING_READERS, 'Requests that wait for events.', feed?.waiting ?? 0),
      counter('petstore_events_sent_total', 'Events that were sent.', feed?.sent ?? 0),
      ...(file ? orNothing(() => fileTexts(file)) : []),
      backupOverdue
        ? gauge('petstore_backup_overdue_seconds', 'How long a periodic backup has been overdue.', backupOverdue())
        : '',
      this.processText(),
    ].join('')
  }
}

function fileTexts(path: string): string[] {
  const { bavail, blocks, bsize } = statfsSync(dirname(path))
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return [
    gauge('petstore_disk_free_bytes', "Free space of the file system of the store's file.", bavail * bsize),
    gauge('petstore_disk_size_bytes', "Size of the file system of the store's file.", blocks * bsize),
    gauge('petstore_log_bytes', "Size of the write-ahead log (-wal) of the store's file.", logBytes),
  ]
}
