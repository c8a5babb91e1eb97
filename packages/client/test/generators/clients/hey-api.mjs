// @hey-api/openapi-ts with its client for fetch.
import { client } from './.made/hey-api/client.gen.ts'
import * as api from './.made/hey-api/index.ts'

export default function connect({ baseUrl, apiKey }) {
  client.setConfig({ baseUrl, auth: apiKey })
  return {
    pets: async (query) => (await api.listPets({ query })).data,
    add: async (body) => (await api.createPet({ body })).data,
    pet: async (petId) => (await api.getPet({ path: { petId } })).data,
  }
}
