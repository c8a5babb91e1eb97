// openapi-fetch, as in its documentation.
import createClient from 'openapi-fetch'

export default function connect({ baseUrl, apiKey }) {
  const client = createClient({ baseUrl, headers: { Authorization: `Bearer ${apiKey}` } })
  const order = (id) => ({ params: { path: { orderId: id } } })
  return {
    pets: async (query) => (await client.GET('/pets', { params: { query } })).data,
    add: async (body) => (await client.POST('/pets', { body })).data,
    pet: async (petId) => (await client.GET('/pets/{petId}', { params: { path: { petId } } })).data,
    inventory: async () => (await client.GET('/store/inventory')).data,
    order: async (petId) => (await client.POST('/store/orders', { body: { petId } })).data,
    async sell(id) {
      await client.GET('/store/orders/{orderId}', order(id))
      return (await client.POST('/store/orders/{orderId}/complete', order(id))).data
    },
    events: async () => (await client.GET('/store/events')).data,
  }
}
