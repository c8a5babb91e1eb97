// Faults in orders that are read.

import { at, type ContractFaults } from './shared/faults.ts'
import { keepingTags } from './shared/memory.ts'
import { LIST, ORDER, ORDERS } from './shared/operations.ts'
import { parametersOf } from './shared/requests.ts'
import { number } from './shared/values.ts'

const ordersListed = at(ORDERS, 200).answer
const listingOrders = at(ORDERS).request

export const READ_ORDER_FAULTS: ContractFaults = {
  'orders.get.success': at(ORDER, 200).answer.put('petId', number(7_000_000)),
  'orders.get.placed': at(ORDER, 200).answer.put('petName', 'Nobody'),
  'orders.get.not-found': at(ORDER, 404).answer.status(410),
  'orders.get.no-id': at(ORDER).refusing(({ target }) => !/\/[1-9]\d*$/.test(target)),
  'orders.list.success': ordersListed.json((orders) => new Map([['orders', orders]])),
  'orders.list.item': ordersListed.drop('changedAt'),
  'orders.list.cursor.other-list': at(
    `${LIST}|${ORDERS}`,
    400,
    (request) => parametersOf(request).size === 1,
  ).again.parameter('cursor', /^[\w-]{15}$/),
  'orders.list.limit': listingOrders.parameter('limit', /^2$/, '20'),
  'orders.list.status.pending': listingOrders.parameter('status', /^pending$/),
  'orders.list.status.cancelled': listingOrders.parameter('status', /^cancelled$/, 'completed'),
  'orders.list.status.completed': listingOrders.parameter('status', /^completed$/, 'cancelled'),
  'orders.list.status.expired': listingOrders.parameter('status', /^expired$/, 'cancelled'),
  'orders.list.status.returned': listingOrders.parameter('status', /^returned$/, 'cancelled'),
  'orders.list.etag.changes': keepingTags(ORDERS),
  'orders.get.etag.changes': keepingTags(ORDER),
  'pets.update.orders': keepingTags(ORDER),
}
