// Faults in placing, reading and expiring orders, and in the inventory.

import { EXPIRY_DAYS_MAX } from '../../../contract/src/generated.ts'
import type { Json } from '../../../contract/src/json.ts'
import type { ClientRequest } from '../proxy.ts'
import type { Change } from './shared/answer-changes.ts'
import { type ContractFault, type ContractFaults, errorAnswer, faultsAt, jsonAnswer } from './shared/faults.ts'
import { frozen, hasOrder, keepingTags, soldAgain, stuckAfter } from './shared/memory.ts'
import { CANCEL, COMPLETE, INVENTORY, LIST, ORDER, ORDERS, PETS, PLACE, RETURN } from './shared/operations.ts'
import { isOf, parametersOf, pathOf } from './shared/requests.ts'
import { is, isMissing, isText, number, objectOf, textOf } from './shared/values.ts'

const placing = faultsAt(PLACE).request
const placed = faultsAt(PLACE, 201).answer
const isIn = (days: number) => (at: Json | undefined) =>
  isText(at) && Date.parse(textOf(at)) > Date.now() + days * 86_400_000

const notFound = (wrong: RegExp): ContractFault =>
  faultsAt(PLACE, 400, ({ body }) => wrong.test(body.toString())).onResponse(() => errorAnswer(404, 'pet_not_found'))
/** Places the order for a pet that is unavailable for the reason given in the refusal. */
const selling = (refusal: RegExp): ContractFault =>
  faultsAt(PLACE, 409, (_, { body }) => refusal.test(body.toString())).onResponse(soldAgain)

/** Changes a 409 to a request that arrived while another one with the same `subject` was running. */
function racing(subject: (request: ClientRequest) => string | undefined, change: Change): ContractFault {
  return () => {
    const running: string[] = []
    return async (request, pass) => {
      const id = subject(request)
      if (id === undefined) return pass(request)
      const isSecond = running.includes(id)
      running.push(id)
      const response = await pass(request)
      running.splice(running.indexOf(id), 1)
      return response.status === 409 && isSecond ? change(response, request) : response
    }
  }
}

/** Places all simultaneous orders for one pet. */
const sellingTwice = racing(
  (request) => (isOf(request, PLACE) ? textOf(objectOf(request).get('petId')) : undefined),
  soldAgain,
)

/** Lets both of a simultaneous completion and cancellation succeed. */
const succeedingTogether = racing(
  (request) => (isOf(request, `${COMPLETE}|${CANCEL}`) ? pathOf(request.target).split('/')[3] : undefined),
  () => jsonAnswer(200, {}),
)

/** Refuses to cancel an expired order. */
const refusingExpired = faultsAt(CANCEL, 204).answering(async (response, request, pass) => {
  const { body } = await pass({ ...request, method: 'GET' })
  return body.includes('"expired"') ? errorAnswer(409, 'order_not_pending') : response
})

/** Refuses orders for a pet after one of its orders was cancelled. */
const refusingAfterCancel: ContractFault = () => async (request, pass) => {
  const petId = textOf(objectOf(request).get('petId'))
  const isRefused = isOf(request, PLACE) && (await hasOrder('cancelled', petId, request, pass))
  return isRefused ? errorAnswer(409, 'pet_not_available') : pass(request)
}

const PLACED: ContractFaults = {
  'orders.place.success': placed.status(200),
  'orders.place.headers': placed.header('Location', '/v1/store/orders/7000000'),
  'orders.place.etag': placed.header('ETag', '"another"'),
  'orders.place.order': placed.drop('petName'),
  'orders.place.absent-fields': placed.replace('reference', isMissing, null),
  'orders.place.pet-pending': faultsAt(PETS, 200).answer.rewrite('status', (status) =>
    status === 'pending' ? 'available' : status,
  ),
  'orders.place.expires-at': placed.drop('expiresAt'),
  'orders.place.expires-at.offset': placed.echo('expiresAt'),
  'orders.place.expires-at.furthest': faultsAt(PLACE).refusing(
    (request) => isIn(300)(objectOf(request).get('expiresAt')),
    400,
    'invalid_order',
  ),
  'orders.place.expires-at.range': placing.replace('expiresAt', isIn(EXPIRY_DAYS_MAX), undefined),
  'orders.place.expires-at.invalid': placing.body((text) => text.replace(/(\d\d) (\d\d:\d\d)/, '$1T$2')),
  'orders.place.expires-at.type': placing.replace('expiresAt', is(null), undefined),
  'orders.place.pet-id.type': notFound(/"petId":\[/),
  'orders.place.reference.type': placing.replace('reference', Array.isArray, undefined),
  'orders.place.message': faultsAt(PLACE, 400).answer.firstSentence(),
  'orders.place.pet-not-found': faultsAt(PLACE, 404).answer.error(409, 'pet_not_available'),
  'orders.place.pet-not-available.message': faultsAt(PLACE, 409).answer.rewrite(
    'message',
    () => 'The pet is not available.',
  ),
  'orders.place.pet-not-available': selling(/is pending: order/),
  'orders.place.pet-sold': selling(/is sold/),
  'orders.place.pet-added-as-pending': selling(/is pending\./),
  'orders.place.pet-added-as-sold': selling(/is sold\./),
  'orders.place.together': sellingTwice,
  'orders.place.again': refusingAfterCancel,
}

const ordersListed = faultsAt(ORDERS, 200).answer
const listingOrders = faultsAt(ORDERS).request

const READ: ContractFaults = {
  'answers.headers': faultsAt(ORDER, 200).answer.header('Cache-Control'),
  'answers.schema': faultsAt(RETURN, 200).answer.put('petName', number(7)),
  'orders.get.success': faultsAt(ORDER, 200).answer.put('petId', number(7_000_000)),
  'orders.get.placed': faultsAt(ORDER, 200).answer.put('petName', 'Nobody'),
  'orders.get.not-found': faultsAt(ORDER, 404).answer.status(410),
  'orders.get.no-id': faultsAt(ORDER).refusing(({ target }) => !/\/[1-9]\d*$/.test(target)),
  'orders.list.success': ordersListed.json((orders) => new Map([['orders', orders]])),
  'orders.list.item': ordersListed.drop('changedAt'),
  'orders.list.cursor.other-list': faultsAt(
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

const EXPIRED: ContractFaults = {
  'orders.expiry': faultsAt(ORDER, 200).answer.put('status', 'pending'),
  'orders.expiry.pet': stuckAfter('expired'),
  'orders.expiry.ended': refusingExpired,
  'orders.together': succeedingTogether,
}

const COUNTED: ContractFaults = {
  'inventory.get.success': faultsAt(INVENTORY, 200).answer.json((counts) => [counts]),
  'inventory.get.counts': faultsAt(INVENTORY, 200).answer.rewrite('available', (count) => number(BigInt(count) + 1n)),
  'inventory.get.follows': frozen(INVENTORY),
}

export const ORDER_FAULTS: ContractFaults = { ...PLACED, ...READ, ...EXPIRED, ...COUNTED }
