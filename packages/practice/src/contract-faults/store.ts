// Faults in orders, the inventory and events that one operation has.

import { EXPIRY_DAYS_MAX } from '../../../contract/src/generated.ts'
import type { Json } from '../../../contract/src/json.ts'
import type { ClientRequest, ServiceResponse } from '../proxy.ts'
import * as change from './shared/changes.ts'
import * as faults from './shared/faults.ts'
import { afterFirst, frozen, hasOrder, type Later, soldAgain, stuckAfter, whileRunning } from './shared/memory.ts'
import * as at from './shared/operations.ts'
import { hasCursor, hasTag, isOf, parametersOf, pathOf, type When } from './shared/requests.ts'
import { isMissing, isText, number, objectOf, textOf } from './shared/values.ts'

const isIn = (days: number) => (at: Json | undefined) =>
  isText(at) && Date.parse(textOf(at)) > Date.now() + days * 86_400_000

/** Places the order for a pet that is unavailable for the reason in the error. */
const selling = (refusal: string): faults.ContractFault => {
  return { on: at.PLACE, status: 409, when: (_, { body }) => body.includes(refusal), answer: soldAgain }
}

/** Lets the second of two simultaneous requests succeed. */
const succeeding = (on: string, subject: (request: ClientRequest) => string | undefined, answer: change.Change) =>
  whileRunning(
    (request) => (isOf(request, on) ? subject(request) : undefined),
    async (request, pass) => {
      const response = await pass(request)
      return response.status === 409 ? answer(response, request) : response
    },
  )
const petIdOf = (request: ClientRequest) => textOf(objectOf(request).get('petId'))
const orderIdOf = ({ target }: ClientRequest) => pathOf(target).split('/')[3]

/** Rejects orders for a pet after one of its orders was cancelled. */
const refusingAfterCancel: faults.ContractFault = () => async (request, pass) => {
  const isRefused = isOf(request, at.PLACE) && (await hasOrder('cancelled', petIdOf(request), request, pass))
  return isRefused ? faults.errorAnswer('pet_not_available') : pass(request)
}

const PLACED: faults.ContractFaults = {
  ...faults.answering(at.PLACE, 201, {
    headers: change.header('Location', '/v1/store/orders/7000000'),
    order: change.drop('petName'),
    'absent-fields': change.replace('reference', isMissing, null),
    'expires-at': change.drop('expiresAt'),
    'expires-at.offset': change.echo('expiresAt'),
  }),
  ...faults.answering(at.PLACE, 400, { message: change.firstSentence() }),
  ...faults.answering(at.PLACE, 404, { 'pet-not-found': change.error(409, 'pet_not_available') }),
  ...faults.answering(at.PLACE, 409, {
    'pet-not-available.message': change.put('message', 'The pet is not available.'),
  }),
  ...faults.answering(at.PETS, 200, {
    'pet-pending': change.rewrite('status', (status) => (status === 'pending' ? 'available' : status)),
  }),
  ...faults.sending(at.PLACE, { 'expires-at.range': change.replace('expiresAt', isIn(EXPIRY_DAYS_MAX)) }),
  ...faults.refusing(at.PLACE, 'invalid_order', {
    'expires-at.furthest': (request) => isIn(300)(objectOf(request).get('expiresAt')),
  }),
  'pet-not-available': selling('is pending: order'),
  'pet-sold': selling('is sold'),
  'pet-added-as-pending': selling('is pending.'),
  'pet-added-as-sold': selling('is sold.'),
  together: succeeding(at.PLACE, petIdOf, soldAgain),
  again: refusingAfterCancel,
}

/** Finds orders whose reference has all words. */
const inReference: change.Change = (response, request) => {
  const words = (parametersOf(request).get('search') ?? '').toLowerCase().split(' ')
  const has = (order: Json) =>
    order instanceof Map && words.every((one) => textOf(order.get('reference')).includes(one))
  return change.items((orders) => orders.filter(has))(response)
}
const isExpired = (_: ClientRequest, { body }: ServiceResponse) => body.includes('is expired')
/** Shows the name that the pet had at first. */
const firstName: Later = async (request, { response }, pass) =>
  change.put('petName', objectOf(response).get('petName') ?? null)(await pass(request))
const LISTS = `${at.LIST}|${at.ORDERS}`
const withoutCursor = change.parameter('cursor', /^[\w-]{15}$/)
const hasSearch: When = (request) => parametersOf(request).has('search')
const endsNever: When = (request) => objectOf(request).get('expiresAt') === null
const hasOnlyCursor: When = (request) => hasCursor(request) && parametersOf(request).size === 1

const ORDERS: faults.ContractFaults = {
  ...faults.answering(at.ORDERS, 200, { 'orders.list.item': change.drop('changedAt') }),
  ...faults.sending(at.ORDERS, {
    'orders.list.limit': change.parameter('limit', /^2$/, '20'),
    'orders.list.pets': change.parameter('petIds', /./),
    'orders.list.search.reference': change.parameter('search', /./),
  }),
  'orders.list.search.pet-name': { on: at.ORDERS, status: 200, when: hasSearch, answer: inReference },
  'orders.list.cursor.other-list': { on: LISTS, status: 400, when: hasOnlyCursor, again: withoutCursor },
  ...faults.answering(at.ORDER, 200, {
    'answers.headers': change.header('Cache-Control'),
    'orders.get.placed': change.put('petName', 'Nobody'),
    'orders.expiry': change.put('status', 'pending'),
  }),
  ...faults.answering(at.RETURN, 200, { 'answers.schema': change.put('petName', number(7)) }),
  'orders.get.etag.changes': { on: at.ORDER, status: 200, when: hasTag, answer: change.empty(304) },
  'orders.list.etag.changes': { on: at.ORDERS, status: 200, when: hasTag, answer: change.empty(304) },
  'pets.update.orders': afterFirst(at.ORDER, ({ target }) => target, firstName),
  'orders.expiry.pet': stuckAfter('expired'),
  'orders.expiry.overdue': { on: at.COMPLETE, status: 409, when: isExpired, answer: () => faults.jsonAnswer(200, {}) },
  // Rejects the cancellation of an expired order.
  'orders.expiry.ended': {
    on: at.CANCEL,
    status: 204,
    answer: async (response, request, pass) => {
      const { body } = await pass({ ...request, method: 'GET' })
      return body.includes('"expired"') ? faults.errorAnswer('order_not_pending') : response
    },
  },
  'orders.together': succeeding(`${at.COMPLETE}|${at.CANCEL}`, orderIdOf, () => faults.jsonAnswer(200, {})),
  'orders.update.same': { on: at.CHANGE, status: 200, when: endsNever, answer: change.header('ETag', '"another"') },
  ...faults.answering(at.CHANGE, 409, { 'orders.update.ended': change.error(400, 'invalid_order') }),
  ...faults.answering(at.INVENTORY, 200, {
    'inventory.get.counts': change.rewrite('available', (count) => number(BigInt(count) + 1n)),
  }),
  'inventory.get.follows': frozen(at.INVENTORY),
}

/** Whether the request is for the events of all pets. */
const ofAll: When = ({ target }) => !/(?:petId|orderId)=/.test(target)
const isOfType = (type: string) => (event: Json) => event instanceof Map && event.get('type') === type
const without = (type: string) => change.items((events) => events.filter((event) => !isOfType(type)(event)))
const renamed = (type: string) => change.rewrite('type', (text) => (text === type ? `${type}.again` : text))
const waitsBackwards: When = ({ target }) => /sort=newest&wait=/.test(target)
const none = change.items(() => [])

const FEED: faults.ContractFaults = {
  ...faults.answering(at.EVENTS, 200, {
    item: change.drop('petId'),
    order: change.items((events) => events.toReversed()),
    happened: without('order.returned'),
    says: change.drop('by'),
    expired: renamed('order.expired'),
    next: change.header('Link'),
    constant: change.each((event) => event.set('read', new Date().toISOString())),
  }),
  ...faults.sending(at.EVENTS, {
    limit: change.parameter('limit', /^[1-9]\d?$/, '100'),
    'from.beginning': change.parameter('from', /^beginning$/, 'now'),
    'from.now': change.parameter('from', /^now$/),
    'from.time': change.parameter('from', /^\d/),
    type: change.parameter('type', /^order\.placed$/),
    newest: change.parameter('sort', /^newest$/),
    wait: change.parameter('wait', /./),
  }),
  ...faults.refusing(at.EVENTS, 'invalid_parameter', {
    'cursor.filter': (request) => hasCursor(request) && /orderId=/.test(request.target),
  }),
  'next.follow': { on: at.EVENTS, status: 200, when: hasCursor, answer: change.items((events) => events.slice(1)) },
  'next.later': { on: at.EVENTS, status: 200, when: (one) => hasCursor(one) && ofAll(one), answer: none },
  inventory: { on: at.EVENTS, status: 200, when: ofAll, answer: without('pet.added') },
  'cursor.from': { on: at.EVENTS, status: 400, when: hasCursor, again: change.parameter('from', /^now$/) },
  'newest.wait': { on: at.EVENTS, status: 400, when: waitsBackwards, again: change.parameter('wait', /./) },
  'wait.woken': { on: at.EVENTS, status: 200, when: ({ target }) => /wait=[1-9]/.test(target), answer: none },
  'head.wait': {
    on: 'HEAD /store/events',
    status: 200,
    answer: async (response, request) => {
      await Bun.sleep(1000 * Number(parametersOf(request).get('wait')))
      return response
    },
  },
}

export const STORE_FAULTS: faults.ContractFaults = {
  ...faults.under('orders.place', PLACED),
  ...ORDERS,
  ...faults.under('events.list', FEED),
  ...faults.answering(at.EVENTS, 200, {
    'events.pet-changed': renamed('pet.changed'),
    'events.pet-deleted': renamed('pet.deleted'),
    'events.order-changed': renamed('order.changed'),
    'events.order-terms': change.drop('terms'),
    'events.order-pet': change.each((event) => event.get('type') === 'order.completed' && event.delete('pet')),
  }),
}
