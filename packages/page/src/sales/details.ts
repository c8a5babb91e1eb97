// Details for the lines of a day: orders, names of animals, and edits.

import { useRef } from 'preact/hooks'
import type { Event, Order } from '../../../client/src/petstore.ts'
import { readEach, unlessNone } from '../animal/by-id.ts'
import { type Service, useEvents } from '../live/feed.ts'
import { concurrently } from '../parts/concurrently.ts'
import { useLoaded } from '../parts/loaded.ts'
import { readAll } from '../record/animal.ts'
import { changesIn } from '../record/event-line.tsx'

export interface Details {
  orders: ReadonlyMap<bigint, Order>
  /** By animal id. */
  names: ReadonlyMap<bigint, string>
  /** By event id. */
  changes: ReadonlyMap<bigint, string>
}

/** Loads the details of the shown events, each once; the feed delivers new names. */
export function useDetails({ client, feed }: Service, shown: readonly Event[]): Details {
  const { orders, names, changes } = useRef({
    orders: new Map<bigint, Order>(),
    names: new Map<bigint, string>(),
    changes: new Map<bigint, string>(),
  }).current
  useLoaded(
    async (signal) => {
      const options = { signal, retries: 0 }
      const ids = new Set(shown.flatMap(({ orderId }) => (orderId === undefined ? [] : [orderId])))
      await readEach<Order>(
        [...ids].filter((id) => !orders.has(id)),
        {
          async page(at) {
            const { orders, next } = await client.listOrderPage(at, options)
            return [orders, next]
          },
          idOf: ({ id }) => id,
          one: (id) => client.getOrder(id, options).catch(unlessNone),
          found: (id, order) => order && orders.set(id, order),
        },
      )
      const edited = shown.filter(({ id, petId, type }) =>
        type === 'pet.changed' ? !changes.has(id) : type === 'pet.deleted' && !names.has(petId),
      )
      await concurrently([...new Set(edited.map(({ petId }) => petId))], async (petId) => {
        const events = await readAll(client, { petId, type: ['pet.added', 'pet.changed'] }, signal)
        const name = events.at(-1)?.pet?.name
        if (name !== undefined) names.set(petId, name)
        for (const [id, change] of changesIn(events)) changes.set(id, change)
      })
      // A new value renders the component again.
      return {}
    },
    [shown.map(({ id }) => id).join()],
  )

  useEvents(feed, (events, gap) => {
    if (gap) for (const known of [orders, names, changes]) known.clear()
    for (const { petId, pet } of events) {
      if (!pet) continue
      names.set(petId, pet.name)
      for (const order of orders.values()) {
        if (order.petId === petId) orders.set(order.id, { ...order, petName: pet.name })
      }
    }
  })
  return { orders, names, changes }
}
