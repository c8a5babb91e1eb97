// The rules for creating, changing and deleting pets.

import type { KeyId } from '../keys.ts'
import type { Created, NewPet, Pet, PetChange, PetCheck } from '../pets.ts'
import type { PetstoreError } from '../petstore-error.ts'
import { holderNow } from './orders.ts'
import { noSuchPet, onlyAvailable, petHasOrders, petHeld } from './refusal-messages.ts'
import type { Decision } from './working-copy.ts'

export function createPet(pet: NewPet, by: KeyId, key?: string): Decision<Created<Pet>> {
  const request = { operation: 'createPet', request: pet, by, key } as const
  return {
    by,
    touches: { key: key === undefined ? undefined : { by, key } },
    decide: (copy) => copy.answerOnce(request, () => copy.addPet(pet, by)),
  }
}

/** If the status is to change, an overdue reservation expires first. */
export function updatePet(id: bigint, change: PetChange, by: KeyId, check?: PetCheck): Decision<Pet> {
  return {
    by,
    touches: { petId: id },
    decide(copy): Pet | PetstoreError {
      const holder = change.status === undefined ? undefined : holderNow(copy, id)
      const pet = copy.pets.get(id)
      if (!pet) return noSuchPet(id)
      const after: Pet = { ...pet, ...change }
      const fields = Object.keys(change) as (keyof PetChange)[]
      // See updateOrder in orders.ts.
      if (fields.every((field) => after[field] === pet[field])) return check?.(pet, true) ?? pet
      if (after.status !== pet.status) {
        if (after.status !== 'available') return onlyAvailable()
        if (holder) return petHeld(pet, holder.id)
      }
      const refusal = check?.(pet)
      if (refusal) return refusal
      copy.pets.set(id, after)
      copy.events.push({ type: 'pet.changed', at: copy.now, by, petId: id, pet: after })
      return after
    },
  }
}

export function deletePet(id: bigint, by: KeyId, check?: PetCheck): Decision<undefined> {
  return {
    by,
    touches: { petId: id, everOrdered: id },
    decide(copy) {
      const pet = copy.pets.get(id)
      if (!pet) return noSuchPet(id)
      const refusal = copy.wasOrdered(id) ? petHasOrders(id) : check?.(pet)
      if (refusal) return refusal
      copy.pets.set(id, undefined)
      copy.events.push({ type: 'pet.deleted', at: copy.now, by, petId: id })
      return undefined
    },
  }
}
