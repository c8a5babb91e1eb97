// The peer: what a good engineer would write today. Fastify 5 with JSON Schema for input and output (which also builds its
// fast serializer), and node:sqlite with prepared statements, WAL, synchronous=FULL and one transaction for each create. It
// reads the same file as the service and logs nothing.
// usage: node fastify.mjs DATABASE PORT

import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'

const [, , path, port] = process.argv

const database = new DatabaseSync(path)
for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'busy_timeout = 2000'])
  database.exec(`PRAGMA ${pragma}`)
const columns = 'id, name, category_id AS categoryId, status'
const page = database.prepare(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`)
const pageByStatus = database.prepare(`SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`)
const petById = database.prepare(`SELECT ${columns} FROM pets WHERE id = ?`)
const insert = database.prepare(
  'INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES (?, ?, ?, ?, ?)',
)
// Keys are read once, in favour of this peer: the service checks its file at every request.
const keys = new Map(
  database
    .prepare('SELECT hash, id FROM keys WHERE revoked_at IS NULL')
    .all()
    .map((key) => [key.hash, key.id]),
)

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
const query = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    status,
    cursor: { type: 'integer', default: 0 },
  },
}
const petId = { type: 'object', properties: { petId: { type: 'integer' } } }

const app = Fastify({ logger: false, bodyLimit: 64 * 1024 })

app.decorateRequest('keyId', undefined)
app.addHook('onRequest', (request, reply, done) => {
  const { authorization = '' } = request.headers
  request.keyId = authorization.startsWith('Bearer ') ? keys.get(hash('sha256', authorization.slice(7))) : undefined
  if (request.keyId !== undefined) return done()
  reply.header('WWW-Authenticate', 'Bearer').code(401)
  reply.send({ code: 'invalid_api_key', message: 'Send a valid API key.', status: 401 })
})

const list = { schema: { querystring: query, response: { 200: { type: 'array', items: pet } } } }
app.get('/v1/pets', list, ({ query: { limit, status, cursor } }, reply) => {
  // One more than asked for shows whether a next page exists.
  const pets = status ? pageByStatus.all(status, cursor, limit + 1) : page.all(cursor, limit + 1)
  if (pets.length > limit) {
    pets.length = limit
    const filter = status ? `&status=${status}` : ''
    reply.header('Link', `</v1/pets?limit=${limit}${filter}&cursor=${pets[limit - 1].id}>; rel="next"`)
  }
  reply.send(pets)
})

app.post('/v1/pets', { schema: { body: newPet, response: { 201: pet } } }, ({ body, keyId }, reply) => {
  const { name, categoryId, status } = body
  const { lastInsertRowid } = insert.run(name, categoryId, status, Date.now(), keyId)
  reply.code(201).send({ id: Number(lastInsertRowid), name, categoryId, status })
})

app.get('/v1/pets/:petId', { schema: { params: petId, response: { 200: pet } } }, (request, reply) => {
  const found = petById.get(request.params.petId)
  if (found) reply.send(found)
  else reply.code(404).send({ code: 'not_found', message: 'No such pet.', status: 404 })
})

await app.listen({ host: '127.0.0.1', port: Number(port) })
