// Our client, as in docs/clients.md.
import { PetstoreClient } from '../../../src/petstore.ts'

export default function connect({ baseUrl, apiKey }) {
  const client = new PetstoreClient({ baseUrl, apiKey })
  return {
    async pets(filter) {
      const pets = []
      for await (const pet of client.listPets(filter)) pets.push(pet)
      return pets
    },
    add: (pet) => client.createPet(pet),
    pet: (id) => client.getPet(BigInt(id)),
    inventory: () => client.getInventory(),
    order: (petId) => client.placeOrder({ petId: BigInt(petId) }),
    async sell(id) {
      let ifMatch
      await client.getOrder(BigInt(id), { onEntityTag: (tag) => (ifMatch = tag) })
      return client.completeOrder(BigInt(id), { ifMatch })
    },
    async events(count) {
      for await (const _ of client.followEvents()) if (--count === 0) return
    },
  }
}
