// The operations on pets.

import { pathOf } from '../../../../contract/src/contract.ts'
import { stringifyJson } from '../../../../contract/src/json.ts'
import { noSuchPet } from '../../domain/decisions/refusal-messages.ts'
import type { Pet } from '../../domain/pets.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import { linksOf, positionOf } from '../request/cursor.ts'
import { changed, created, noContent, ok, preconditionOf } from '../response/response.ts'
import { deprecationLinks } from '../route.ts'
import { type SomeHandlers, shared } from './handler.ts'

const PETS = pathOf('listPets')
/** Lists with more pets are not counted to the end. */
const TOTAL_MAX = 10_000

export const petOperations = {
  listPets: shared<'listPets'>(async ({ pets, linkTo }, _caller, { cursor, count, ...given }) => {
    const { limit, status, categoryId, search, sort } = given
    if (count && (categoryId === undefined || search !== undefined))
      throw new PetstoreError('invalid_parameter', 'count needs categoryId, and cannot be used together with search.')
    const query = { limit, status, categoryId, search, sort }
    const filter = { ...query, ...positionOf(cursor, 'pets', query) }
    const [page, total] = await Promise.all([pets.listPets(filter), count && pets.countPets(filter, TOTAL_MAX + 1)])
    const answer = ok(page.json, linksOf(linkTo, 'pets', query, page))
    if (total === undefined) return answer
    const shown = total > TOTAL_MAX ? `${TOTAL_MAX}+` : String(total)
    return { ...answer, headers: { ...answer.headers, 'X-Total-Count': shown } }
  }),

  async createPet({ pets, running }, caller, { 'Idempotency-Key': header }, body) {
    const create = (key?: string) => pets.createPet(body, caller.id, key)
    const { value, replayed } = await running.runAlone(caller.id, header, create)
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
    const pet = await pets.updatePet(petId, body, caller.id, preconditionOf<Pet>(conditions, stringifyJson))
    return changed(stringifyJson(pet), { petId: String(petId) })
  },

  async deletePet({ pets }, caller, { petId, ...conditions }) {
    await pets.deletePet(petId, caller.id, preconditionOf<Pet>(conditions, stringifyJson))
    return noContent({}, { petId: String(petId) })
  },
} satisfies SomeHandlers
