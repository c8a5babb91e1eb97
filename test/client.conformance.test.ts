// The store's conformance tests, through the client and a real server: nothing is lost or changed on the way.

import { PetstoreApiError, PetstoreClient } from '../src/client/petstore.ts'
import type { KeyId } from '../src/domain/keys.ts'
import type { PetFilter } from '../src/domain/pets.ts'
import type { Store, StoreOptions } from '../src/domain/store.ts'
import { encodeCursor } from '../src/http/request/cursor.ts'
import { stringifyJson } from '../src/json/json.ts'
import { openStore } from '../src/store/kinds.ts'
import { conformance } from './store.conformance.ts'
import { type Service, startService } from './support/service.ts'

const LIMIT_MAX = 100

conformance('the client', async (options) => overHttp(await openStore(':memory:', options), options))

/**
 * The store whose pets are reached through a server, with one client for each API key. The server starts when it is first
 * needed: its key is then one more in the store. Keys have no operations and stay as they are.
 */
function overHttp(store: Store, { now }: StoreOptions): Store {
  const clients = new Map<KeyId | undefined, Promise<PetstoreClient>>()
  let service: Promise<Service> | undefined

  async function connect(): Promise<PetstoreClient> {
    service ??= startService({ store, now, enforceSunset: false })
    const { url, addKey } = await service
    return new PetstoreClient({ baseUrl: url, apiKey: await addKey(), retries: 0 })
  }
  function client(by?: KeyId): Promise<PetstoreClient> {
    const found = clients.get(by) ?? connect()
    clients.set(by, found)
    return found
  }

  return {
    ...store,
    createPet: async (pet, by, idempotencyKey) => {
      let replayed = false
      const onReplayed = () => {
        replayed = true
      }
      const options = idempotencyKey === undefined ? {} : { idempotencyKey, onReplayed }
      const value = await (await client(by)).createPet(pet, options)
      return { value, replayed }
    },
    getPet: async (id) => (await client()).getPet(id).catch(undefinedWhenNotFound),
    listPets: async (filter) => listAtMost(await client(), filter),
    async close() {
      await (await service)?.stop()
      await store.close()
    },
  }
}

/** As many as asked for, in the pages that the contract allows. */
async function listAtMost(client: PetstoreClient, { limit, status, after }: PetFilter) {
  const pets = []
  let cursor = after === undefined ? undefined : encodeCursor(after)
  do {
    const page = await client.listPage({ limit: Math.min(limit - pets.length, LIMIT_MAX), status, cursor })
    pets.push(...page.pets)
    cursor = page.next
  } while (cursor !== undefined && pets.length < limit)
  return { json: stringifyJson(pets), next: cursor === undefined ? undefined : pets.at(-1)?.id }
}

function undefinedWhenNotFound(error: unknown): undefined {
  if (error instanceof PetstoreApiError && error.code === 'not_found') return undefined
  throw error
}
