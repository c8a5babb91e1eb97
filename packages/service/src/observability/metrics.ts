// The metrics for Prometheus, except those of the process. They are measured only with PETSTORE_ADMIN_PORT, so that they cost nothing
// without it.

import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { KeyId } from '../domain/keys.ts'
import type { Inventory, OrderStatus, OrderStore, Transition } from '../domain/orders.ts'
import type { PetStore } from '../domain/pets.ts'
import type { Store } from '../domain/store.ts'
import { Histogram } from './histogram.ts'
import { measureProcess } from './process-metrics.ts'
import { counter, gauge, textFormat } from './text-format.ts'

export interface Metrics {
  /** One response; `operation` is an operationId, or the path where there is no operation. */
  request(operation: string, status: number, seconds: number): void
  /** One commit of changes that arrived together. */
  batch(size: number, seconds: number): void
  deprecatedCall(operation: string, key: KeyId): void
  transitions(transitions: readonly Transition[]): void
  /** Wraps the store so that its calls and its inventory are measured. */
  timed(store: Store): Store
  /** From now on these are in the text, too. */
  watch(more: Watched): void
  /** In Prometheus' text format. Without the inventory when the store does not give it within a second. */
  text(): Promise<string>
}

/** Called for each scrape. */
export interface Watched {
  /** The connections of a store that has a pool. */
  pool?: Store['pool'] | undefined
  /** The path of a store that is a file. */
  file?: string | undefined
  /** For how long a periodic backup has been due, in seconds. */
  backupOverdue?: (() => number) | undefined
  /** The requests that have arrived and have no response yet, except those that wait for events. */
  inFlight?: (() => number) | undefined
  /** The readers that wait for events, and how many events were sent. */
  feed?: { readonly waiting: number; readonly sent: number }
}

/** The calls for requests: one that is left out does not compile. */
type Measured = Omit<PetStore & OrderStore, 'expireOrders'> & Pick<Store, 'listEvents' | 'findKey'>

const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const INVENTORY_MS = 1_000
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256]

export function createMetrics(): Metrics {
  const processText = measureProcess()
  const requests = new Histogram({
    name: 'petstore_request_duration_seconds',
    help: 'Time from the head of a request to its response, by operation and status.',
    labels: ['operation', 'status'],
    bounds: SECONDS,
  })
  const stores = new Histogram({
    name: 'petstore_store_duration_seconds',
    help: 'Time of a call of the store, by call and outcome (ok or failed).',
    labels: ['call', 'outcome'],
    bounds: SECONDS,
  })
  const commits = new Histogram({
    name: 'petstore_commit_duration_seconds',
    help: 'Time of one commit of new pets and of orders, with the sync to disk.',
    labels: [],
    bounds: SECONDS,
  })
  const sizes = new Histogram({
    name: 'petstore_commit_changes',
    help: 'Pets that were added, and changes of orders, that were committed together.',
    labels: [],
    bounds: SIZES,
  })
  const commit = { size: sizes.series(), seconds: commits.series() }

  const deprecatedCalls = new Map<string, { operation: string; key_id: string; calls: number }>()
  const watched: Watched = {}
  const transitions: Record<OrderStatus, number> = { pending: 0, completed: 0, cancelled: 0, expired: 0, returned: 0 }
  let readInventory = async (): Promise<Inventory | undefined> => undefined

  function timed<Arguments extends unknown[], Result>(
    call: string,
    method: (...all: Arguments) => Promise<Result>,
  ): (...all: Arguments) => Promise<Result> {
    const [ok, failed] = [stores.series(call, 'ok'), stores.series(call, 'failed')]
    return async (...all) => {
      const startedAt = performance.now()
      try {
        const result = await method(...all)
        ok.observe((performance.now() - startedAt) / 1000)
        return result
      } catch (error) {
        failed.observe((performance.now() - startedAt) / 1000)
        throw error
      }
    }
  }

  return {
    request: (operation, status, seconds) => requests.series(operation, status).observe(seconds),
    batch(size, seconds) {
      commit.size.observe(size)
      commit.seconds.observe(seconds)
    },
    transitions(all) {
      for (const { status } of all) transitions[status]++
    },
    deprecatedCall(operation, key) {
      const labels = `${operation} ${key}`
      const counter = deprecatedCalls.get(labels) ?? { operation, key_id: String(key), calls: 0 }
      counter.calls++
      deprecatedCalls.set(labels, counter)
    },
    timed(store) {
      readInventory = store.getInventory
      const measured: Measured = {
        listPets: timed('listPets', store.listPets),
        createPet: timed('createPet', store.createPet),
        getPet: timed('getPet', store.getPet),
        updatePet: timed('updatePet', store.updatePet),
        deletePet: timed('deletePet', store.deletePet),
        listOrders: timed('listOrders', store.listOrders),
        placeOrder: timed('placeOrder', store.placeOrder),
        getOrder: timed('getOrder', store.getOrder),
        updateOrder: timed('updateOrder', store.updateOrder),
        completeOrder: timed('completeOrder', store.completeOrder),
        cancelOrder: timed('cancelOrder', store.cancelOrder),
        returnOrder: timed('returnOrder', store.returnOrder),
        getInventory: timed('getInventory', store.getInventory),
        listEvents: timed('listEvents', store.listEvents),
        findKey: timed('findKey', store.findKey),
      }
      return { ...store, ...measured }
    },
    watch(more) {
      Object.assign(watched, more)
    },
    async text() {
      const { pool, file, backupOverdue, inFlight, feed } = watched
      const inventory = await Promise.race([readInventory().catch(() => undefined), Bun.sleep(INVENTORY_MS)])
      return [
        ...[requests, stores, commits, sizes].map((histogram) => histogram.text()),
        deprecatedText(deprecatedCalls.values()),
        ...poolTexts(pool?.() ?? { size: 0, busy: 0, waiting: 0 }),
        textFormat(
          {
            name: 'petstore_order_transitions_total',
            help: 'Orders that this server has brought into each status. Repeated requests are not counted.',
            type: 'counter',
          },
          Object.entries(transitions).map(([status, value]) => ({ labels: { status }, value })),
        ),
        textFormat(
          { name: 'petstore_pets', help: 'Pets of the store, by status.', type: 'gauge' },
          Object.entries(inventory ?? {}).map(([status, pets]) => ({ labels: { status }, value: Number(pets) })),
        ),
        gauge(
          'petstore_requests_in_flight',
          'Requests that have arrived and have no response yet, except those that wait for events.',
          inFlight?.() ?? 0,
        ),
        gauge('petstore_waiting_readers', 'Requests that wait for events.', feed?.waiting ?? 0),
        counter('petstore_events_sent_total', 'Events that were sent.', feed?.sent ?? 0),
        ...(file ? fileTexts(file) : []),
        backupOverdue
          ? gauge('petstore_backup_overdue_seconds', 'How long a periodic backup has been due.', backupOverdue())
          : '',
        processText(),
      ].join('')
    },
  }
}

function deprecatedText(counters: Iterable<{ operation: string; key_id: string; calls: number }>): string {
  return textFormat(
    {
      name: 'petstore_deprecated_calls_total',
      help: 'Calls of deprecated operations, by the id of the API key.',
      type: 'counter',
    },
    Iterator.from(counters).map(({ operation, key_id, calls }) => ({ labels: { operation, key_id }, value: calls })),
  )
}

function fileTexts(path: string): string[] {
  const { bavail, blocks, bsize } = statfsSync(dirname(path))
  const logBytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return [
    gauge('petstore_disk_free_bytes', "What is left of the file system of the store's file.", bavail * bsize),
    gauge('petstore_disk_size_bytes', "The size of the file system of the store's file.", blocks * bsize),
    gauge('petstore_log_bytes', "The size of the log beside the store's file.", logBytes),
  ]
}

function poolTexts({ size, busy, waiting }: ReturnType<NonNullable<Store['pool']>>): string[] {
  return [
    gauge('petstore_pool_size', 'Connections to PostgreSQL that answer reads.', size),
    gauge('petstore_pool_busy', 'Connections of the pool in use.', busy),
    gauge('petstore_pool_waiting', 'Calls of the store that wait for a free connection.', waiting),
  ]
}
