// Changes that arrive together are one commit, on both stores: what group-commit.ts promises is what the stores make use of.

import { afterAll, expect, test } from 'bun:test'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { sharedCluster } from '../../../../test/support/postgres.ts'
import type { Store } from '../../src/domain/store.ts'
import { openStore } from '../../src/store/kinds.ts'

const COUNT = 30

const cluster = await sharedCluster()
const STORES: Record<string, () => string | Promise<string>> = {
  SQLite: () => temporaryFile('petstore.db'),
  PostgreSQL: () => cluster.newStore(),
}
const open: Store[] = []
afterAll(() => Promise.all(open.map((store) => store.close())))

test.each(Object.keys(STORES))(
  'on %s, creates, orders and corrections that arrive together are one commit each',
  async (kind) => {
    const address = (await STORES[kind]?.()) as string
    const batches: number[] = []
    const store = await openStore(address, { now: Date.now, onBatch: (size) => batches.push(size) })
    open.push(store)
    const { id: by } = await store.createKey(newKey())
    const ids = Array.from({ length: COUNT }, (_, n) => BigInt(n + 1))
    const changes: [what: string, change: (id: bigint) => Promise<unknown>][] = [
      ['creates', () => store.createPet(newPet(), by)],
      ['corrections', (id) => store.updatePet(id, { name: `Luna ${id}` }, by)],
      ['orders', (petId) => store.placeOrder({ petId }, by)],
      ['changed orders', (id) => store.updateOrder(id, { reference: `till ${id}` }, by)],
      ['sales', (id) => store.completeOrder(id, by)],
      ['returns', (id) => store.returnOrder(id, by)],
    ]
    for (const [what, change] of changes) {
      batches.length = 0
      await Promise.all(ids.map(change))
      expect({ what, batches }).toEqual({ what, batches: [COUNT] })
    }
  },
)
