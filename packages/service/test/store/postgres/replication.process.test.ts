// Synchronous replication with a real primary and standby: what a server acknowledges and returns while commits do
// not reach the standby, and that it detects standbys behind poolers.

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Sql } from 'postgres'
import { Forwarder } from '../../../../../test/support/forwarder.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet, petsOf } from '../../../../../test/support/pets.ts'
import { Cluster } from '../../../../../test/support/postgres.ts'
import { outcomeOf, rejectionOf } from '../../../../../test/support/rejection.ts'
import { until } from '../../../../../test/support/until.ts'
import { PetstoreError } from '../../../src/domain/petstore-error.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { MAY_BE_CHANGED } from '../../../src/store/postgres/write/commits.ts'

const PET = newPet({ status: 'available' })

let primary: Cluster
let standby: Cluster
const open: Store[] = []

beforeAll(async () => {
  // A weaker mode, which the service overrides, without notices about cancelled waits.
  primary = await Cluster.start({ synchronous_commit: 'local', client_min_messages: 'error' })
  await primary.run(`CREATE DATABASE petstore`)
  standby = await primary.startStandby('standby')
  await primary.setSynchronous(true)
})

afterEach(async () => {
  standby.receive()
  await closeStores()
})

afterAll(async () => {
  await primary.remove()
  await standby.remove()
})

async function closeStores(): Promise<void> {
  await Promise.all(open.splice(0).map((store) => store.close()))
}

async function openPetstore(port = primary.port): Promise<Store> {
  const store = await openStore(`postgres://postgres@127.0.0.1:${port}/petstore`, { now: Date.now })
  open.push(store)
  return store
}

async function storeWithKey(port?: number) {
  const store = await openPetstore(port)
  const { id: by } = await store.createKey(newKey())
  return { store, by }
}

/** Resolves with the first result. */
async function eventually<Result>(ask: () => Promise<Result>): Promise<Result> {
  const asking = () =>
    ask().then(
      (result) => ({ result }),
      () => undefined,
    )
  return (await until('the call succeeds', asking, { everyMs: 50 })).result
}

function unlessNotFound(error: unknown): void {
  if (!(error instanceof PetstoreError) || error.code !== 'not_found') throw error
}

/** Changes that have no effect when they are repeated. The repeated deletion is rejected with `not_found`. */
const CHANGES: [
  what: string,
  change: (store: Store, by: bigint, petId: bigint, orderId: bigint) => Promise<unknown>,
][] = [
  ['a create with an Idempotency-Key', (store, by, petId) => store.createPet(PET, by, `key ${petId}`)],
  ['a completion', (store, by, _, id) => store.completeOrder(id, by)],
  ['a deletion', (store, by, petId) => store.deletePet(petId, by).catch(unlessNotFound)],
]

test.each(CHANGES)(
  'after %s whose wait for the standby was cancelled, a retry is acknowledged only once the standby has the change',
  async (_, change) => {
    const { store, by } = await storeWithKey()
    const other = await openPetstore()
    const [free, held] = await Promise.all([store.createPet(PET, by), store.createPet(PET, by)])
    const { value: order } = await store.placeOrder({ petId: held.value.id }, by)
    const repeat = (server: Store) => change(server, by, free.value.id, order.id)
    await standby.stopReceiving()
    const first = rejectionOf(repeat(store))
    const backend = await primary.waitingBackend(first)
    await primary.run(`SELECT pg_cancel_backend(${backend})`)
    expect((await first).message).toBe(MAY_BE_CHANGED)

    // Only the primary has the change. A retry changes nothing, but still waits for the standby.
    for (const server of [other, store]) expect(await outcomeOf(repeat(server))).toBe('unavailable')
    // The server that knows of the cancelled wait returns no lists either. The other server does.
    expect(await outcomeOf(store.listPets(petFilter({ limit: 1 })))).toBe('unavailable')
    expect(await outcomeOf(other.listPets(petFilter({ limit: 1 })))).toBe('answered')

    standby.receive()
    for (const server of [store, other]) await eventually(() => repeat(server))
    const rows = (sql: Sql) =>
      sql`SELECT name, pets.status, orders.status AS ordered FROM pets LEFT JOIN orders ON pet_id = pets.id
          WHERE pets.id >= ${String(free.value.id)} ORDER BY pets.id`
    const there = await standby.asAdmin(async (sql) => Array.from(await rows(sql)), 'petstore')
    expect(there).toEqual(await primary.asAdmin(async (sql) => Array.from(await rows(sql)), 'petstore'))
  },
)

test('after a crash of the primary, commits that the standby lacks are neither returned nor acknowledged', async () => {
  const { store, by } = await storeWithKey()
  const last = (await store.createPet(PET, by)).value.id
  const key = crypto.randomUUID()
  await standby.stopReceiving()
  const creating = outcomeOf(store.createPet(PET, by, key))
  // PostgreSQL restarts when a backend is killed, and recovers what was on its disk.
  process.kill(await primary.waitingBackend(creating), 'SIGKILL')
  expect(await creating).toBe('unavailable')
  const recovered = () => primary.run(`SELECT FROM pets WHERE id > ${String(last)}`, 'petstore')
  expect((await eventually(recovered)).length).toBe(1)

  for (let attempt = 0; attempt < 5; attempt++) {
    expect(await outcomeOf(store.listPets(petFilter({ limit: 1, after: last })))).toBe('unavailable')
    expect(await outcomeOf(store.getPet(last + 1n))).toBe('unavailable')
    expect(await outcomeOf(store.createPet(PET, by, key))).toBe('unavailable')
    await Bun.sleep(50)
  }
  // At most one commit waits for the standby, regardless of the number of attempts.
  const waiting = await primary.run(`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
  expect(waiting.length).toBe(1)

  standby.receive()
  expect((await eventually(() => store.createPet(PET, by, key))).replayed).toBe(true)
  expect(petsOf(await store.listPets(petFilter({ limit: 9, after: last }))).length).toBe(1)
})

test('while the standby receives nothing, lists work, each server has at most one waiting commit, and no server starts', async () => {
  const { store, by } = await storeWithKey()
  await standby.stopReceiving()
  for (let attempt = 0; attempt < 5; attempt++) {
    expect(await outcomeOf(store.createPet(PET, by))).toBe('unavailable')
    expect(await outcomeOf(store.revokeKey(by))).toBe('unavailable')
    expect(
      await outcomeOf(store.countDeprecatedCalls([{ keyId: by, operationId: 'getPet', calls: 1, lastAt: 1 }])),
    ).toBe('answered')
    expect(await outcomeOf(store.listPets(petFilter({ limit: 1 })))).toBe('answered')
  }
  const waiting = async () => (await primary.run(`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)).length
  expect(await waiting()).toBe(1)
  // A starting server does not know which commits are replicated.
  expect((await rejectionOf(openPetstore())).message).toMatch(/a commit waits for a synchronous standby/)
  // The commit of the starting server waits, too. Although it waited longer than for a lost response, no connection was
  // closed.
  expect(await waiting()).toBe(2)
  expect(await outcomeOf(store.listPets(petFilter({ limit: 1 })))).toBe('answered')
  standby.receive()
  await eventually(() => store.createPet(PET, by))
})

test('a connection to a standby returns no stale response', async () => {
  const pooler = await Forwarder.start(primary.port)
  const { store, by } = await storeWithKey(pooler.port)
  const last = (await store.createPet(PET, by)).value.id
  await standby.run(`SELECT pg_wal_replay_pause()`)
  try {
    const { id } = (await (await openPetstore()).createPet(PET, by)).value
    // As after a switchover behind a pooler: new connections lead to a standby.
    pooler.target = standby.port
    const lists = Array.from({ length: 30 }, (_, n) => store.listPets(petFilter({ limit: n + 1, after: last })))
    for (const settled of await Promise.allSettled(lists)) {
      if (settled.status === 'fulfilled') expect(petsOf(settled.value)[0]?.id).toBe(id)
      else expect(settled.reason.code).toBe('unavailable')
    }
    // If the lists were slow to connect, one connection to the primary is still open.
    pooler.cut()
    for (const call of [store.getPet(id), store.findKey('x' as never), store.listKeys(), store.ping()]) {
      expect(await outcomeOf(call)).toBe('unavailable')
    }
  } finally {
    await standby.run(`SELECT pg_wal_replay_resume()`)
    await closeStores()
    pooler.stop()
  }
})

test('uses the host that accepts writes, and rejects standbys alone', async () => {
  const addressOf = (...ports: number[]) =>
    `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/petstore`
  const store = await openStore(addressOf(1, standby.port, primary.port), { now: Date.now })
  await store.createKey(newKey())
  await store.close()
  // The primary of the second address is down.
  for (const ports of [[standby.port], [1, standby.port]]) {
    const refused = await rejectionOf(openStore(addressOf(...ports), { now: Date.now }))
    expect(refused.message).toMatch(/all that respond are standbys.*Add the primary.*or try again/)
  }
})
