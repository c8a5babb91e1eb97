// The operations on orders, and the inventory. The store decides which changes are allowed (domain/orders.ts).

import { pathOf } from '../../../../contract/src/contract.ts'
import { stringifyJson } from '../../../../contract/src/json.ts'
import { noSuchOrder } from '../../domain/decisions/refusal-messages.ts'
import type { Order, OrderStore } from '../../domain/orders.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import { linksOf, positionOf } from '../request/cursor.ts'
import { type Conditions, changed, created, noContent, ok, preconditionOf } from '../response/response.ts'
import { type SomeHandlers, shared } from './handler.ts'

const ORDER_PATH = pathOf('getOrder')

export const orderOperations = {
  listOrders: shared<'listOrders'>(async ({ orders, linkTo }, _caller, { cursor, ...given }) => {
    const { limit, status, petId, petIds, search, sort } = given
    if (petId !== undefined && petIds)
      throw new PetstoreError('invalid_parameter', 'petId and petIds cannot be used together.')
    const query = { limit, status, petId, petIds, search, sort }
    const page = await orders.listOrders({ ...query, ...positionOf(cursor, 'orders', query) })
    return ok(page.json, linksOf(linkTo, 'orders', query, page))
  }),

  async placeOrder({ orders, running, linkTo }, caller, { 'Idempotency-Key': header }, body) {
    const place = (key?: string) => orders.placeOrder(body, caller.id, key)
    const { value, replayed } = await running.runAlone(caller.id, header, place)
    const Location = linkTo(ORDER_PATH.replace('{orderId}', String(value.id)))
    return created(orders.orderJson(value), replayed, loggedOf(value), { Location })
  },

  async getOrder({ orders }, _caller, { orderId }) {
    const order = await orders.getOrder(orderId)
    if (!order) throw noSuchOrder(orderId)
    return ok(orders.orderJson(order))
  },

  async cancelOrder({ orders }, caller, { orderId, ...conditions }) {
    const order = await orders.cancelOrder(orderId, caller.id, checkFor(orders, conditions))
    return noContent({}, loggedOf(order))
  },

  async completeOrder({ orders }, caller, { orderId, ...conditions }) {
    return changedOrder(orders, await orders.completeOrder(orderId, caller.id, checkFor(orders, conditions)))
  },

  async returnOrder({ orders }, caller, { orderId, ...conditions }) {
    return changedOrder(orders, await orders.returnOrder(orderId, caller.id, checkFor(orders, conditions)))
  },

  async updateOrder({ orders }, caller, { orderId, ...conditions }, body) {
    return changedOrder(orders, await orders.updateOrder(orderId, body, caller.id, checkFor(orders, conditions)))
  },

  getInventory: shared<'getInventory'>(async ({ orders }) => ok(stringifyJson(await orders.getInventory()))),
} satisfies SomeHandlers

const checkFor = ({ orderJson }: OrderStore, conditions: Conditions) => preconditionOf(conditions, orderJson)
const changedOrder = ({ orderJson }: OrderStore, order: Order) => changed(orderJson(order), loggedOf(order))

function loggedOf({ id, petId, status }: Order): Record<string, string> {
  return { orderId: String(id), petId: String(petId), status }
}
