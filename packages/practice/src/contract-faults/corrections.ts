// Faults in correcting and deleting.

import { at, type ContractFault, type ContractFaults, jsonAnswer } from './shared/faults.ts'
import { CHANGE, DELETE, EVENTS, UPDATE } from './shared/operations.ts'
import { forgettingCorrected, listingDeleted } from './shared/remembered-pets.ts'
import { objectOf } from './shared/values.ts'

/** What is refused for this field alone is taken. */
const taking = (operation: string, field: string): ContractFault =>
  at(operation, 400, (request) => [...objectOf(request).keys()].join() === field).onResponse(() => jsonAnswer(200, {}))
const renaming = (type: string, other: string): ContractFault =>
  at(EVENTS, 200).answer.rewrite('type', (text) => (text === type ? other : text))

const PETS_CORRECTED: ContractFaults = {
  'pets.update.success': at(UPDATE, 200).answer.status(202),
  'pets.update.name': taking(UPDATE, 'name'),
  'pets.update.category-id': taking(UPDATE, 'categoryId'),
  'pets.update.status': taking(UPDATE, 'status'),
  'pets.update.lists': forgettingCorrected,
  'pets.update.same': at(UPDATE, 200, (request) => objectOf(request).has('id')).answer.header('ETag', '"another"'),
  'pets.update.held': at(UPDATE, 409).answer.error(400, 'invalid_pet'),
  'pets.delete.lists': listingDeleted,
  'pets.delete.success': at(DELETE, 204).onResponse(() => jsonAnswer(200, {})),
  'pets.delete.again': at(DELETE, 404).answer.empty(204),
  'pets.delete.ordered': at(DELETE, 409).answer.empty(204),
  'events.pet-deleted': renaming('pet.deleted', 'pet.gone'),
  'events.pet-changed': renaming('pet.changed', 'pet.corrected'),
}

const ORDERS_CHANGED: ContractFaults = {
  'orders.update.success': at(CHANGE, 200).answer.status(202),
  'orders.update.expires-at': at(CHANGE, 200).answer.drop('expiresAt'),
  'orders.update.reference': taking(CHANGE, 'reference'),
  'orders.update.same': at(CHANGE, 200, (request) => objectOf(request).get('expiresAt') === null).answer.header(
    'ETag',
    '"another"',
  ),
  'events.order-changed': renaming('order.changed', 'order.corrected'),
  'orders.update.ended': at(CHANGE, 409).answer.error(400, 'invalid_order'),
}

export const CORRECTION_FAULTS: ContractFaults = { ...PETS_CORRECTED, ...ORDERS_CHANGED }
