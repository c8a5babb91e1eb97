// Which order holds each animal on the screen that is reserved or sold. Many are read together, from the newest orders; those that are not
// among them, one at a time. What was read is kept. An animal that was added as reserved or sold has no order, and nothing can be done with it.

import { useRef, useState } from 'preact/hooks'
import type { Order, Pet, PetstoreClient } from '../../client/src/petstore.ts'
import { HOLDING, petStatusOf } from '../../service/src/domain/order-transitions.ts'
import { findOrder } from './actions.ts'
import { eachOf } from './each-of.ts'
import type { Item, Page } from './list-page.ts'
import { useLoaded } from './loaded.ts'

/** More rows than these are read together. */
const ALONE_MAX = 4
const PAGES_MAX = 3

/** `null`: no order holds it. `undefined`: not known, or nobody holds it. */
export type HolderOf = (pet: Pet) => Order | null | undefined

interface Holders {
  holderOf: HolderOf
  /** Something may have happened to this animal. */
  forget: (petId: bigint) => void
}

export function useHolders(client: PetstoreClient, shown: Page | undefined): Holders {
  const items = shown?.items
  /** By the animal's id and status: another status asks again. */
  const known = useRef(new Map<string, Order | null>()).current
  const [, setCount] = useState(0)

  useLoaded(
    async (signal) => {
      const unknown = () => petsOf(items).filter((pet) => pet.status !== 'available' && !known.has(keyOf(pet)))
      function note(pet: Pet, order: Order | null): void {
        known.set(keyOf(pet), order)
        setCount((before) => before + 1)
      }
      for (const status of HOLDING) {
        const open = () => unknown().filter((pet) => pet.status === petStatusOf(status))
        let cursor: string | undefined
        for (let pages = 0; pages < PAGES_MAX && open().length > ALONE_MAX; pages++) {
          const filter = { status, sort: 'newest', limit: 100, cursor } as const
          const { orders, next } = await client.listOrderPage(filter, { signal })
          for (const pet of open()) {
            const order = orders.find(({ petId }) => petId === pet.id)
            if (order || next === undefined) note(pet, order ?? null)
          }
          cursor = next
        }
      }
      await eachOf(unknown(), async (pet) => {
        note(pet, (await findOrder(client, pet.id, pet.status, { signal })) ?? null)
      })
    },
    [client, items],
  )

  return {
    holderOf: (pet) => known.get(keyOf(pet)),
    forget: (petId) => {
      for (const key of known.keys()) if (key.startsWith(`${petId} `)) known.delete(key)
    },
  }
}

export function petsOf(items: readonly Item[] = []): readonly Pet[] {
  return items.filter((item): item is Pet => !('petId' in item))
}

function keyOf({ id, status }: Pet): string {
  return `${id} ${status}`
}
