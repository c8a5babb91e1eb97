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
  PetStatus,
  PetstoreClient,
} from '../client/petstore.ts'
import { PAGE_MAX } from '../contract/generated.ts'
import { type Failure, toFailure } from './failures.ts'
import { fromAddress, type ListPosition, toAddress } from './list-position.ts'

export interface Shown {
  position: ListPosition
  rows: { pets: readonly Pet[] } | { orders: readonly Order[] }
  /** The cursor of the next page; `undefined` on the last page. */
  next: string | undefined
  /** By animal. */
  reservations: ReadonlyMap<bigint, Order>
  /** No reservation is missing in them. */
  everyReservation: boolean
  inventory: Inventory | undefined
}

export interface List {
  /** The position that the reader chose. */
  position: ListPosition
  /** The last page that arrived, with its position: while another is loading, still the one before. */
  shown: Shown | undefined
  /** Set when the last attempt failed, with the time of the next one. */
  failure: (Failure & { retryAt: number }) | undefined
  /** The first attempt at the chosen position has not ended yet. */
  loading: boolean
  goTo: (position: ListPosition) => void
  /** Fetches the chosen page again. */
  reload: () => void
}

/** How soon the page shows what others add, and notices that the service does not respond. */
const REFRESH_MS = 15_000
const RETRY_MS = 1_000
const RETRY_MAX_MS = 10_000

export function useList(client: PetstoreClient): List {
  const [position, goTo] = usePosition()
  const [shown, setShown] = useState<List['shown']>()
  const [failure, setFailure] = useState<List['failure']>()
  const [reloads, setReloads] = useState(0)
  const failures = useRef(0)
  const reload = useCallback(() => setReloads((before) => before + 1), [])

  useEffect(() => {
    const aborter = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined

    async function load(): Promise<void> {
      try {
        const page = await fetchPage(client, position, { signal: aborter.signal, retries: 0 })
        failures.current = 0
        setShown(page)
        setFailure(undefined)
        timer = setTimeout(reloadIfVisible, REFRESH_MS)
      } catch (error) {
        if (aborter.signal.aborted) return
        const failed = toFailure(error)
        const pauseMs = Math.min(RETRY_MAX_MS, RETRY_MS * 2 ** failures.current++)
        // Random, so that tabs that lost the service together do not retry together.
        const retryMs = Math.max(failed.retryAfterMs ?? 0, pauseMs * (0.75 + Math.random() / 2))
        setFailure({ ...failed, retryAt: Date.now() + retryMs })
        timer = setTimeout(reload, retryMs)
      }
    }

    function reloadIfVisible(): void {
      if (document.visibilityState === 'visible') reload()
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

  return { position, shown, failure, loading: !failure && shown?.position !== position, goTo, reload }
}

type Stated<Filter> = Record<keyof Filter, unknown>
/** What the lists of the page leave to the service. A new parameter of a list does not compile until it is here or used. */
const UNUSED = { pets: { sort: undefined, categoryId: undefined }, orders: { sort: undefined, petId: undefined } }

/**
 * The rows, and what belongs to them. One request asks for a page of the oldest reservations, instead of one for each row; the dialog
 * asks for any other. Without inventory or reservations the rows are still worth showing.
 */
async function fetchPage(client: PetstoreClient, position: ListPosition, options: CallOptions): Promise<Shown> {
  const { view, status, limit, cursor } = position
  const optional = <Value>(work: Promise<Value>) => work.catch(() => undefined)
  if (view === 'orders') {
    const filter = { ...UNUSED.orders, status: status as OrderStatus | undefined, limit } satisfies Stated<OrderFilter>
    const { orders, next } = await client.listOrderPage({ ...filter, cursor }, options)
    return { position, rows: { orders }, next, reservations: new Map(), everyReservation: false, inventory: undefined }
  }
  const filter = { ...UNUSED.pets, status: status as PetStatus | undefined, limit } satisfies Stated<PetFilter>
  const withReservations = status === undefined || status === 'pending'
  const [{ pets, next }, inventory, reserved] = await Promise.all([
    client.listPage({ ...filter, cursor }, options),
    optional(client.getInventory(options)),
    withReservations ? optional(client.listOrderPage({ status: 'pending', limit: PAGE_MAX }, options)) : undefined,
  ])
  const reservations = new Map(reserved?.orders.map((order) => [order.petId, order]))
  const everyReservation = reserved !== undefined && reserved.next === undefined
  return { position, rows: { pets }, next, reservations, everyReservation, inventory }
}

/** Like useState, with the position in the address and in the browser's history. */
function usePosition(): [ListPosition, (position: ListPosition) => void] {
  const [position, setPosition] = useState(() => fromAddress(location.search, history.state))
  useEffect(() => {
    const follow = () => setPosition(fromAddress(location.search, history.state))
    window.addEventListener('popstate', follow)
    return () => window.removeEventListener('popstate', follow)
  }, [])
  const goTo = useCallback((next: ListPosition) => {
    const address = toAddress(next)
    const isShown = new URL(address, location.href).search === location.search
    if (!isShown) history.pushState({ earlier: next.earlier }, '', address)
    setPosition(next)
  }, [])
  return [position, goTo]
}
