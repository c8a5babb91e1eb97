// swagger-typescript-api with its client for fetch.
import { Api } from './.made/swagger.ts'

export default function connect({ baseUrl, apiKey }) {
  const { pets, store } = new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${apiKey}` } } })
  return {
    pets: async (query) => (await pets.listPets(query)).data,
    add: async (pet) => (await pets.createPet(pet)).data,
    pet: async (id) => (await pets.getPet(id)).data,
    inventory: async () => (await store.getInventory()).data,
    order: async (petId) => (await store.placeOrder({ petId })).data,
    async sell(id) {
      await store.getOrder(id)
      return (await store.completeOrder(id)).data
    },
    events: async () => (await store.listEvents()).data,
  }
}
