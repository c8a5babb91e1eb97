// Reads the orders of the animals on the screen with few requests. An animal that was added as reserved or sold has no
// order, so the list offers no action for it.

import type { Event, Order, Pet } from '../../../client/src/petstore.ts'
import { PAGE_MAX } from '../../../contract/src/generated.ts'
import { HOLDING, petStatusOf } from '../../../service/src/domain/order-transitions.ts'
import { type Service, useEvents } from '../live/feed.ts'
import { type Loaded, useLoaded } from '../parts/loaded.ts'

/** Reads the orders that hold these animals, unless they are known. */
export function useHolders({ client, feed, records }: Service, pets: readonly Pet[]): Loaded<void> {
  // Without a feed, an order may have ended unnoticed.
  const unknown = (pet: Pet) => pet.status !== 'available' && (!feed.live || records.holderOf(pet) === undefined)
  const wanted = pets.filter(unknown)
  const loaded = useLoaded(
    async (signal) => {
      const found = HOLDING.map(async (status): Promise<Order[]> => {
        const petIds = wanted.filter((pet) => pet.status === petStatusOf(status)).map(({ id }) => id)
        if (petIds.length === 0) return []
        return (await client.listOrderPage({ petIds, status, limit: PAGE_MAX }, { signal })).orders
      })
      await records.read(Promise.all(found), (orders) => {
        records.keepUnheld(wanted.map(({ id }) => id))
        records.keep(orders.flat())
      })
    },
    [client, wanted.map(({ id, status }) => `${id} ${status}`).join()],
  )
  useEvents(feed, (_, gap) => gap && loaded.refresh())
  return loaded
}

/** Reads the orders of events that earlier versions wrote, which lack the animal or the terms. */
export function useOrders({ client, records }: Service, events: readonly Event[]): Loaded<void> {
  const wanted = events.filter(
    ({ orderId, pet, terms }) => orderId !== undefined && !(pet && terms) && !records.order(orderId),
  )
  return useLoaded(
    async (signal) => {
      const petIds = [...new Set(wanted.map(({ petId }) => petId))]
      const open = new Set(wanted.map(({ orderId }) => orderId))
      const found: Order[] = []
      while (petIds.length > 0) {
        const filter = { petIds: petIds.splice(0, PAGE_MAX), sort: 'newest' } as const
        for await (const order of client.listOrders(filter, { signal })) if (open.has(order.id)) found.push(order)
      }
      records.keep(found)
    },
    [wanted.map(({ orderId }) => orderId).join()],
  )
}
