// The same service on Express 5, the framework most people know. What comes in is checked by hand, which is faster than
// the validators people add to it.
// usage: node express.mjs DATABASE PORT

import express from 'express'
import { argumentsOfPeer, nextLink, openStore } from './store.mjs'

const { database, port } = argumentsOfPeer()
const store = openStore(database)
const STATUSES = ['available', 'pending', 'sold']

const app = express()
app.disable('x-powered-by')
app.use((request, response, next) => {
  request.keyId = store.findKey(request.headers.authorization)
  if (request.keyId === undefined) return fail(response, 401, 'invalid_api_key', 'Send a valid API key.')
  next()
})
app.use(express.json({ limit: '64kb' }))

app.get('/v1/pets', (request, response) => {
  const { limit: limitText = '20', status, cursor = '0' } = request.query
  const limit = Number(limitText)
  const valid =
    limit >= 1 && limit <= 100 && (status === undefined || STATUSES.includes(status)) && /^\d+$/.test(cursor)
  if (!valid) return fail(response, 400, 'invalid_parameter', 'limit, status or cursor is not valid.')
  const pets = store.listPets(limit, status, Number(cursor))
  if (pets.length > limit) {
    pets.length = limit
    response.set('Link', nextLink(limit, status, pets[limit - 1].id))
  }
  response.json(pets)
})

app.post('/v1/pets', (request, response) => {
  const { name, categoryId, status = 'available' } = request.body ?? {}
  const valid =
    typeof name === 'string' &&
    name.length >= 1 &&
    name.length <= 255 &&
    Number.isInteger(categoryId) &&
    STATUSES.includes(status)
  if (!valid) return fail(response, 400, 'invalid_pet', 'name, categoryId or status is not valid.')
  response.status(201).json(store.createPet({ name, categoryId, status }, request.keyId))
})

app.get('/v1/pets/:petId', (request, response) => {
  const found = store.getPet(Number(request.params.petId))
  if (found) response.json(found)
  else fail(response, 404, 'not_found', 'No such pet.')
})

app.listen(port, '127.0.0.1')

function fail(response, status, code, message) {
  response.status(status).json({ code, message, status })
}
