// Reads the orders that hold the animals on the screen. An animal that was added as reserved or sold has no order, so
// the list offers no action for it.

import type { Event, Order, OrderStatus, Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import { HOLDING, petStatusOf } from '../../../service/src/domain/order-transitions.ts'
import { readEach, unlessNone } from '../animal/by-id.ts'
import { type Service, useEvents } from '../live/feed.ts'
import { type Loaded, useLoaded } from '../parts/loaded.ts'
import { findOrder } from './actions.ts'

export function useHolders({ client, feed, records }: Service, pets: readonly Pet[]): Loaded<void> {
  // Without a feed, an order can have ended unnoticed.
  const unknown = (pet: Pet) => pet.status !== 'available' && (!feed.live || records.holderOf(pet) === undefined)
  const wanted = pets.filter(unknown)
  const loaded = useLoaded(
    async (signal) => {
      const found = HOLDING.map((status) => {
        const pets = wanted.filter((pet) => pet.status === petStatusOf(status))
        return ordersOf(
          client,
          pets.map(({ id }) => id),
          status,
          signal,
        )
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

/** Reads the orders of events that earlier versions wrote, because those lack the animal or the terms. */
export function useOrders({ client, records }: Service, events: readonly Event[]): Loaded<void> {
  const wanted = events.flatMap(({ orderId, pet, terms }) =>
    orderId === undefined || (pet && terms) || records.order(orderId) ? [] : [orderId],
  )
  return useLoaded(
    async (signal) => {
      const options = { signal, retries: 0 }
      await readEach<Order>(wanted, {
        async page(at) {
          const { orders, next } = await client.listOrderPage(at, options)
          return [orders, next]
        },
        idOf: ({ id }) => id,
        one: (id) => client.getOrder(id, options).catch(unlessNone),
        found: (_id, order) => order && records.keep([order]),
      })
    },
    [wanted.join()],
  )
}

async function ordersOf(
  client: PetstoreClient,
  petIds: readonly bigint[],
  status: OrderStatus,
  signal: AbortSignal,
): Promise<Order[]> {
  const options = { signal }
  const found: Order[] = []
  await readEach<Order>(petIds, {
    async page(at) {
      const { orders, next } = await client.listOrderPage({ ...at, status }, options)
      return [orders, next]
    },
    idOf: ({ petId }) => petId,
    one: (petId) => findOrder(client, petId, petStatusOf(status), options),
    found: (_id, order) => order && found.push(order),
  })
  return found
}
