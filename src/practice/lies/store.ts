// Lies about orders that are read, completed, cancelled and returned, and about the inventory.

import {
  admitting,
  at,
  both,
  type Change,
  type ChangeAsked,
  drop,
  errorAnswer,
  header,
  headerText,
  items,
  json,
  jsonAnswer,
  type Lies,
  parameter,
  parametersOf,
  put,
  rewrite,
  sentHeader,
  status,
  type Told,
  text,
} from '../tell.ts'
import { frozen, secondTime, stuckAfter, withFirstKey } from './memory.ts'
import {
  CANCEL,
  COMPLETE,
  error,
  hasCursor,
  hasHeader,
  hasWrongKey,
  INVENTORY,
  LIST,
  number,
  ORDER,
  ORDERS,
  PETS,
  PLACE,
  RETURN,
  withoutKey,
} from './words.ts'

const ordersListed = (change: Change): Told => at(ORDERS, 200).answering(change)
const listingOrders = (change: ChangeAsked): Told => at(ORDERS).asking(change)

const READING: Lies = {
  'orders.get.success': at(ORDER, 200).answering(put('petId', number(7_000_000))),
  'orders.get.placed': at(ORDER, 200).answering(put('petName', 'Nobody')),
  'orders.get.not-found': at(ORDER, 404).answering(status(410)),
  'orders.get.no-id': at(ORDER).refusing(({ target }) => !/\/[1-9]\d*$/.test(target), 400, 'invalid_parameter'),
  'orders.get.etag': at(ORDER, 200).answering((answered, asked) =>
    header('ETag', `"${crypto.randomUUID()}"`)(answered, asked),
  ),
  'orders.get.not-modified.body': at(ORDER, 304).answering(text(() => '{}')),
  'orders.list.success': ordersListed(json((orders) => new Map([['orders', orders]]))),
  'orders.list.item': ordersListed(drop('changedAt')),
  'orders.list.order': ordersListed(items((orders) => orders.toReversed())),
  'orders.list.limit.default': listingOrders(parameter('limit', /^$/, '100')),
  'orders.list.limit.too-large': listingOrders(parameter('limit', /^101$/, '100')),
  'orders.list.next': ordersListed(header('Link', undefined)),
  'orders.list.next.relative': ordersListed(
    headerText('Link', (link) => link.replace('<', '<https://elsewhere.example')),
  ),
  // The first order of a page comes once more.
  'orders.list.next.follow': at(ORDERS, 200, hasCursor).answering(
    items((orders) => orders.flatMap((order, at) => (at === 0 ? [order, order] : [order]))),
  ),
  'orders.list.prev': ordersListed(headerText('Link', (link) => link.replace('rel="prev"', 'rel="last"'))),
  'orders.list.sort.newest': listingOrders(parameter('sort', /^newest$/, 'oldest')),
  'orders.list.cursor.other-list': at(`${LIST}|${ORDERS}`, 400, (asked) => parametersOf(asked).size === 1).askingAgain(
    parameter('cursor', /^[\w-]{15}$/, undefined),
  ),
  'orders.list.status.pending': listingOrders(parameter('status', /^pending$/, undefined)),
  'orders.list.status.cancelled': listingOrders(parameter('status', /^cancelled$/, 'completed')),
  'orders.list.status.unknown': at(ORDERS, 400).askingAgain(parameter('status', /^[a-z]+$/, undefined)),
  'orders.list.pet': listingOrders(parameter('petId', /./, undefined)),
  'orders.list.pet.none': at(
    ORDERS,
    200,
    (asked, { body }) => parametersOf(asked).has('petId') && body.length === 2,
  ).answering(() => errorAnswer(404, 'not_found')),
  'orders.list.pet.text': at(ORDERS, 400).askingAgain(parameter('petId', /^/, undefined)),
  'orders.list.if-none-match': listingOrders(sentHeader('If-None-Match', () => undefined)),
  'orders.list.cache-control': ordersListed(header('Cache-Control', 'no-store')),
}

const MOVES: Lies = {
  'orders.complete.success': at(COMPLETE, 200).answering(put('status', 'pending')),
  'orders.complete.pet': at(PETS, 200).answering(
    rewrite('status', (status) => (status === 'sold' ? 'pending' : status)),
  ),
  'orders.complete.changed-at': at(`${COMPLETE}|${ORDER}`, 200, (_, { body }) => body.includes('completed')).answering(
    rewrite('changedAt', (time) => time.replace(/^\d+/, '2020')),
  ),
  'orders.complete.again': secondTime(COMPLETE, () => errorAnswer(409, 'order_not_pending')),
  'orders.complete.cancelled': at(COMPLETE, 409).answering(status(200)),
  'orders.complete.not-found': at(COMPLETE, 404).answering(() => errorAnswer(409, 'order_not_pending')),
  'orders.complete.body': at(COMPLETE).refusing(hasHeader('Content-Type', /^text/), 415, 'unsupported_media_type'),
  'orders.cancel.success': at(CANCEL, 204).answering(() => jsonAnswer(200, {})),
  'orders.cancel.pet': stuckAfter(CANCEL),
  'orders.cancel.again': secondTime(CANCEL, () => errorAnswer(404, 'not_found')),
  'orders.cancel.completed': at(CANCEL, 409).answering(
    both(
      status(204),
      text(() => ''),
    ),
  ),
  'orders.cancel.if-match.other': at(CANCEL).asking(sentHeader('If-Match', () => undefined)),
  'orders.cancel.if-none-match': at(CANCEL).asking(sentHeader('If-None-Match', () => undefined)),
  'orders.complete.if-match': at(COMPLETE).refusing(hasHeader('If-Match', /./), 412, 'precondition_failed'),
  'orders.complete.state-first': at(COMPLETE).refusing(
    hasHeader('If-Match', /"x"|"other"|"nothing"/),
    412,
    'precondition_failed',
  ),
  'orders.return.success': at(RETURN, 200).answering(status(202)),
  'orders.return.pet': stuckAfter(RETURN),
  'orders.return.again': secondTime(RETURN, () => errorAnswer(409, 'order_not_completed')),
  'orders.return.pending': at(RETURN, 409).answering(() => errorAnswer(409, 'order_not_pending')),
  'orders.expiry': at(ORDER, 200).answering(put('status', 'pending')),
  'orders.expiry.complete': at(COMPLETE, 409, (_, { body }) => /expired/.test(body.toString())).answering(status(200)),
}

const COUNTS: Lies = {
  'inventory.get.sold': at(INVENTORY, 200).answering(rewrite('sold', (count) => count)),
  'inventory.get.counts': at(INVENTORY, 200).answering(rewrite('available', (count) => number(BigInt(count) + 1n))),
  'inventory.get.follows': frozen(INVENTORY),
  'inventory.get.cache-control': at(INVENTORY, 200).answering(header('Cache-Control', undefined)),
  'auth.missing.inventory': admitting(INVENTORY, withoutKey),
  'auth.invalid.orders-list': admitting(ORDERS, hasWrongKey),
  'auth.missing.orders-cancel': at(CANCEL, 401).answering(header('WWW-Authenticate', undefined)),
  'keys.read-only.orders-place': withFirstKey(PLACE, 403),
  'keys.read-only.orders-cancel': at(CANCEL, 403).answering(error(401)),
  'methods.options.inventory': at('OPTIONS /store/inventory', 204).answering(header('Allow', undefined)),
  'methods.other.orders': at('* /store/orders', 405).answering(both(error(501), put('code', 'not_implemented'))),
}

export const STORE_LIES: Lies = { ...READING, ...MOVES, ...COUNTS }
