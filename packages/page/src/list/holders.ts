// Loads the order that holds each reserved or sold animal on the screen, and caches it. An animal that was added as
// reserved or sold has no order, so the list offers no action for it.

import { useRef, useState } from 'preact/hooks'
import type { Order, Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import { HOLDING, petStatusOf } from '../../../service/src/domain/order-transitions.ts'
import { readEach } from '../animal/by-id.ts'
import { findOrder } from '../orders/actions.ts'
import { useLoaded } from '../parts/loaded.ts'
import type { Item, Page } from './list-position.ts'

/** `null`: the animal has no order. `undefined`: not loaded yet, or the animal is available. */
export type HolderOf = (pet: Pet) => Order | null | undefined

export function useHolders(client: PetstoreClient, shown: Page | undefined) {
  const items = shown?.items
  /** Keyed by the animal's id and status, so a new status loads the order again. */
  const known = useRef(new Map<string, Order | null>()).current
  const [, setCount] = useState(0)

  useLoaded(
    async (signal) => {
      const options = { signal }
      for (const status of HOLDING) {
        const open = petsOf(items).filter((pet) => pet.status === petStatusOf(status) && !known.has(keyOf(pet)))
        await readEach<Order>(
          open.map(({ id }) => id),
          {
            async page(at) {
              const { orders, next } = await client.listOrderPage({ ...at, status }, options)
              return [orders, next]
            },
            idOf: ({ petId }) => petId,
            one: (petId) => findOrder(client, petId, petStatusOf(status), options),
            found(id, order) {
              known.set(keyOf({ id, status: petStatusOf(status) }), order ?? null)
              setCount((before) => before + 1)
            },
          },
        )
      }
    },
    [client, items],
  )

  return {
    holderOf: (pet: Pet) => known.get(keyOf(pet)),
    /** Call it after any event of the animal. */
    forget: (petId: bigint) => {
      for (const key of known.keys()) if (key.startsWith(`${petId} `)) known.delete(key)
    },
  }
}

export function petsOf(items: readonly Item[] = []): readonly Pet[] {
  return items.filter((item): item is Pet => !('petId' in item))
}

function keyOf({ id, status }: Pick<Pet, 'id' | 'status'>): string {
  return `${id} ${status}`
}
