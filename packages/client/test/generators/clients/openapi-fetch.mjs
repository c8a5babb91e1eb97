// openapi-fetch, as in its documentation.
import createClient from 'openapi-fetch'

export default function connect({ baseUrl, apiKey }) {
  const client = createClient({ baseUrl, headers: { Authorization: `Bearer ${apiKey}` } })
  return {
    pets: async (query) => (await client.GET('/pets', { params: { query } })).data,
    add: async (body) => (await client.POST('/pets', { body })).data,
    pet: async (petId) => (await client.GET('/pets/{petId}', { params: { path: { petId } } })).data,
  }
}
