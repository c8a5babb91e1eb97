// Faults in orders that are placed.

import type { Json, JsonObject } from '../../../contract/src/json.ts'
import {
  at,
  both,
  type Change,
  type ContractFault,
  type ContractFaults,
  drop,
  each,
  errorAnswer,
  header,
  objectOf,
  put,
  replacing,
  rewrite,
  sending,
  status,
  textOf,
} from './shared/builders.ts'
import { refusingAfterCancel, sellingTwice, soldAgain } from './shared/memory.ts'
import { echoing, error, firstSentence, is, isMissing, isText, PETS, PLACE } from './shared/operations.ts'

const placing = (change: (order: JsonObject) => void): ContractFault => at(PLACE).onRequest(sending(change))
const placed = (change: Change): ContractFault => at(PLACE, 201).onResponse(change)
const sendingOrder = (change: (text: string) => string): ContractFault =>
  at(PLACE).onRequest((request) => ({ ...request, body: Buffer.from(change(request.body.toString())) }))
const isIn = (days: number) => (at: Json | undefined) =>
  isText(at) && Date.parse(textOf(at)) > Date.now() + days * 86_400_000

const notFound = (wrong: RegExp): ContractFault =>
  at(PLACE, 400, ({ body }) => wrong.test(body.toString())).onResponse(() => errorAnswer(404, 'pet_not_found'))
/** A pet that is not available, as the refusal says, is sold. */
const selling = (refusal: RegExp): ContractFault =>
  at(PLACE, 409, (_, { body }) => refusal.test(body.toString())).onResponse(soldAgain)

export const PLACE_ORDER_FAULTS: ContractFaults = {
  'orders.place.success': placed(status(200)),
  'orders.place.headers': placed(header('Location', '/v1/store/orders/7000000')),
  'orders.place.etag': placed(header('ETag', '"another"')),
  'orders.place.order': placed(drop('petName')),
  'orders.place.absent-fields': placed(each(replacing('reference', isMissing, null))),
  'orders.place.pet-pending': at(PETS, 200).onResponse(
    rewrite('status', (status) => (status === 'pending' ? 'available' : status)),
  ),
  'orders.place.expires-at': placed(drop('expiresAt')),
  'orders.place.expires-at.offset': placed(echoing('expiresAt')),
  'orders.place.expires-at.furthest': at(PLACE).refusing(
    (request) => isIn(300)(objectOf(request).get('expiresAt')),
    400,
    'invalid_order',
  ),
  'orders.place.expires-at.range': placing(replacing('expiresAt', isIn(366), undefined)),
  'orders.place.expires-at.invalid': sendingOrder((text) => text.replace(/(\d\d) (\d\d:\d\d)/, '$1T$2')),
  'orders.place.expires-at.type': placing(replacing('expiresAt', is(null), undefined)),
  'orders.place.pet-id.type': notFound(/"petId":\[/),
  'orders.place.reference.type': placing(replacing('reference', Array.isArray, undefined)),
  'orders.place.message': at(PLACE, 400).onResponse(rewrite('message', firstSentence)),
  'orders.place.pet-not-found': at(PLACE, 404).onResponse(both(error(409), put('code', 'pet_not_available'))),
  'orders.place.pet-not-available.message': at(PLACE, 409).onResponse(
    rewrite('message', () => 'The pet is not available.'),
  ),
  'orders.place.pet-not-available': selling(/is pending: order/),
  'orders.place.pet-sold': selling(/is sold/),
  'orders.place.pet-added-as-pending': selling(/is pending\./),
  'orders.place.pet-added-as-sold': selling(/is sold\./),
  'orders.place.together': sellingTwice,
  'orders.place.again': refusingAfterCancel,
}
