// swagger-typescript-api with its client for fetch.
import { Api } from './.made/swagger.ts'

export default function connect({ baseUrl, apiKey }) {
  const { pets } = new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${apiKey}` } } })
  return {
    pets: async (query) => (await pets.listPets(query)).data,
    add: async (pet) => (await pets.createPet(pet)).data,
    pet: async (id) => (await pets.getPet(id)).data,
  }
}
