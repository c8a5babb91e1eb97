// Generates hostile names and searches for them on both stores. Compares every page with the page of a naive model, and byte for byte with the
// page of the other store. The recorded histories cover searches while the store changes.

import { SEARCH_WORDS_MAX } from '../packages/contract/src/limits.ts'
import type { Page } from '../packages/service/src/domain/lists.ts'
import type { OrderFilter } from '../packages/service/src/domain/orders.ts'
import type { PetFilter } from '../packages/service/src/domain/pets.ts'
import type { Store } from '../packages/service/src/domain/store.ts'
import { openStore } from '../packages/service/src/store/kinds.ts'
import { temporaryFile } from '../test/support/files.ts'
import { newKey } from '../test/support/keys.ts'
import { orderFilter, petFilter } from '../test/support/lists.ts'
import { idsOf } from '../test/support/paging.ts'
import { sharedCluster } from '../test/support/postgres.ts'
import { hostileName, modelFinds, modelWords, searchFor } from '../test/support/search-rules.ts'

const STATUSES = ['available', 'available', 'available', 'pending', 'sold'] as const
const DAY_MS = 86_400_000

interface Item {
  id: bigint
  text: string
  status: string
  categoryId?: bigint
}

type Asked = Pick<PetFilter, 'limit' | 'sort' | 'after' | 'back'> & {
  search: string
  status: string | undefined
  categoryId?: bigint | undefined
}

export interface Shop {
  stores: Record<string, Store>
  pets: Item[]
  orders: Item[]
  close(): Promise<void>
}

/** Opens both stores with the same pets and orders. */
export async function openShop(names: number, random: () => number): Promise<Shop> {
  const cluster = await sharedCluster()
  const addresses = { SQLite: temporaryFile('search.db'), PostgreSQL: await cluster.newDatabase() }
  const pets = Array.from({ length: names }, (_, n) => ({
    id: BigInt(n + 1),
    text: hostileName(random),
    status: STATUSES[Math.floor(random() * STATUSES.length)] as string,
    categoryId: BigInt(Math.floor(random() * 3)),
  }))
  const ordered = pets.filter(({ status }) => status === 'available').slice(0, names / 3)
  const orders = ordered.map(({ id, text }, n) => {
    const reference = n % 3 ? hostileName(random) : undefined
    return { id: BigInt(n + 1), petId: id, reference, text: `${reference ?? ''} ${text}`, status: 'pending' }
  })
  const stores: Record<string, Store> = {}
  for (const [name, address] of Object.entries(addresses)) {
    const store = await openStore(address, { now: Date.now })
    stores[name] = store
    const { id: by } = await store.createKey(newKey())
    const add = ({ text, status, categoryId }: Item) =>
      store.createPet({ name: text, status: status as 'sold', categoryId: categoryId ?? 0n }, by)
    await inBatches(pets, add)
    await inBatches(orders, ({ petId, reference }) =>
      store.placeOrder({ petId, reference, expiresAt: Date.now() + DAY_MS }, by),
    )
  }
  for (const { petId } of orders) (pets[Number(petId) - 1] as Item).status = 'pending'
  return {
    stores,
    pets,
    orders,
    close: async () => void (await Promise.all(Object.values(stores).map((one) => one.close()))),
  }
}

async function inBatches<Of>(items: readonly Of[], add: (item: Of) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < items.length; at += 200) await Promise.all(items.slice(at, at + 200).map(add))
}

/** Returns the faults, and how many items all searches found. */
export async function proveSearches({ stores, pets, orders }: Shop, searches: number, random: () => number) {
  const faults: string[] = []
  let found = 0
  const texts = pets.map(({ text }) => text)
  const pick = <Of>(...of: Of[]) => of[Math.floor(random() * of.length)] as Of
  for (let n = 0; n < searches; n++) {
    const search = searchFor(texts, random)
    const { written } = modelWords(search)
    if (written === 0 || written > SEARCH_WORDS_MAX) continue
    const isOfPets = random() < 0.7
    const items = isOfPets ? pets : orders
    const asked = {
      limit: pick(1, 7, 20, 100),
      search,
      sort: pick('oldest' as const, 'newest' as const),
      status: pick(undefined, undefined, 'pending' as const, isOfPets ? ('sold' as never) : ('pending' as const)),
      after: pick(undefined, undefined, BigInt(Math.floor(random() * items.length))),
      back: random() < 0.3,
      ...(isOfPets && { categoryId: pick(undefined, undefined, 1n) }),
    }
    if (asked.after === undefined) asked.back = false
    const expected = modelPage(items, asked)
    found += expected.ids.length
    const pages: Page[] = []
    for (const [name, store] of Object.entries(stores)) {
      const page = await (isOfPets
        ? store.listPets(petFilter(asked as PetFilter))
        : store.listOrders(orderFilter(asked as OrderFilter)))
      pages.push(page)
      const seen = { ids: idsOf(page), next: page.next !== undefined, prev: page.prev !== undefined }
      if (!Bun.deepEquals(seen, expected)) faults.push(`${name}: ${Bun.inspect(asked, { compact: true })}`)
    }
    // The JSON of orders is not compared, because it has times, which differ between the stores.
    const [one, other] = pages.map(({ json, next, prev }) => String([isOfPets && json, next, prev]))
    if (one !== other) faults.push(`the stores differ: ${Bun.inspect(asked, { compact: true })}`)
  }
  return { faults, found }
}

/** Computes the page that a search must return from all rows. */
function modelPage(items: readonly Item[], { search, status, categoryId, sort, after, back, limit }: Asked) {
  const all = items
    .filter((item) => (status ?? item.status) === item.status && (categoryId ?? item.categoryId) === item.categoryId)
    .filter(({ text }) => modelFinds(text, search))
    .map(({ id }) => id)
  if (sort === 'newest') all.reverse()
  const follows = (id: bigint) => after === undefined || (sort === 'oldest' ? id > after : id <= after)
  const start = all.findIndex(follows)
  const place = start < 0 ? all.length : start
  const [from, to] = back ? [Math.max(0, place - limit), place] : [place, Math.min(all.length, place + limit)]
  return { ids: all.slice(from, to), next: to < all.length, prev: from > 0 }
}
