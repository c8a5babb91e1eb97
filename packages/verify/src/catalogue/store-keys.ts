// Level `store`: keys and methods of every operation of the store area.

import type { OperationId } from '../../../contract/src/contract.ts'
import { absentId } from '../fixtures.ts'
import type { RequestOptions } from '../probe.ts'
import type { PromiseRow } from '../promise.ts'
import { INVALID_KEY } from './interface-keys.ts'
import { methodRows } from './methods.ts'
import { operationOf, response, rowsOf } from './rows.ts'

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

export const storeKeyPromises: readonly PromiseRow[] = Object.entries(OPERATIONS).flatMap(([name, of]) => {
  const { path, method } = operationOf(of)
  const line = () => `${method.toUpperCase()} ${path.replace(/\{\w+\}/, absentId())}`
  const needs = method === 'get' ? {} : { needs: ['write'] as const }
  const both = (['missing', 'invalid'] as const).map((which) =>
    row(
      `auth.${which}.${name.replace('.', '-')}`,
      `${which === 'missing' ? 'Without an' : 'With an invalid'} API key, ${of} answers 401 ${which}_api_key.`,
    )
      .from(response(of, 401), { ...needs, after: [`auth.code.${which}`, `auth.challenge.${which}`] })
      .check(async (probe) => {
        const options: RequestOptions = which === 'missing' ? { key: 'none' } : { authorization: [INVALID_KEY] }
        const answer = (await probe.ask(line(), options)).expectError(401, `${which}_api_key`)
        answer.expectHeader('WWW-Authenticate', /^Bearer realm="petstore"/)
      }),
  )
  if (method === 'get') return both
  return [
    ...both,
    row(`keys.read-only.${name.replace('.', '-')}`, `A read-only key is refused by ${of}: 403 read_only_key.`)
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

export const storeMethods: readonly PromiseRow[] = Object.entries(METHODS).flatMap(([name, path]) =>
  methodRows('store', name, path),
)
