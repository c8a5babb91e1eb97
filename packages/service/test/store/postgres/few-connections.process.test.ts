// A PostgreSQL that allows fewer connections than configured: servers work with the connections that are open.

import { expect, test } from 'bun:test'
import { Forwarder } from '../../../../../test/support/forwarder.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { PgBouncer, pgbouncerVersion } from '../../../../../test/support/pgbouncer.ts'
import { databaseOf, sharedCluster } from '../../../../../test/support/postgres.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { QUIET_MS } from '../../../src/store/postgres/connect/primary.ts'

const SERVERS = 3
const ROUNDS = 5
const cluster = await sharedCluster()

/** Why concurrent calls on each store failed, in several rounds. */
async function failuresOf(stores: readonly Store[], by: bigint): Promise<unknown[]> {
  const failures: unknown[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const calls = stores.flatMap((store) => [
      store.ping(),
      // More calls than connections, but few enough for a slow machine to serve in time.
      ...Array.from({ length: 6 }, (_, n) => store.listPets(petFilter({ limit: n + 1 }))),
      ...Array.from({ length: 2 }, () => store.createPet(newPet(), by)),
    ])
    for (const result of await Promise.allSettled(calls))
      if (result.status === 'rejected') failures.push(result.reason.cause?.message ?? result.reason)
  }
  return failures
}

/** The address of an empty database that a new role with these options owns. */
async function databaseWithRole(options = ''): Promise<{ address: string; role: string }> {
  const address = await cluster.newDatabase()
  const name = databaseOf(address)
  const role = `role_of_${name}`
  await cluster.run(`CREATE ROLE ${role} LOGIN ${options}; ALTER DATABASE ${name} OWNER TO ${role}`)
  return { address: address.replace('postgres@', `${role}@`), role }
}

test('three servers whose role is limited to 12 connections refuse no call', async () => {
  const { address } = await databaseWithRole('CONNECTION LIMIT 12')
  const stores: Store[] = []
  for (let n = 0; n < SERVERS; n++) stores.push(await openStore(address, { now: Date.now }))
  const { id: by } = await (stores[0] as Store).createKey(newKey())
  expect(await failuresOf(stores, by)).toEqual([])
  await Promise.all(stores.map((store) => store.close()))
})

test('a server whose role can no longer log in keeps serving with its open connections', async () => {
  const { address, role } = await databaseWithRole()
  const store = await openStore(address.replace('@', '@127.0.0.1:1,'), { now: Date.now })
  const { id: by } = await store.createKey(newKey())
  await cluster.run(`ALTER ROLE ${role} NOLOGIN`)
  expect(await failuresOf([store], by)).toEqual([])
  expect(store.pool?.().failures).toBeGreaterThan(0)
  // Now the server checks all hosts again.
  await Bun.sleep(QUIET_MS + 100)
  await store.ping()
  await store.close()
})

test.skipIf(!pgbouncerVersion)(
  `a server works with the connections that PgBouncer's max_client_conn allows${pgbouncerVersion ? '' : ' (not installed)'}`,
  async () => {
    const pooler = await PgBouncer.start(cluster.port, undefined, 'max_client_conn = 4')
    const store = await openStore(pooler.through(await cluster.newDatabase()), { now: Date.now })
    const { id: by } = await store.createKey(newKey())
    expect(await failuresOf([store], by)).toEqual([])
    expect(store.pool?.().failures).toBeGreaterThan(0)
    await store.close()
    await pooler.stop()
  },
)

test('a server drops a host that refuses connections because nothing listens there', async () => {
  const proxy = await Forwarder.start(cluster.port)
  const store = await openStore((await cluster.newStore()).replace(/:[0-9]+\//, `:${proxy.port}/`), { now: Date.now })
  proxy.refuse()
  const lists = Array.from({ length: 8 }, (_, n) => store.listPets(petFilter({ limit: n + 1 })))
  await Promise.allSettled(lists)
  expect(await rejectionOf(store.listPets(petFilter({ limit: 1 })))).toMatchObject({ code: 'unavailable' })
  await store.close()
  proxy.stop()
})
