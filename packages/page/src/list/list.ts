// Loads the list of animals or orders and retries until the service responds. It keeps only one page, so a store of a
// million animals is as fast as a store of ten.

import { useCallback, useEffect, useRef } from 'preact/hooks'
import type {
  CallOptions,
  Inventory,
  OrderFilter,
  OrderStatus,
  Pet,
  PetFilter,
  PetStatus,
  PetstoreClient,
} from '../../../client/src/petstore.ts'
import { PAGE_MAX, type Sort } from '../../../contract/src/generated.ts'
import type { Address } from '../address.ts'
import { readPets } from '../animal/by-id.ts'
import { type Service, useEvents } from '../live/feed.ts'
import { useHolders } from '../orders/holders.ts'
import { every } from '../parts/listen.ts'
import { type Loaded, useLoaded } from '../parts/loaded.ts'
import { fromIdRanges } from './id-ranges.ts'
import { type InPlace, useInPlace } from './in-place.ts'
import {
  firstPage,
  firstPageOf,
  type Item,
  type ListPosition,
  nextPage,
  type Page,
  shortened,
} from './list-position.ts'

export interface Shown extends Page {
  inventory: Inventory | undefined
  /** The number of animals of a category, if the list shows one. `more`: there are more, which were not counted. */
  counted?: { total: number; more: boolean } | undefined
}

export interface ShownList extends Pick<Loaded<Page>, 'failure'>, Omit<InPlace, 'page'> {
  position: ListPosition
  /** The last page that was loaded. Until the chosen one is loaded, this is the previous page. */
  shown: Shown | undefined
  /** Whether the chosen position is being loaded for the first time and has not failed. */
  loading: boolean
  /** Reloads the page and shows the result immediately. */
  reload: () => void
  /** Reloads the page soon, and keeps the rows in place. */
  refresh: () => void
}

/** The interval between refreshes without a feed. A refresh also detects that the service does not respond. */
const REFRESH_MS = 15_000

export function useList({ client, feed, records }: Service, { position, opened }: Omit<Address, 'go'>): ShownList {
  const read = useLoaded(
    async (signal) => {
      await feed.begun
      return records.read(fetchPage(client, position, { signal, retries: 0 }), ({ items }) => records.keep(items))
    },
    [client, position],
  )
  // Rows are shown before their counts arrive. Until then the last counts are shown, which are nearly right.
  const last = useRef<Inventory>(undefined)
  const counts = useLoaded(
    async (signal) => {
      await feed.begun
      const options = { signal, retries: 0 }
      let counted: Shown['counted']
      if (isCounted(position)) counted = await countOf(client, position, options)
      else if (position.view === 'animals') last.current = await client.getInventory(options)
      return { of: filterOf(position), inventory: last.current, counted }
    },
    [client, position],
  )
  const { page, ...inPlace } = useInPlace(read.value, opened !== undefined)
  const items = page?.items.map((item) => records.current(item)) ?? []
  const holders = useHolders({ client, feed, records }, petsOf(items))
  const refresh = useCallback(() => {
    read.refresh()
    counts.refresh()
    if (!feed.live) holders.refresh()
  }, [])
  useEvents(feed, (events, gap) => {
    // A list of given ids is more expensive to read, and events of other animals do not change it.
    const isOthers =
      position.ids && !position.status && !events.some(({ petId }) => items.some(({ id }) => id === petId))
    if (gap || !isOthers) read.refresh()
    counts.refresh()
  })
  useEffect(() => every(REFRESH_MS, () => feed.live || refresh()), [feed])

  function reload(): void {
    inPlace.show(true)
    read.reload()
    counts.reload()
  }
  const { inventory, counted, of } = counts.value ?? {}
  const shown = page && {
    ...page,
    items,
    inventory: position.view === 'animals' ? inventory : undefined,
    counted: of === filterOf(page.position) ? counted : undefined,
  }
  const loading = !read.failure && page?.position !== position
  return { position, shown, failure: read.failure, loading, reload, refresh, ...inPlace }
}

export function petsOf(items: readonly Item[]): readonly Pet[] {
  return items.filter((item): item is Pet => !('petId' in item))
}

/** The service counts the animals of a category, but not the ones that a search finds. */
function isCounted({ view, categoryId, search, ids }: ListPosition): boolean {
  return view === 'animals' && categoryId !== undefined && !search && !ids
}

function filterOf({ status, categoryId, search, ids }: ListPosition): string {
  return [status, categoryId, search, ids].join()
}

async function countOf(client: PetstoreClient, { status, categoryId }: ListPosition, options: CallOptions) {
  let counted: Shown['counted']
  const onTotal = (total: number, more: boolean) => {
    counted = { total, more }
  }
  await client.listPage({ status: status as PetStatus, categoryId, limit: 1 }, { ...options, onTotal })
  return counted
}

type EveryField<Filter> = Record<keyof Filter, unknown>
/** Parameters that the page does not use. A new parameter does not compile until it is listed here or used. */
const UNUSED = { petId: undefined, petIds: undefined }

export async function fetchPage(client: PetstoreClient, position: ListPosition, options: CallOptions): Promise<Page> {
  const { view, status, categoryId, limit, sort, cursor } = position
  if (position.ids) return pageOfIds(client, position, options)
  const search = shortened(position.search) || undefined
  if (view === 'orders') {
    const stated = { ...UNUSED, status: status as OrderStatus | undefined, search, sort, limit }
    const filter = stated satisfies EveryField<OrderFilter>
    const { orders, next, prev } = await client.listOrderPage({ ...filter, cursor }, options)
    return { position, items: orders, next, prev }
  }
  const stated = { status: status as PetStatus | undefined, categoryId, search, sort, limit }
  const filter = stated satisfies EveryField<PetFilter>
  const { pets, next, prev } = await client.listPage({ ...filter, cursor }, options)
  return { position, items: pets, next, prev }
}

/** Looks up the ids of the page, and leaves out deleted animals. */
async function pageOfIds(client: PetstoreClient, position: ListPosition, options: CallOptions): Promise<Page> {
  const { ids, status, categoryId, limit, page } = position
  const wanted = fromIdRanges(ids)?.((page - 1) * limit, limit + 1) ?? []
  const found = await readPets(client, wanted.slice(0, limit), options)
  const fits = (pet: Pet) => (pet.status === status || !status) && (categoryId ?? pet.categoryId) === pet.categoryId
  const items = found.filter(fits).sort((a, b) => (a.id > b.id ? -1 : 1))
  return {
    position,
    items,
    next: wanted.length > limit ? String(page + 1) : undefined,
    prev: page > 1 ? String(page - 1) : undefined,
  }
}

export async function* wholeList(
  client: PetstoreClient,
  start: ListPosition,
  options: CallOptions,
): AsyncGenerator<Item> {
  for (let position: ListPosition | undefined = firstPage({ ...start, limit: PAGE_MAX }); position; ) {
    const { items, next } = await fetchPage(client, position, options)
    yield* items
    position = nextPage(position, next)
  }
}

/** The first page of each list, with its last chosen sort. */
export function useFirstPages(position: ListPosition): Record<ListPosition['view'], ListPosition> {
  const sorts = useRef<Partial<Record<ListPosition['view'], Sort>>>({})
  sorts.current[position.view] = position.sort
  function start(view: ListPosition['view']): ListPosition {
    const first = firstPageOf(view)
    return { ...first, sort: sorts.current[view] ?? first.sort }
  }
  return { animals: start('animals'), orders: start('orders') }
}
