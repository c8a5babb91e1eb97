// oazapfts: a function for each operation, which resolves with a status and data.
import * as api from './.made/oazapfts.ts'

export default function connect({ baseUrl, apiKey }) {
  api.defaults.baseUrl = baseUrl
  api.defaults.headers = { Authorization: `Bearer ${apiKey}` }
  return {
    pets: async (query) => (await api.listPets(query)).data,
    add: async (pet) => (await api.createPet(pet)).data,
    pet: async (id) => (await api.getPet(id)).data,
    inventory: async () => (await api.getInventory()).data,
    order: async (petId) => (await api.placeOrder({ petId })).data,
    async sell(id) {
      await api.getOrder(id)
      return (await api.completeOrder(id)).data
    },
    events: async () => (await api.listEvents()).data,
  }
}
