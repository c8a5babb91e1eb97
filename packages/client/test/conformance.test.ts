// The stores' conformance tests, through the client and a real server: nothing is lost or changed on the way.

import { type Service, startService } from '../../../test/support/service.ts'
import { stringifyJson } from '../../contract/src/json.ts'
import type { KeyId } from '../../service/src/domain/keys.ts'
import type { Page } from '../../service/src/domain/lists.ts'
import type { Order } from '../../service/src/domain/orders.ts'
import type { Created } from '../../service/src/domain/pets.ts'
import { OVERLOADED } from '../../service/src/domain/petstore-error.ts'
import type { Store, StoreOptions } from '../../service/src/domain/store.ts'
import { type List, linksOf, positionOf } from '../../service/src/http/request/cursor.ts'
import { openStore } from '../../service/src/store/kinds.ts'
import { ordersConformance } from '../../service/test/store/orders.conformance.ts'
import { conformance } from '../../service/test/store/store.conformance.ts'
import { type CreateOptions, type Order as Ordered, PetstoreApiError, PetstoreClient } from '../src/petstore.ts'

const LIMIT_MAX = 100

const open = async (options: StoreOptions) => overHttp(await openStore(':memory:', options), options)
conformance('the client', open)
ordersConformance('the client', open, { direct: false })

/** Hundreds of requests at once are too many for a busy machine, which is no fault: what was refused before anything was done is sent again. */
async function untilAdmitted(url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const response = await fetch(url, init)
    if (response.status !== 503) return response
    const { message }: { message: string } = JSON.parse(await response.clone().text())
    if (message !== OVERLOADED.message) return response
  }
}

/**
 * The store whose pets and orders are reached through a server, with one client for each API key. The server starts when it is first
 * needed: its key is then one more in the store. Keys have no operations and stay as they are.
 */
function overHttp(store: Store, { now }: StoreOptions): Store {
  const clients = new Map<KeyId | undefined, Promise<PetstoreClient>>()
  let service: Promise<Service> | undefined

  async function connect(): Promise<PetstoreClient> {
    // What the server counts by itself would be among the calls that a test counts.
    const uncounted = { ...store, countDeprecatedCalls: async () => {} }
    service ??= startService({ store: uncounted, now, enforceSunset: false, expiryEveryMs: 1e9 })
    const { url, addKey } = await service
    return new PetstoreClient({ baseUrl: url, apiKey: await addKey(), retries: 0, fetch: untilAdmitted })
  }
  function client(by?: KeyId): Promise<PetstoreClient> {
    const found = clients.get(by) ?? connect()
    clients.set(by, found)
    return found
  }

  return {
    ...store,
    createPet: async (pet, by, key) => {
      const shop = await client(by)
      return created(key, (options) => shop.createPet(pet, options))
    },
    getPet: async (id) => (await client()).getPet(id).catch(undefinedWhenNotFound),
    listPets: async ({ limit, after, back, ...query }) => {
      const shop = await client()
      return pageOf({ limit, after, back }, 'pets', query, async (at) => {
        const { pets, ...cursors } = await shop.listPage({ ...query, ...at })
        return { items: pets, ...cursors }
      })
    },
    placeOrder: async ({ petId, reference, expiresAt }, by, key) => {
      const shop = await client(by)
      const order = { petId, ...(reference !== undefined && { reference }) }
      const until = expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }
      return created(key, async (options) => toOrder(await shop.placeOrder({ ...order, ...until }, options)))
    },
    getOrder: async (id) => (await client()).getOrder(id).then(toOrder, undefinedWhenNotFound),
    listOrders: async ({ limit, after, back, ...query }) => {
      const shop = await client()
      return pageOf({ limit, after, back }, 'orders', query, async (at) => {
        const { orders, ...cursors } = await shop.listOrderPage({ ...query, ...at })
        return { items: orders, ...cursors }
      })
    },
    completeOrder: async (id, by) => toOrder(await (await client(by)).completeOrder(id)),
    cancelOrder: async (id, by) => {
      const shop = await client(by)
      await shop.cancelOrder(id)
      return toOrder(await shop.getOrder(id))
    },
    returnOrder: async (id, by) => toOrder(await (await client(by)).returnOrder(id)),
    getInventory: async () => (await client()).getInventory(),
    async close() {
      await (await service)?.stop()
      await store.close()
    },
  }
}

async function created<Item>(
  idempotencyKey: string | undefined,
  create: (options: CreateOptions) => Promise<Item>,
): Promise<Created<Item>> {
  let replayed = false
  const onReplayed = () => {
    replayed = true
  }
  const value = await create(idempotencyKey === undefined ? {} : { idempotencyKey, onReplayed })
  return { value, replayed }
}

/** As many as asked for, in the pages that the contract allows. */
async function pageOf<Of extends List>(
  { limit, after, back }: { limit: number; after: bigint | undefined; back: boolean },
  list: Of,
  query: Omit<Parameters<typeof linksOf<Of>>[2], 'limit'>,
  read: (at: { limit: number; cursor: string | undefined }) => Promise<{
    items: { id: bigint }[]
    next: string | undefined
    prev: string | undefined
  }>,
): Promise<Page> {
  const items: { id: bigint }[] = []
  const cursorOf = (place: Partial<Page>) =>
    /cursor=([\w-]+)/.exec(linksOf((path) => path, list, { ...query, limit } as never, place as Page) ?? '')?.[1]
  let cursor = cursorOf(back ? { prev: after } : { next: after })
  let ends: Pick<Page, 'next' | 'prev'> | undefined
  do {
    const page = await read({ limit: Math.min(limit - items.length, LIMIT_MAX), cursor })
    const placed = (text: string | undefined) =>
      text === undefined ? undefined : positionOf(text, list, { ...query, limit } as never).after
    const [next, prev] = [placed(page.next), placed(page.prev)]
    if (back) items.unshift(...page.items)
    else items.push(...page.items)
    cursor = back ? page.prev : page.next
    ends = back ? { next: ends ? ends.next : next, prev } : { next, prev: ends ? ends.prev : prev }
  } while (cursor !== undefined && items.length < limit)
  return { json: stringifyJson(items), ...ends }
}

function toOrder({ placedAt, changedAt, expiresAt, ...order }: Ordered): Order {
  const until = expiresAt !== undefined && { expiresAt: Date.parse(expiresAt) }
  return { ...order, placedAt: Date.parse(placedAt), changedAt: Date.parse(changedAt), ...until }
}

function undefinedWhenNotFound(error: unknown): undefined {
  if (error instanceof PetstoreApiError && error.code === 'not_found') return undefined
  throw error
}
