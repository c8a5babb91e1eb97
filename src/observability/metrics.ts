// What is counted and timed, for Prometheus. Only recorded where an operator has asked for it (PETSTORE_ADMIN_PORT):
// without it nothing is measured and nothing is paid. Every name and meaning stands in this file.

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { KeyId, KeyStore } from '../domain/keys.ts'
import type { PetStore } from '../domain/pets.ts'
import { Histogram } from './histogram.ts'

export interface Metrics {
  /** One answer; `operation` is an operationId, or the path of what is no operation. */
  request(operation: string, status: number, seconds: number): void
  /** One commit of creates that arrived together. */
  batch(size: number, seconds: number): void
  deprecatedCall(operation: string, key: KeyId): void
  /** The same store, each of its calls timed. */
  timed<Store extends PetStore & KeyStore>(store: Store): Store
  /** The store's connections, where it has a pool of them. */
  watchPool(state: () => { size: number; busy: number; waiting: number }): void
  /** Requests that have arrived and are not answered yet. */
  watchInFlight(count: () => number): void
  /** All of it in Prometheus' text format. */
  text(): Promise<string>
  readonly contentType: string
}

const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256]

export function createMetrics(): Metrics {
  const registers = [new Registry()]
  const [registry] = registers as [Registry]
  collectDefaultMetrics({ register: registry })

  const requests = new Histogram({
    name: 'petstore_request_duration_seconds',
    help: 'From the head of a request to its answer, by operation and status.',
    labels: ['operation', 'status'],
    bounds: SECONDS,
  })
  const stores = new Histogram({
    name: 'petstore_store_duration_seconds',
    help: 'From asking the store to its answer, by call and outcome (ok or failed).',
    labels: ['call', 'outcome'],
    bounds: SECONDS,
  })
  const commits = new Histogram({
    name: 'petstore_commit_duration_seconds',
    help: 'Of one commit of creates, the sync to disk included.',
    labels: [],
    bounds: SECONDS,
  })
  const sizes = new Histogram({
    name: 'petstore_commit_creates',
    help: 'Creates that were committed together.',
    labels: [],
    bounds: SIZES,
  })
  const commit = { size: sizes.series(), seconds: commits.series() }

  const deprecatedCalls = new Map<string, number>()
  new Counter({
    name: 'petstore_deprecated_calls_total',
    help: 'Calls of deprecated operations, by the id of the key.',
    labelNames: ['operation', 'key_id'],
    registers,
    collect() {
      this.reset()
      for (const [name, calls] of deprecatedCalls) {
        const [operation = '', key_id = ''] = name.split(' ')
        this.inc({ operation, key_id }, calls)
      }
    },
  })

  // Nothing of it on the embedded store: then all of them are 0.
  let pool = () => ({ size: 0, busy: 0, waiting: 0 })
  const ofPool = {
    size: 'Connections to PostgreSQL that answer reads.',
    busy: 'Connections of the pool in use.',
    waiting: 'Calls of the store for which no connection is free.',
  }
  for (const [what, help] of Object.entries(ofPool)) {
    new Gauge({
      name: `petstore_pool_${what}`,
      help,
      registers,
      collect() {
        this.set(pool()[what as keyof typeof ofPool])
      },
    })
  }

  function timed<Arguments extends unknown[], Result>(
    call: string,
    ask: (...all: Arguments) => Promise<Result>,
  ): (...all: Arguments) => Promise<Result> {
    const [ok, failed] = [stores.series(call, 'ok'), stores.series(call, 'failed')]
    return async (...all) => {
      const startedAt = performance.now()
      try {
        const result = await ask(...all)
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
    deprecatedCall(operation, key) {
      const name = `${operation} ${key}`
      deprecatedCalls.set(name, (deprecatedCalls.get(name) ?? 0) + 1)
    },
    timed: (store) => ({
      ...store,
      listPets: timed('listPets', store.listPets),
      createPet: timed('createPet', store.createPet),
      getPet: timed('getPet', store.getPet),
      findKey: timed('findKey', store.findKey),
    }),
    watchInFlight(count) {
      new Gauge({
        name: 'petstore_requests_in_flight',
        help: 'Requests that have arrived and are not answered yet.',
        registers,
        collect() {
          this.set(count())
        },
      })
    },
    watchPool(state) {
      pool = state
    },
    text: async () =>
      [...[requests, stores, commits, sizes].map((one) => one.text()), await registry.metrics()].join(''),
    contentType: registry.contentType,
  }
}
