// Faults in orders that are read and that expire, and in the inventory.

import type { ServiceResponse } from '../proxy.ts'
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
  rewrite,
  status,
} from './shared/builders.ts'
import { frozen, keepingTags, refusingExpired, stuckAfter, succeedingTogether } from './shared/memory.ts'
import { INVENTORY, LIST, number, ORDER, ORDERS } from './shared/operations.ts'

const ordersListed = (change: Change): ContractFault => at(ORDERS, 200).onResponse(change)
const listingOrders = (change: RequestChange): ContractFault => at(ORDERS).onRequest(change)

const READING: ContractFaults = {
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

const isExpired = (_: unknown, { body }: ServiceResponse) => body.includes('expired')

const MOVES: ContractFaults = {
  'orders.expiry': at(ORDER, 200).onResponse(put('status', 'pending')),
  'orders.expiry.pet': stuckAfter(ORDER, isExpired),
  'orders.expiry.ended': refusingExpired,
  'orders.together': succeedingTogether,
}

const COUNTS: ContractFaults = {
  'inventory.get.success': at(INVENTORY, 200).onResponse(json((counts) => [counts])),
  'inventory.get.counts': at(INVENTORY, 200).onResponse(rewrite('available', (count) => number(BigInt(count) + 1n))),
  'inventory.get.follows': frozen(INVENTORY),
}

export const READ_ORDER_FAULTS: ContractFaults = { ...READING, ...MOVES, ...COUNTS }
