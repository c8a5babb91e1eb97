// What the lines of the activity say beside their events: the order, with the animal's name and for whom, and what was changed of an animal.

import { useReducer, useRef } from 'preact/hooks'
import { type CallOptions, type Order, PetstoreApiError, type PetstoreClient } from '../../../client/src/petstore.ts'
import { eachOf } from '../each-of.ts'
import type { Event, ReadEvents } from '../live/events.ts'
import type { Feed } from '../live/feed.ts'
import { useEvents } from '../live/use-feed.ts'
import { useLoaded } from '../loaded.ts'
import { readAll } from '../record/animal.ts'
import { changesIn } from '../record/event-line.tsx'

/** So many are sooner asked for one by one. */
const ALONE_MAX = 4
const PAGE = 100

export interface Details {
  orders: ReadonlyMap<bigint, Order>
  /** By the animal. */
  names: ReadonlyMap<bigint, string>
  /** By the event. */
  changes: ReadonlyMap<bigint, string>
}

export interface Service {
  client: PetstoreClient
  readEvents: ReadEvents
  feed: Feed
}

/** Of the events that are shown. Each is read once, and an order again when something happens to it. */
export function useDetails({ client, readEvents, feed }: Service, shown: readonly Event[]): Details {
  const details = useRef({
    orders: new Map<bigint, Order>(),
    names: new Map<bigint, string>(),
    changes: new Map<bigint, string>(),
  }).current
  const stale = useRef(new Set<bigint>()).current
  const [, show] = useReducer((count: number) => count + 1, 0)

  const { reload } = useLoaded(
    async (signal) => {
      const options = { signal, retries: 0 }
      const ids = new Set(shown.flatMap(({ orderId = -1n }) => (orderId === -1n ? [] : [orderId])))
      const open = [...ids].filter((id) => stale.has(id) || !details.orders.has(id))
      await readOrders(client, open, options, (order) => {
        stale.delete(order.id)
        details.orders.set(order.id, order)
        show(undefined)
      })
      const edited = shown.filter(
        ({ id, type }) => type === 'pet.deleted' || (type === 'pet.changed' && !details.changes.has(id)),
      )
      const petIds = new Set(edited.map(({ petId }) => petId).filter((petId) => !details.names.has(petId)))
      await eachOf([...petIds], async (petId) => {
        const events = await readAll(readEvents, { petId, type: ['pet.added', 'pet.changed'] }, signal)
        const name = events.at(-1)?.pet?.name
        if (name !== undefined) details.names.set(petId, name)
        for (const [id, change] of changesIn(events)) details.changes.set(id, change)
        show(undefined)
      })
    },
    [shown.map(({ id }) => id).join()],
  )

  useEvents(feed, (events) => {
    for (const { orderId, petId, type } of events) {
      if (orderId !== undefined) stale.add(orderId)
      if (type !== 'pet.changed') continue
      details.names.delete(petId)
      for (const order of details.orders.values()) if (order.petId === petId) stale.add(order.id)
    }
    reload()
  })
  return details
}

/** In few requests: by pages from the newest down, for as long as that is shorter than to ask for each. */
async function readOrders(
  client: PetstoreClient,
  ids: readonly bigint[],
  options: CallOptions,
  found: (order: Order) => void,
): Promise<void> {
  const open = new Set(ids)
  for (let cursor: string | undefined, at: bigint | undefined; isShorter(at, open); ) {
    const { orders, next } = await client.listOrderPage({ sort: 'newest', limit: PAGE, cursor }, options)
    for (const order of orders) if (open.delete(order.id)) found(order)
    at = orders.at(-1)?.id
    cursor = next
    if (cursor === undefined) break
  }
  await eachOf([...open], async (id) => {
    const order = await client.getOrder(id, options).catch(unlessGone)
    if (order) found(order)
  })
}

/** `at`: the last order of the page before; `undefined` before the first. */
function isShorter(at: bigint | undefined, open: ReadonlySet<bigint>): boolean {
  const ahead = [...open].filter((id) => at === undefined || id < at)
  const nearest = ahead.reduce((one, other) => (one > other ? one : other), -1n)
  return ahead.length > ALONE_MAX && (at === undefined || Number(at - nearest) / PAGE < ahead.length)
}

function unlessGone(error: unknown): undefined {
  if (!(error instanceof PetstoreApiError && error.status === 404)) throw error
}
