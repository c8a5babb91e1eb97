// An independent server of the interface document, with Fastify. It differs from ours wherever the document allows it:
// ordered by name, ids downwards from the largest int64, at most 50 pets on a page, unknown fields and parameters
// refused (even before the key), default status `pending`, `charset` in each Content-Type, and only GET and POST. The
// first path segment names a fault, or is `right`. Each has its own store. usage: node fastify.mjs KEY; prints its
// origin

import Fastify from 'fastify'

const [, , KEY] = process.argv
const PAGE_MAX = 50
const stores = new Map()

const status = { type: 'string', enum: ['available', 'pending', 'sold'] }
const newPet = {
  type: 'object',
  required: ['name', 'categoryId'],
  additionalProperties: false,
  // A categoryId is a string of digits, because a JavaScript number has only 53 bits.
  properties: { name: { type: 'string' }, categoryId: { type: 'string', pattern: '^-?\\d+$' }, status },
}
const limit = { type: 'string', pattern: '^([1-9]\\d?|100)$', default: '20' }
const query = { type: 'object', additionalProperties: false, properties: { limit, status } }

const app = Fastify({
  exposeHeadRoutes: false,
  ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
})
const is = (request, fault) => request.params.fault === fault

app.removeAllContentTypeParsers()
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
  try {
    const body = JSON.parse(text)
    if (body && 'categoryId' in body) body.categoryId = int64(body.categoryId, text)
    done(null, body)
  } catch {
    done(Object.assign(new Error('not JSON'), { statusCode: 400 }))
  }
})

const fail = (request, reply, code, message) => {
  const error = { code: String(code), message, status: is(request, 'status-as-text') ? String(code) : code }
  if (is(request, 'status-always-400')) error.status = 400
  if (is(request, 'error-without-code')) delete error.code
  if (is(request, 'error-without-message')) delete error.message
  if (is(request, 'errors-in-a-list')) return reply.code(code).send({ errors: [error] })
  if (is(request, 'empty-401') && code === 401) return reply.code(code).send()
  return reply.code(code).send(error)
}
app.setErrorHandler((error, request, reply) => fail(request, reply, error.statusCode ?? 500, error.message))
app.setNotFoundHandler((request, reply) => fail(request, reply, 404, 'No such address.'))

const checkKey = (request, reply, done) => {
  const isRight = request.headers.authorization === `Bearer ${KEY}`
  const mayRead = is(request, 'any-key-reads') && request.method === 'GET' && request.headers.authorization
  if (isRight || mayRead || (is(request, 'anybody-adds') && request.method === 'POST')) done()
  else fail(request, reply, 401, 'A valid key, please.')
}

app.register(
  async (routes) => {
    routes.addHook('preHandler', (request, reply, done) => checkKey(request, reply, done))

    routes.get('/pets', { schema: { querystring: query } }, (request, reply) => {
      const { status } = request.query
      const limit = Number(request.query.limit)
      if (is(request, 'no-100') && limit === 100) return fail(request, reply, 400, 'That is too many.')
      const wanted = (pet) => {
        if (is(request, 'sold-are-hidden') && pet.status === 'sold') return false
        if (is(request, 'pending-too') && status === 'available') return pet.status !== 'sold'
        return !status || pet.status === status
      }
      const pets = petsOf(request)
        .filter(wanted)
        .sort((a, b) => (a.name < b.name ? -1 : 1))
      const page = pets.slice(0, Math.min(limit, PAGE_MAX))
      if (is(request, 'one-twice') && page.length > 1) page[1] = page[0]
      return json(reply, `[${page.map(textOf)}]`)
    })

    routes.post('/pets', { schema: { body: newPet } }, (request, reply) => {
      const { body } = request
      const pets = petsOf(request)
      const pet = { status: 'pending', ...body, id: 9223372036854775807n - BigInt(pets.length) }
      if (is(request, 'status-forgotten')) pet.status = 'available'
      if (is(request, 'name-in-ascii')) pet.name = pet.name.replace(/[^ -~]/g, '?')
      pets.push(pet)
      if (is(request, 'answer-without-id')) return json(reply.code(201), JSON.stringify(body))
      if (is(request, 'empty-201')) return reply.code(201).send()
      return json(reply.code(201), textOf(pet))
    })

    routes.get('/pets/:petId', (request, reply) => {
      const { petId } = request.params
      const pets = petsOf(request)
      const pet = is(request, 'any-pet') ? pets[0] : pets.find(({ id }) => String(id) === petId)
      return pet ? json(reply, textOf(pet)) : fail(request, reply, 404, `No pet has the id ${petId}.`)
    })
  },
  { prefix: '/:fault/v1' },
)

/** Returns the digits of an int64, otherwise 'none'. */
function int64(value, text) {
  const digits = /"categoryId"\s*:\s*(-?\d+)\s*[,}]/.exec(text)?.[1]
  if (typeof value !== 'number' || digits === undefined) return 'none'
  return BigInt.asIntN(64, BigInt(digits)) === BigInt(digits) ? digits : 'none'
}

function petsOf({ params: { fault } }) {
  if (!stores.has(fault)) stores.set(fault, [])
  return stores.get(fault)
}

function textOf({ id, name, categoryId, status }) {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}","tags":[]}`
}

function json(reply, text) {
  return reply.type('application/json; charset=utf-8').send(text)
}

process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
