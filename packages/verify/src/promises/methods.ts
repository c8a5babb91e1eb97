// OPTIONS, unsupported methods, exact matching of paths, and the keys and methods of the store area.

import { document } from '../../../contract/src/contract.ts'
import type { Answer } from '../answer.ts'
import { absentId, asPremise } from '../fixtures.ts'
import { orderBody, placed } from '../orders.ts'
import { somePetId } from '../pet-lists.ts'
import type { Probe, RequestOptions } from '../probe.ts'
import { nameOfPath } from '../wrong-values.ts'
import { keyRows } from './shared/key-rows.ts'
import { answers, documented, familyOf, reading, rowsOf } from './shared/rows.ts'

const row = rowsOf('pets')
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Rows for OPTIONS and for unsupported methods. `template` is a path of the contract. */
function methodRows(template: string) {
  const row = rowsOf(template.startsWith('/pets') ? 'pets' : 'store')
  const name = nameOfPath(template)
  const path = template.replace(/\{\w+\}/, absentId())
  const own = Object.keys(document.paths[template] ?? {}).map((method) => method.toUpperCase())
  const allowed = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ')
  const expectAllow = (answer: Answer) => {
    const given = (answer.header('Allow') ?? '').split(/\s*,\s*/)
    const allow = given.sort().join(', ')
    answer.expect(allow === allowed, `Allow: ${allowed}`, `Allow: ${allow}`)
  }
  return [
    row(`methods.options.${name}`, `OPTIONS ${template}: 204 with Allow, even without a key.`)
      .from(documented('Errors', 'Other methods and paths'))
      .check(async (probe) => expectAllow((await probe.ask(`OPTIONS ${path}`, { key: 'none' })).expectStatus(204))),
    row(`methods.other.${name}`, `${template}: An unsupported method returns 405 method_not_allowed with Allow.`)
      .from(documented('Errors', 'Other methods and paths'), { needs: ['write'] })
      .check(async (probe) => {
        for (const method of METHODS.filter((one) => !own.includes(one))) {
          const answer = await probe.ask(`${method} ${path}`)
          expectAllow(answer.expectError(405, 'method_not_allowed'))
        }
      }),
  ]
}

const PATHS: Record<string, readonly [string, string]> = {
  'trailing-slash': ['/pets/', 'A trailing slash makes a different path'],
  'double-slash': ['//pets', 'A double slash makes a different path'],
  case: ['/Pets', 'Capital letters make a different path'],
  'dot-segments': ['/./pets', 'A dot segment makes a different path'],
  'encoded-letters': ['/p%65ts', 'An encoded letter makes a different path'],
}

const AS_GET = ['pets.list.head', 'errors.unknown-path', 'pets.list.limit.wrong', 'pets.get.not-found']

const store = rowsOf('store')
const READS = ['orders.list', 'orders.get', 'inventory.get', 'events.list']

const someOrderId = async (probe: Probe) => {
  const [id] = (await probe.read('/store/orders?limit=1')).ids
  if (id === undefined && !probe.target.write) throw probe.unjudged('The server lists no order.')
  return id ?? (await asPremise(placed(probe))).id
}

export const methodPromises = [
  ...Object.keys(document.paths).flatMap(methodRows),
  row('methods.head.errors', 'HEAD fails like GET: without a key, with an invalid limit, for an unknown pet or path.')
    .from('RFC 9110, section 9.3.2', reading(...AS_GET))
    .check(async (probe) => {
      const request: readonly (readonly [string, RequestOptions])[] = [
        ['/pets', { key: 'none' }],
        [`/pets/${await somePetId(probe).catch(() => '1')}`, { key: 'none' }],
        ['/pets?limit=0', {}],
        [`/pets/${absentId()}`, {}],
        ['/petstore-verify', {}],
      ]
      for (const [path, options] of request) {
        const { status } = await probe.ask(`GET ${path}`, options)
        ;(await probe.ask(`HEAD ${path}`, options)).expectStatus(status).expectText('')
      }
    }),
  ...Object.entries(PATHS).map(([name, [path, words]]) =>
    row(`paths.${name}`, `GET ${path}: ${words}: 404.`)
      .from(documented('Errors', 'Other methods and paths'), reading('errors.unknown-path'))
      .check(answers(`GET ${path}`, 404, undefined, { mayRedirect: true })),
  ),
  row('paths.encoded-digits', 'GET /pets/{petId}: Percent-encoded digits are valid in an id.')
    .from(documented('Errors', 'Other methods and paths'), reading('pets.get.success'))
    .check(async (probe) => {
      const id = await somePetId(probe)
      const encoded = [...id].map((digit) => `%${digit.charCodeAt(0).toString(16)}`).join('')
      await probe.read(`/pets/${encoded}`)
    }),
  ...READS.flatMap((id) =>
    keyRows(id, [], async (probe, options, status, code) => {
      const path = familyOf(id).path.replace(/\{\w+\}/, absentId())
      ;(await probe.ask(`GET ${path}`, options)).expectError(status, code)
    }),
  ),
  ...keyRows('orders.place', [], async (probe, options, status, code) =>
    (await probe.post('/store/orders', orderBody(absentId()), options)).expectError(status, code),
  ),
  store('keys.read-only.store', 'A read-only key can GET /store/orders, an order, /store/inventory and /store/events.')
    .from(documented('Keys', 'Scope'), { needs: ['read-only key'] })
    .check(async (probe) => {
      for (const path of ['orders', `orders/${await someOrderId(probe)}`, 'inventory', 'events'])
        (await probe.ask(`GET /store/${path}`, { key: 'read-only' })).expectStatus(200)
    }),
  store('errors.unknown-path.store', 'GET /store/petstore-verify: Unknown paths of the store area: 404 not_found.')
    .from(documented('Errors', 'Other methods and paths'))
    .check(async (probe) => {
      for (const path of ['/store', '/store/petstore-verify', `/store/orders/${absentId()}/petstore-verify`]) {
        ;(await probe.ask(`GET ${path}`, { mayRedirect: true })).expectError(404, 'not_found')
      }
    }),
]
