// Faults in correcting and deleting.

import {
  at,
  both,
  type ContractFault,
  type ContractFaults,
  drop,
  header,
  jsonAnswer,
  objectOf,
  put,
  rewrite,
  status,
  text,
} from './shared/builders.ts'
import { CHANGE, DELETE, EVENTS, error, UPDATE } from './shared/operations.ts'
import { forgettingCorrected, listingDeleted } from './shared/remembered-pets.ts'

/** What is refused for this field alone is taken. */
const taking = (operation: string, field: string): ContractFault =>
  at(operation, 400, (request) => [...objectOf(request).keys()].join() === field).onResponse(() => jsonAnswer(200, {}))
const renaming = (type: string, other: string): ContractFault =>
  at(EVENTS, 200).onResponse(rewrite('type', (text) => (text === type ? other : text)))
const otherTag = header('ETag', '"another"')
const done = both(
  status(204),
  text(() => ''),
)

const PETS_CORRECTED: ContractFaults = {
  'pets.update.success': at(UPDATE, 200).onResponse(status(202)),
  'pets.update.name': taking(UPDATE, 'name'),
  'pets.update.category-id': taking(UPDATE, 'categoryId'),
  'pets.update.status': taking(UPDATE, 'status'),
  'pets.update.lists': forgettingCorrected,
  'pets.update.same': at(UPDATE, 200, (request) => objectOf(request).has('id')).onResponse(otherTag),
  'pets.update.held': at(UPDATE, 409).onResponse(both(error(400), put('code', 'invalid_pet'))),
  'pets.delete.lists': listingDeleted,
  'pets.delete.success': at(DELETE, 204).onResponse(() => jsonAnswer(200, {})),
  'pets.delete.again': at(DELETE, 404).onResponse(done),
  'pets.delete.ordered': at(DELETE, 409).onResponse(done),
  'events.pet-deleted': renaming('pet.deleted', 'pet.gone'),
  'events.pet-changed': renaming('pet.changed', 'pet.corrected'),
}

const ORDERS_CHANGED: ContractFaults = {
  'orders.update.success': at(CHANGE, 200).onResponse(status(202)),
  'orders.update.expires-at': at(CHANGE, 200).onResponse(drop('expiresAt')),
  'orders.update.reference': taking(CHANGE, 'reference'),
  'orders.update.same': at(CHANGE, 200, (request) => objectOf(request).get('expiresAt') === null).onResponse(otherTag),
  'events.order-changed': renaming('order.changed', 'order.corrected'),
  'orders.update.ended': at(CHANGE, 409).onResponse(both(error(400), put('code', 'invalid_order'))),
}

export const CORRECTION_FAULTS: ContractFaults = { ...PETS_CORRECTED, ...ORDERS_CHANGED }
