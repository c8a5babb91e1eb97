// Level `store`: keys and methods of operations of the store area that no other file covers.

import { absentId, asPremise } from '../fixtures.ts'
import { orderBody, placed } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { Unjudged } from '../request.ts'
import { methodRows } from './methods.ts'
import { keyRows } from './shared/key-rows.ts'
import type { PromiseRow } from './shared/promise.ts'
import { documented, familyOf, rowsOf } from './shared/rows.ts'

const row = rowsOf('store')
const READS = ['orders.list', 'orders.get', 'inventory.get', 'events.list']

const someOrderId = async (probe: Probe) => {
  const [id] = (await probe.read('/store/orders?limit=1')).ids
  if (id === undefined && !probe.target.write) throw new Unjudged('The server lists no order.')
  return id ?? (await asPremise(placed(probe))).id
}

const METHODS = {
  orders: '/store/orders',
  order: '/store/orders/{orderId}',
  complete: '/store/orders/{orderId}/complete',
  return: '/store/orders/{orderId}/return',
  inventory: '/store/inventory',
  events: '/store/events',
}

export const storeKeyPromises: readonly PromiseRow[] = [
  ...READS.flatMap((id) =>
    keyRows(id, [], async (probe, options, status, code) => {
      const path = familyOf(id).path.replace(/\{\w+\}/, absentId())
      ;(await probe.ask(`GET ${path}`, options)).expectError(status, code)
    }),
  ),
  ...keyRows('orders.place', [], async (probe, options, status, code) =>
    (await probe.post('/store/orders', orderBody(absentId()), options)).expectError(status, code),
  ),
  row('keys.read-only.store', 'A read-only key can GET /store/orders, one order, /store/inventory and /store/events.')
    .from(documented('Keys', 'Scope'), { needs: ['read-only key'] })
    .check(async (probe) => {
      for (const path of ['orders', `orders/${await someOrderId(probe)}`, 'inventory', 'events'])
        (await probe.ask(`GET /store/${path}`, { key: 'read-only' })).expectStatus(200)
    }),
  ...Object.entries(METHODS).flatMap(([name, path]) => methodRows('store', name, path)),
  row('errors.unknown-path.store', 'GET /store/petstore-verify: Unknown paths of the store area return 404 not_found.')
    .from(documented('Errors', 'Other methods and paths'))
    .check(async (probe) => {
      for (const path of ['/store', '/store/petstore-verify', `/store/orders/${absentId()}/petstore-verify`]) {
        ;(await probe.ask(`GET ${path}`, { mayRedirect: true })).expectError(404, 'not_found')
      }
    }),
]
