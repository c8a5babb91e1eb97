// An independent server of the interface document, with Fastify. It differs from ours wherever the document allows it:
// ordered by name, ids downwards from the largest int64, at most 50 pets on a page, unknown fields and parameters
// refused (even before the key), default status `pending`, `charset` in each Content-Type, and only GET and POST.
// usage: node fastify.mjs KEY; prints its origin

import Fastify from 'fastify'

const [, , KEY] = process.argv
const PAGE_MAX = 50
const pets = []

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

const fail = (reply, status, message) => reply.code(status).send({ code: String(status), message, status })
app.setErrorHandler((error, _request, reply) => fail(reply, error.statusCode ?? 500, error.message))
app.setNotFoundHandler((_request, reply) => fail(reply, 404, 'No such address.'))

const checkKey = (request, reply, done) => {
  if (request.headers.authorization === `Bearer ${KEY}`) done()
  else fail(reply, 401, 'A valid key, please.')
}

app.register(
  async (routes) => {
    routes.addHook('preHandler', checkKey)

    routes.get('/pets', { schema: { querystring: query } }, (request, reply) => {
      const { status, limit } = request.query
      const found = pets.filter((pet) => !status || pet.status === status).sort((a, b) => (a.name < b.name ? -1 : 1))
      return json(reply, `[${found.slice(0, Math.min(Number(limit), PAGE_MAX)).map(textOf)}]`)
    })

    routes.post('/pets', { schema: { body: newPet } }, (request, reply) => {
      const pet = { status: 'pending', ...request.body, id: 9223372036854775807n - BigInt(pets.length) }
      pets.push(pet)
      return json(reply.code(201), textOf(pet))
    })

    routes.get('/pets/:petId', (request, reply) => {
      const { petId } = request.params
      const pet = pets.find(({ id }) => String(id) === petId)
      return pet ? json(reply, textOf(pet)) : fail(reply, 404, `No pet has the id ${petId}.`)
    })
  },
  { prefix: '/right/v1' },
)

/** Returns the digits of an int64, otherwise 'none'. */
function int64(value, text) {
  const digits = /"categoryId"\s*:\s*(-?\d+)\s*[,}]/.exec(text)?.[1]
  if (typeof value !== 'number' || digits === undefined) return 'none'
  return BigInt.asIntN(64, BigInt(digits)) === BigInt(digits) ? digits : 'none'
}

function textOf({ id, name, categoryId, status }) {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}","tags":[]}`
}

function json(reply, text) {
  return reply.type('application/json; charset=utf-8').send(text)
}

process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
