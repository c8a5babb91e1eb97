// What the lines of the activity say beside their events: the order, with the animal's name and for whom, and what was changed of an animal.

import { useReducer, useRef } from 'preact/hooks'
import type { Event, Order, PetstoreClient } from '../../../client/src/petstore.ts'
import { readEach, unlessNone } from '../animal/by-id.ts'
import type { Feed } from '../live/feed.ts'
import { useEvents } from '../live/use-feed.ts'
import { eachOf } from '../parts/each-of.ts'
import { useLoaded } from '../parts/loaded.ts'
import { readAll } from '../record/animal.ts'
import { changesIn } from '../record/event-line.tsx'

export interface Details {
  /** As they are now. */
  orders: ReadonlyMap<bigint, Order>
  /** By the animal. */
  names: ReadonlyMap<bigint, string>
  /** By the event. */
  changes: ReadonlyMap<bigint, string>
}

export interface Service {
  client: PetstoreClient
  feed: Feed
}

/** Of the events that are shown. Each is read once, and an order again when something happens to it. */
export function useDetails({ client, feed }: Service, shown: readonly Event[]): Details {
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
      await readEach<Order>(open, {
        async page(at) {
          const { orders, next } = await client.listOrderPage(at, options)
          return [orders, next]
        },
        idOf: ({ id }) => id,
        one: (id) => client.getOrder(id, options).catch(unlessNone),
        found(id, order) {
          stale.delete(id)
          if (!order) return
          details.orders.set(id, order)
          show(undefined)
        },
      })
      const edited = shown.filter(
        ({ id, type }) => type === 'pet.deleted' || (type === 'pet.changed' && !details.changes.has(id)),
      )
      const petIds = new Set(edited.map(({ petId }) => petId).filter((petId) => !details.names.has(petId)))
      await eachOf([...petIds], async (petId) => {
        const events = await readAll(client, { petId, type: ['pet.added', 'pet.changed'] }, signal)
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
