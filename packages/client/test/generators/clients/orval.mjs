// orval with its client for fetch.
import * as api from './.made/orval.ts'

export default function connect({ baseUrl, apiKey }) {
  // The generated code requests /pets without an origin.
  const { fetch } = globalThis
  globalThis.fetch = (path, init) => fetch(baseUrl + path, init)
  const options = { headers: { Authorization: `Bearer ${apiKey}` } }
  return {
    pets: async (query) => (await api.listPets(query, options)).data,
    add: async (pet) => (await api.createPet(pet, options)).data,
    pet: async (id) => (await api.getPet(id, options)).data,
    inventory: async () => (await api.getInventory(options)).data,
    order: async (petId) => (await api.placeOrder({ petId }, options)).data,
    async sell(id) {
      await api.getOrder(id, options)
      return (await api.completeOrder(id, options)).data
    },
    events: async () => (await api.listEvents(undefined, options)).data,
  }
}
