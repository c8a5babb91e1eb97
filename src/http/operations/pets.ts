// Pets: what listPets, createPet and getPet do.

import { PetstoreError } from '../../domain/errors.ts'
import { stringifyJson } from '../../json/json.ts'
import { linksOf, placeOf } from '../request/cursor.ts'
import { created, ok } from '../response/response.ts'
import { type Handlers, shared } from './handler.ts'

export const petOperations: Handlers<'listPets' | 'createPet' | 'getPet'> = {
  listPets: shared<'listPets'>(async ({ pets, linkTo }, { limit, status, categoryId, search, sort, cursor }) => {
    const query = { limit, status, categoryId, search, sort }
    const page = await pets.listPets({ ...query, ...placeOf(cursor, 'pets', query) })
    return ok(page.json, linksOf(linkTo, 'pets', query, page))
  }),

  async createPet({ pets, running }, caller, { 'Idempotency-Key': header }, body) {
    const create = (key?: string) => pets.createPet(body, caller.id, key)
    const { value, replayed } = await running.once(caller.id, header, create)
    return created(stringifyJson(value), replayed, { petId: String(value.id) })
  },

  async getPet({ pets }, _caller, { petId }) {
    const pet = await pets.getPet(petId)
    if (!pet) throw new PetstoreError('not_found', `No pet has id ${petId}.`)
    return ok(stringifyJson(pet))
  },
}
