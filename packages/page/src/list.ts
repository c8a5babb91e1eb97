// The list of animals or of orders, page by page: the position in it, the page shown, and retries until the service
// responds. Only one page of the list is held, so a store of a million animals is as quick as a store of ten.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type {
  CallOptions,
  Inventory,
  Order,
  OrderFilter,
  OrderStatus,
  Pet,
  PetFilter,
  PetPage,
  PetStatus,
  PetstoreClient,
} from '../../client/src/petstore.ts'
import { isAborted } from './failures.ts'
import { fromIdRanges } from './id-ranges.ts'
import { fromAddress, type ListPosition, type Sort, startOf, toAddress } from './list-position.ts'
import type { Feed } from './live/feed.ts'
import { type RetriedFailure, withRetry } from './loaded.ts'

export interface Shown {
  position: ListPosition
  rows: { pets: readonly Pet[] } | { orders: readonly Order[] }
  /** The cursor of the next page; `undefined` on the last page. */
  next: string | undefined
  /** The cursor of the page before; `undefined` on the first page. */
  prev: string | undefined
  inventory: Inventory | undefined
}

export interface List {
  /** The position that the reader chose. */
  position: ListPosition
  /** The last page that arrived, with its position: while another is loading, still the one before. */
  shown: Shown | undefined
  /** Set when the last attempt failed. */
  failure: RetriedFailure | undefined
  /** The first attempt at the chosen position has not ended yet. */
  loading: boolean
  goTo: (position: ListPosition) => void
  /** Fetches the chosen page again. */
  reload: () => void
  /** Others have changed something: fetches it again soon, and not before the last attempt has ended. */
  refresh: () => void
}

/** How soon the page shows what others change where no feed tells it, and notices that the service does not respond. */
const REFRESH_MS = 15_000
/** However much happens. */
const SOON_MS = 300

export function useList(client: PetstoreClient, feed: Feed): List {
  const [position, goTo] = usePosition()
  const [shown, setShown] = useState<List['shown']>()
  const [failure, setFailure] = useState<List['failure']>()
  const [reloads, setReloads] = useState(0)
  const failures = useRef(0)
  /** An attempt is under way, or one is to come soon: then what has changed meanwhile is fetched after it. */
  const pending = useRef<'loading' | 'changed' | 'soon'>(undefined)
  const reload = useCallback(() => {
    // From now on, and not only when the effect begins it: otherwise one that was to come soon would end it and begin another.
    pending.current = 'loading'
    setReloads((before) => before + 1)
  }, [])
  const refresh = useCallback(() => {
    if (pending.current === 'loading') pending.current = 'changed'
    if (pending.current) return
    pending.current = 'soon'
    setTimeout(() => pending.current === 'soon' && reloadIfVisible(), SOON_MS)
  }, [])
  function reloadIfVisible(): void {
    if (document.visibilityState === 'visible') reload()
  }

  useEffect(() => {
    const aborter = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined

    async function load(): Promise<void> {
      pending.current = 'loading'
      const options = { signal: aborter.signal, retries: 0 }
      const animals = position.view === 'animals'
      try {
        const reading = fetchPage(client, position, options)
        // The rows are worth showing without it; until it has come, the last one is nearly right.
        const counting = animals ? client.getInventory(options).catch(() => undefined) : undefined
        const page = await reading
        failures.current = 0
        setShown((before) => ({ ...page, inventory: animals ? before?.inventory : undefined }))
        setFailure(undefined)
        const inventory = await counting
        aborter.signal.throwIfAborted()
        setShown({ ...page, inventory })
        timer = setTimeout(refreshUnlessLive, REFRESH_MS)
        const changed = (pending.current as string) === 'changed'
        pending.current = undefined
        if (changed) refresh()
      } catch (error) {
        if (aborter.signal.aborted || isAborted(error)) return
        pending.current = undefined
        const failed = withRetry(error, failures.current++)
        setFailure(failed)
        timer = setTimeout(reload, failed.retryAt - Date.now())
      }
    }

    function refreshUnlessLive(): void {
      if (feed.live) timer = setTimeout(refreshUnlessLive, REFRESH_MS)
      else reloadIfVisible()
    }

    load()
    document.addEventListener('visibilitychange', reloadIfVisible)
    window.addEventListener('online', reload)
    return () => {
      aborter.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', reloadIfVisible)
      window.removeEventListener('online', reload)
    }
  }, [client, position, reloads])

  return { position, shown, failure, loading: !failure && shown?.position !== position, goTo, reload, refresh }
}

type Stated<Filter> = Record<keyof Filter, unknown>
/** What the list of orders leaves to the service. A new parameter of a list does not compile until it is here or used. */
const UNUSED = { petId: undefined }

/** Rejects as a call of the client does. */
export async function fetchPage(
  client: PetstoreClient,
  position: ListPosition,
  options: CallOptions,
): Promise<Omit<Shown, 'inventory'>> {
  const { view, status, categoryId, limit, cursor, page } = position
  const fromEnd = page < 0
  const search = position.search || undefined
  const isNewest = position.sort === 'newest' || position.ids !== ''
  const sort = isNewest === fromEnd ? ('oldest' as const) : ('newest' as const)
  /** Pages that count from the end are read in the other direction. */
  function inOrder<Row>(items: readonly Row[], { next, prev }: Cursors) {
    return fromEnd ? { items: items.toReversed(), next: prev, prev: next } : { items, next, prev }
  }
  if (view === 'orders') {
    const stated = { ...UNUSED, status: status as OrderStatus | undefined, search, sort, limit }
    const filter = stated satisfies Stated<OrderFilter>
    const { orders, ...cursors } = await client.listOrderPage({ ...filter, cursor }, options)
    const { items, ...links } = inOrder(orders, cursors)
    return { position, rows: { orders: items }, ...links }
  }
  const stated = { status: status as PetStatus | undefined, categoryId, search, sort, limit }
  const filter = stated satisfies Stated<PetFilter>
  const read = async (cursor: string | undefined) => client.listPage({ ...filter, cursor }, options)
  const { pets, ...cursors } = position.ids ? await pageOfIds(position, read) : await read(cursor)
  const { items, ...links } = inOrder(pets, cursors)
  return { position, rows: { pets: items }, ...links }
}

/** The first that has some of them, from the position on. All that is newer is passed over. */
async function pageOfIds({ ids, cursor, page }: ListPosition, read: (cursor: string | undefined) => Promise<PetPage>) {
  const ranges = fromIdRanges(ids)
  for (let at = cursor; ; ) {
    const { pets, next, prev } = await read(at)
    const found = pets.filter(({ id }) => ranges?.has(id))
    const oldest = pets.at(-1)?.id ?? 0n
    const more = ranges && oldest > ranges.min ? next : undefined
    if (found.length > 0 || more === undefined) return { pets: found, next: more, prev: page > 1 ? prev : undefined }
    at = more
  }
}

type Cursors = Pick<Shown, 'next' | 'prev'>

/** Where each list starts, with the sort that was chosen for it last. */
export function useStarts(position: ListPosition): Record<ListPosition['view'], ListPosition> {
  const sorts = useRef<Partial<Record<ListPosition['view'], Sort>>>({})
  sorts.current[position.view] = position.sort
  function start(view: ListPosition['view']): ListPosition {
    const first = startOf(view, position)
    return { ...first, sort: sorts.current[view] ?? first.sort }
  }
  return { animals: start('animals'), orders: start('orders') }
}

/** Like useState, with the position in the address and in the browser's history. */
function usePosition(): [ListPosition, (position: ListPosition) => void] {
  const [position, setPosition] = useState(() => fromAddress(location.search))
  useEffect(() => {
    const follow = () => setPosition(fromAddress(location.search))
    window.addEventListener('popstate', follow)
    return () => window.removeEventListener('popstate', follow)
  }, [])
  const goTo = useCallback((next: ListPosition) => {
    const address = toAddress(next)
    const isShown = new URL(address, location.href).search === location.search
    // Each letter of a search or a category is no place to go back to.
    const query = new URLSearchParams(location.search)
    const typing =
      (next.search !== '' && query.has('search')) || (next.categoryId !== undefined && query.has('category'))
    if (!isShown) history[typing ? 'replaceState' : 'pushState'](null, '', address)
    setPosition(next)
  }, [])
  return [position, goTo]
}
