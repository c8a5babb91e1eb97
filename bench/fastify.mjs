// The same service as a good engineer would write it with Fastify 5, JSON Schema for input and output, and node:sqlite with prepared
// statements, WAL, synchronous=FULL and one transaction for each create. It uses the same file as the service and logs nothing.
// Usage: node fastify.mjs DATABASE PORT

import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import Fastify from 'fastify'

const [, , path, port] = process.argv

const database = new DatabaseSync(path)
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 2000')
const select = (rest) => database.prepare(`SELECT id, name, category_id AS categoryId, status FROM pets WHERE ${rest}`)
const page = select('id > ? ORDER BY id LIMIT ?')
const pageByStatus = select('status = ? AND id > ? ORDER BY id LIMIT ?')
const petById = select('id = ?')
const insert = database.prepare(
  'INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES (?, ?, ?, ?, ?)',
)
// Reads the keys once, which is an advantage: the service checks its file on every request.
const valid = database.prepare('SELECT hash, id FROM keys WHERE revoked_at IS NULL').all()
const keys = new Map(valid.map((key) => [key.hash, key.id]))

const integer = { type: 'integer' }
const status = { type: 'string', enum: ['available', 'pending', 'sold'] }
const name = { type: 'string', minLength: 1, maxLength: 255 }
const fields = { name, categoryId: integer, status: { ...status, default: 'available' } }
const newPet = { type: 'object', required: ['name', 'categoryId'], properties: fields }
const pet = { ...newPet, required: ['id', ...newPet.required], properties: { id: integer, ...fields } }

const limits = { limit: { ...integer, minimum: 1, maximum: 100, default: 20 }, cursor: { ...integer, default: 0 } }
const query = { type: 'object', properties: { status, ...limits } }
const petId = { type: 'object', properties: { petId: integer } }

const app = Fastify({ logger: false, bodyLimit: 64 * 1024 })

app.decorateRequest('keyId', undefined)
app.addHook('onRequest', (request, reply, done) => {
  const { authorization = '' } = request.headers
  request.keyId = authorization.startsWith('Bearer ') ? keys.get(hash('sha256', authorization.slice(7))) : undefined
  if (request.keyId !== undefined) return done()
  reply.header('WWW-Authenticate', 'Bearer').code(401)
  reply.send({ code: 'invalid_api_key', message: 'Send a valid API key.', status: 401 })
})

const list = { querystring: query, response: { 200: { type: 'array', items: pet } } }
app.get('/v1/pets', { schema: list }, ({ query }, reply) => {
  const { limit, status, cursor } = query
  // One extra row shows whether there is a next page.
  const pets = status ? pageByStatus.all(status, cursor, limit + 1) : page.all(cursor, limit + 1)
  if (pets.length > limit) {
    pets.length = limit
    const filter = status ? `&status=${status}` : ''
    reply.header('Link', `</v1/pets?limit=${limit}${filter}&cursor=${pets[limit - 1].id}>; rel="next"`)
  }
  reply.send(pets)
})

app.post('/v1/pets', { schema: { body: newPet, response: { 201: pet } } }, ({ body, keyId }, reply) => {
  const { lastInsertRowid } = insert.run(body.name, body.categoryId, body.status, Date.now(), keyId)
  reply.code(201).send({ id: Number(lastInsertRowid), ...body })
})

app.get('/v1/pets/:petId', { schema: { params: petId, response: { 200: pet } } }, (request, reply) => {
  const found = petById.get(request.params.petId)
  if (found) reply.send(found)
  else reply.code(404).send({ code: 'not_found', message: 'No such pet.', status: 404 })
})

await app.listen({ host: '127.0.0.1', port: Number(port) })
