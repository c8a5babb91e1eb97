// What a good engineer would write today: Fastify 5, JSON Schema for what comes in and for what goes out (which also
// makes its fast serializer), prepared statements. Not logging, which is kind to it.
// usage: node fastify.mjs DATABASE PORT

import Fastify from 'fastify'
import { argumentsOfPeer, nextLink, openStore } from './store.mjs'

const { database, port } = argumentsOfPeer()
const store = openStore(database)

const status = { type: 'string', enum: ['available', 'pending', 'sold'] }
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 255 },
    categoryId: { type: 'integer' },
    status: { ...status, default: 'available' },
  },
}
const pet = {
  type: 'object',
  required: ['id', 'name', 'categoryId'],
  properties: { id: { type: 'integer' }, ...newPet.properties },
}
const error = {
  type: 'object',
  properties: { code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } },
}

const app = Fastify({ logger: false, bodyLimit: 64 * 1024 })

app.decorateRequest('keyId', undefined)
app.addHook('onRequest', (request, reply, done) => {
  request.keyId = store.findKey(request.headers.authorization)
  if (request.keyId === undefined) {
    reply.header('WWW-Authenticate', 'Bearer')
    reply.code(401).send({ code: 'invalid_api_key', message: 'Send a valid API key.', status: 401 })
    return
  }
  done()
})

app.setErrorHandler((thrown, _request, reply) => {
  const code = thrown.statusCode ?? 500
  reply.code(code).send({ code: thrown.code ?? 'internal', message: thrown.message, status: code })
})

app.get(
  '/v1/pets',
  {
    schema: {
      querystring: {
        type: 'object',
        properties: {
          limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
          status,
          cursor: { type: 'integer', default: 0 },
        },
      },
      response: { 200: { type: 'array', items: pet }, '4xx': error },
    },
  },
  (request, reply) => {
    const { limit, status, cursor } = request.query
    const pets = store.listPets(limit, status, cursor)
    if (pets.length > limit) {
      pets.length = limit
      reply.header('Link', nextLink(limit, status, pets[limit - 1].id))
    }
    reply.send(pets)
  },
)

app.post('/v1/pets', { schema: { body: newPet, response: { 201: pet, '4xx': error } } }, (request, reply) => {
  reply.code(201).send(store.createPet(request.body, request.keyId))
})

app.get(
  '/v1/pets/:petId',
  {
    schema: {
      params: { type: 'object', properties: { petId: { type: 'integer' } } },
      response: { 200: pet, '4xx': error },
    },
  },
  (request, reply) => {
    const found = store.getPet(request.params.petId)
    if (found) reply.send(found)
    else reply.code(404).send({ code: 'not_found', message: 'No such pet.', status: 404 })
  },
)

await app.listen({ host: '127.0.0.1', port })
