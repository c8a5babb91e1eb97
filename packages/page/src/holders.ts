// Which order holds each animal on the screen: asked once for each row that is reserved or sold, a few at a time, and kept. An animal
// that was added as reserved or sold has none, and nothing can be done with it.

import { useRef, useState } from 'preact/hooks'
import type { Order, Pet, PetstoreClient } from '../../client/src/petstore.ts'
import { findOrder } from './actions.ts'
import type { Shown } from './list.ts'
import { useLoaded } from './loaded.ts'

const AT_ONCE = 4

/** `null`: no order holds it. `undefined`: not known, or nobody holds it. */
export type HolderOf = (pet: Pet) => Order | null | undefined

interface Holders {
  holderOf: HolderOf
  /** Something may have happened to this animal. */
  forget: (petId: bigint) => void
}

export function useHolders(client: PetstoreClient, shown: Shown | undefined): Holders {
  const rows = shown?.rows
  /** By the animal's id and status: another status asks again. */
  const known = useRef(new Map<string, Order | null>()).current
  const [, setCount] = useState(0)

  useLoaded(
    async (signal) => {
      const open = petsOf(rows).filter((pet) => pet.status !== 'available' && !known.has(keyOf(pet)))
      async function ask(): Promise<void> {
        for (let pet = open.shift(); pet; pet = open.shift()) {
          const order = await findOrder(client, pet.id, pet.status, { signal })
          known.set(keyOf(pet), order ?? null)
          setCount((before) => before + 1)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, ask))
    },
    [client, rows],
  )

  return {
    holderOf: (pet) => known.get(keyOf(pet)),
    forget: (petId) => {
      for (const key of known.keys()) if (key.startsWith(`${petId} `)) known.delete(key)
    },
  }
}

function petsOf(rows: Shown['rows'] | undefined): readonly Pet[] {
  return rows && 'pets' in rows ? rows.pets : []
}

function keyOf({ id, status }: Pet): string {
  return `${id} ${status}`
}
