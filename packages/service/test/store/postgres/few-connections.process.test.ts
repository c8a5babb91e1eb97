// Servers on a PostgreSQL that gives them fewer connections than they want: they serve with those that they have.

import { describe, expect, test } from 'bun:test'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { sharedCluster } from '../../../../../test/support/postgres.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openStore } from '../../../src/store/kinds.ts'

const SERVERS = 3
const ROUNDS = 5
const cluster = await sharedCluster()

describe('three servers whose role is limited', () => {
  test.each([20, 12])('to %p connections refuse nothing', async (limit) => {
    const address = await cluster.newDatabase()
    const [role, name] = [`limited${limit}`, new URL(address).pathname.slice(1)]
    await cluster.asAdmin((sql) =>
      sql.unsafe(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${limit}; ALTER DATABASE ${name} OWNER TO ${role}`),
    )
    const stores: Store[] = []
    for (let n = 0; n < SERVERS; n++) {
      stores.push(await openStore(address.replace('postgres@', `${role}@`), { now: Date.now }))
    }
    const { id: by } = await (stores[0] as Store).createKey(newKey())
    const failures: unknown[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const calls = stores.flatMap((store) => [
        ...Array.from({ length: 16 }, (_, n) => store.listPets(petFilter({ limit: n + 1 }))),
        ...Array.from({ length: 4 }, () => store.createPet(newPet(), by)),
      ])
      for (const result of await Promise.allSettled(calls))
        if (result.status === 'rejected') failures.push(result.reason.cause?.message ?? result.reason)
    }
    expect(failures).toEqual([])
    await Promise.all(stores.map((store) => store.close()))
  })
})
