// The operations on pets.

import { pathOf } from '../../../../contract/src/contract.ts'
import { stringifyJson } from '../../../../contract/src/json.ts'
import { noSuchPet } from '../../domain/decisions/refusal-messages.ts'
import type { Pet } from '../../domain/pets.ts'
import { linksOf, positionOf } from '../request/cursor.ts'
import { checkOf } from '../response/conditions.ts'
import { deprecationLinks } from '../response/deprecation.ts'
import { changed, created, noContent, ok } from '../response/response.ts'
import { type SomeHandlers, shared } from './handler.ts'

const PETS = pathOf('listPets')

export const petOperations = {
  listPets: shared<'listPets'>(async ({ pets, linkTo }, { limit, status, categoryId, search, sort, cursor }) => {
    const query = { limit, status, categoryId, search, sort }
    const page = await pets.listPets({ ...query, ...positionOf(cursor, 'pets', query) })
    return ok(page.json, linksOf(linkTo, 'pets', query, page))
  }),

  async createPet({ pets, running }, caller, { 'Idempotency-Key': header }, body) {
    const create = (key?: string) => pets.createPet(body, caller.id, key)
    const { value, replayed } = await running.once(caller.id, header, create)
    return created(stringifyJson(value), replayed, { petId: String(value.id) })
  },

  async getPet({ pets, linkTo }, _caller, { petId }) {
    const pet = await pets.getPet(petId)
    if (!pet) throw noSuchPet(petId)
    // The list that has this pet. The link is not part of the entity tag, which is the same for every operation.
    const successor = `${PETS}?status=${pet.status}`
    return { ...ok(stringifyJson(pet)), headers: { Link: deprecationLinks(successor, linkTo) } }
  },

  async updatePet({ pets }, caller, { petId, ...conditions }, body) {
    const pet = await pets.updatePet(petId, body, caller.id, checkOf<Pet>(conditions, stringifyJson))
    return changed(stringifyJson(pet), { petId: String(petId) })
  },

  async deletePet({ pets }, caller, { petId, ...conditions }) {
    await pets.deletePet(petId, caller.id, checkOf<Pet>(conditions, stringifyJson))
    return noContent({}, { petId: String(petId) })
  },
} satisfies SomeHandlers
