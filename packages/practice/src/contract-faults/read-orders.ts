// Faults in orders that are read.

import {
  at,
  type Change,
  type ContractFault,
  type ContractFaults,
  drop,
  json,
  parameter,
  parametersOf,
  put,
  type RequestChange,
  status,
} from './shared/builders.ts'
import { keepingTags } from './shared/memory.ts'
import { LIST, number, ORDER, ORDERS } from './shared/operations.ts'

const ordersListed = (change: Change): ContractFault => at(ORDERS, 200).onResponse(change)
const listingOrders = (change: RequestChange): ContractFault => at(ORDERS).onRequest(change)

export const READ_ORDER_FAULTS: ContractFaults = {
  'orders.get.success': at(ORDER, 200).onResponse(put('petId', number(7_000_000))),
  'orders.get.placed': at(ORDER, 200).onResponse(put('petName', 'Nobody')),
  'orders.get.not-found': at(ORDER, 404).onResponse(status(410)),
  'orders.get.no-id': at(ORDER).refusing(({ target }) => !/\/[1-9]\d*$/.test(target), 400, 'invalid_parameter'),
  'orders.list.success': ordersListed(json((orders) => new Map([['orders', orders]]))),
  'orders.list.item': ordersListed(drop('changedAt')),
  'orders.list.cursor.other-list': at(
    `${LIST}|${ORDERS}`,
    400,
    (request) => parametersOf(request).size === 1,
  ).resending(parameter('cursor', /^[\w-]{15}$/, undefined)),
  'orders.list.limit': listingOrders(parameter('limit', /^2$/, '20')),
  'orders.list.status.pending': listingOrders(parameter('status', /^pending$/, undefined)),
  'orders.list.status.cancelled': listingOrders(parameter('status', /^cancelled$/, 'completed')),
  'orders.list.status.completed': listingOrders(parameter('status', /^completed$/, 'cancelled')),
  'orders.list.status.expired': listingOrders(parameter('status', /^expired$/, 'cancelled')),
  'orders.list.status.returned': listingOrders(parameter('status', /^returned$/, 'cancelled')),
  'orders.list.etag.changes': keepingTags(ORDERS),
  'orders.get.etag.changes': keepingTags(ORDER),
  'pets.update.orders': keepingTags(ORDER),
}
