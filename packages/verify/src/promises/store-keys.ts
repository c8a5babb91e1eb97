// Level `store`: keys and methods of every operation of the store area.

import type { OperationId } from '../../../contract/src/contract.ts'
import { textOf } from '../answer.ts'
import { absentId, preliminary } from '../fixtures.ts'
import { placed } from '../orders.ts'
import type { Probe, RequestOptions } from '../probe.ts'
import { Unjudged } from '../request.ts'
import { INVALID_KEY } from './interface-keys.ts'
import { methodRows } from './methods.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, documented, lineOf, response, rowsOf } from './shared/rows.ts'

const row = rowsOf('store')

const OPERATIONS: Record<string, OperationId> = {
  'orders.list': 'listOrders',
  'orders.place': 'placeOrder',
  'orders.get': 'getOrder',
  'orders.complete': 'completeOrder',
  'orders.cancel': 'cancelOrder',
  'orders.return': 'returnOrder',
  inventory: 'getInventory',
  events: 'listEvents',
}

const someOrder = async (probe: Probe) => {
  const [order] = (await probe.get('/store/orders?limit=1')).expectStatus(200).objects()
  if (!order && !probe.target.write) throw new Unjudged('There is no order to look at.')
  return `GET /store/orders/${order ? textOf(order.get('id')) : (await preliminary(placed(probe))).id}`
}

const sameWithReadOnlyKey = (line: (probe: Probe) => Promise<string>): Check => {
  return async (probe) => {
    const request = await line(probe)
    const { status } = await probe.ask(request)
    ;(await probe.ask(request, { key: 'read-only' })).expectStatus(status)
  }
}

export const storeKeyPromises: readonly PromiseRow[] = Object.entries(OPERATIONS).flatMap(([name, of]) => {
  const named = lineOf(of)
  const line = () => named.replace(/\{\w+\}/, absentId())
  const isRead = named.startsWith('GET')
  const needs = isRead ? {} : { needs: ['write'] as const }
  const both = (['missing', 'invalid'] as const).map((which) =>
    row(
      `auth.${which}.${name.replace('.', '-')}`,
      `${which === 'missing' ? 'Without an' : 'With an invalid'} API key, ${named} answers 401 ${which}_api_key.`,
    )
      .from(response(of, 401), { ...needs, after: [`auth.code.${which}`, `auth.challenge.${which}`] })
      .check(async (probe) => {
        const options: RequestOptions = which === 'missing' ? { key: 'none' } : { authorization: [INVALID_KEY] }
        const answer = (await probe.ask(line(), options)).expectError(401, `${which}_api_key`)
        answer.expectHeader('WWW-Authenticate', /^Bearer realm="petstore"/)
      }),
  )
  if (of === 'listEvents') return both
  if (isRead) {
    const read = row(
      `keys.read-only.${name.replace('.', '-')}`,
      `${named}: A read-only key gets the same status as another.`,
    )
    const more = { needs: ['read-only key'] as const }
    return [
      ...both,
      read
        .from(documented('Keys', 'Scope'), more)
        .check(sameWithReadOnlyKey(of === 'getOrder' ? someOrder : async () => line())),
    ]
  }
  return [
    ...both,
    row(`keys.read-only.${name.replace('.', '-')}`, `${named}: A read-only key is refused: 403 read_only_key.`)
      .from(response(of, 403), { needs: ['write', 'read-only key'] })
      .check(async (probe) => (await probe.ask(line(), { key: 'read-only' })).expectError(403, 'read_only_key')),
  ]
})

const METHODS = {
  orders: '/store/orders',
  order: '/store/orders/{orderId}',
  complete: '/store/orders/{orderId}/complete',
  return: '/store/orders/{orderId}/return',
  inventory: '/store/inventory',
  events: '/store/events',
}

export const storeMethods: readonly PromiseRow[] = [
  ...Object.entries(METHODS).flatMap(([name, path]) => methodRows('store', name, path)),
  row(
    'errors.unknown-path.store',
    'GET /store, GET /store/petstore-verify: An unknown path of the store area is 404 not_found.',
  )
    .from(documented('Errors', 'Other methods and paths'))
    .check(async (probe) => {
      for (const path of ['/store', '/store/petstore-verify', `/store/orders/${absentId()}/petstore-verify`]) {
        ;(await probe.ask(`GET ${path}`, { mayRedirect: true })).expectError(404, 'not_found')
      }
    }),
]
