// Faults in orders that are placed.

import type { Json } from '../../../contract/src/json.ts'
import { at, type ContractFault, type ContractFaults, errorAnswer } from './shared/faults.ts'
import { refusingAfterCancel, sellingTwice, soldAgain } from './shared/memory.ts'
import { PETS, PLACE } from './shared/operations.ts'
import { is, isMissing, isText, objectOf, textOf } from './shared/values.ts'

const placing = at(PLACE).request
const placed = at(PLACE, 201).answer
const isIn = (days: number) => (at: Json | undefined) =>
  isText(at) && Date.parse(textOf(at)) > Date.now() + days * 86_400_000

const notFound = (wrong: RegExp): ContractFault =>
  at(PLACE, 400, ({ body }) => wrong.test(body.toString())).onResponse(() => errorAnswer(404, 'pet_not_found'))
/** A pet that is not available, as the refusal says, is sold. */
const selling = (refusal: RegExp): ContractFault =>
  at(PLACE, 409, (_, { body }) => refusal.test(body.toString())).onResponse(soldAgain)

export const PLACE_ORDER_FAULTS: ContractFaults = {
  'orders.place.success': placed.status(200),
  'orders.place.headers': placed.header('Location', '/v1/store/orders/7000000'),
  'orders.place.etag': placed.header('ETag', '"another"'),
  'orders.place.order': placed.drop('petName'),
  'orders.place.absent-fields': placed.replace('reference', isMissing, null),
  'orders.place.pet-pending': at(PETS, 200).answer.rewrite('status', (status) =>
    status === 'pending' ? 'available' : status,
  ),
  'orders.place.expires-at': placed.drop('expiresAt'),
  'orders.place.expires-at.offset': placed.echo('expiresAt'),
  'orders.place.expires-at.furthest': at(PLACE).refusing(
    (request) => isIn(300)(objectOf(request).get('expiresAt')),
    400,
    'invalid_order',
  ),
  'orders.place.expires-at.range': placing.replace('expiresAt', isIn(366), undefined),
  'orders.place.expires-at.invalid': placing.body((text) => text.replace(/(\d\d) (\d\d:\d\d)/, '$1T$2')),
  'orders.place.expires-at.type': placing.replace('expiresAt', is(null), undefined),
  'orders.place.pet-id.type': notFound(/"petId":\[/),
  'orders.place.reference.type': placing.replace('reference', Array.isArray, undefined),
  'orders.place.message': at(PLACE, 400).answer.firstSentence(),
  'orders.place.pet-not-found': at(PLACE, 404).answer.error(409, 'pet_not_available'),
  'orders.place.pet-not-available.message': at(PLACE, 409).answer.rewrite('message', () => 'The pet is not available.'),
  'orders.place.pet-not-available': selling(/is pending: order/),
  'orders.place.pet-sold': selling(/is sold/),
  'orders.place.pet-added-as-pending': selling(/is pending\./),
  'orders.place.pet-added-as-sold': selling(/is sold\./),
  'orders.place.together': sellingTwice,
  'orders.place.again': refusingAfterCancel,
}
