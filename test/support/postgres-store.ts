// A new PostgreSQL store with one key.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../packages/service/src/store/kinds.ts'
import { newKey } from './keys.ts'
import { newPet } from './pets.ts'
import { databaseOf, sharedCluster } from './postgres.ts'
import { root } from './process.ts'

export const cluster = await sharedCluster()
export const PET = newPet()
export const now = () => 1_234

/** `name` is the database's name. */
export async function storeWithKey() {
  const address = await cluster.newStore()
  const store = await openStore(address, { now })
  const { id } = await store.createKey(newKey())
  return { address, store, by: id, name: databaseOf(address) }
}

/** Creates a role with only the rights in docs/postgresql.md, and returns its address. */
export async function withRightsOfServer(address: string): Promise<string> {
  const role = `server_of_${databaseOf(address)}`
  const documented = readFileSync(join(root, 'docs/postgresql.md'), 'utf8')
  const grants = documented.match(/^GRANT (?!CONNECT).* TO petstore;$/gm) ?? []
  await cluster.run(
    `CREATE ROLE ${role} LOGIN; ${grants.join('').replaceAll(' TO petstore;', ` TO ${role};`)}`,
    address,
  )
  return address.replace('postgres@', `${role}@`)
}
