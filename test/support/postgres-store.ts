// A new PostgreSQL store with one key.

import { openStore } from '../../packages/service/src/store/kinds.ts'
import { newKey } from './keys.ts'
import { newPet } from './pets.ts'
import { databaseOf, sharedCluster } from './postgres.ts'

export const cluster = await sharedCluster()
export const PET = newPet()
export const now = () => 1_234

/** `name` is that of the database. */
export async function storeWithKey() {
  const address = await cluster.newStore()
  const store = await openStore(address, { now })
  const { id } = await store.createKey(newKey())
  return { address, store, by: id, name: databaseOf(address) }
}
