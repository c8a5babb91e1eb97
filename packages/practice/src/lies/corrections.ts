// Lies about correcting and deleting.

import {
  at,
  both,
  drop,
  header,
  jsonAnswer,
  type Lie,
  type Lies,
  objectOf,
  put,
  rewrite,
  status,
  text,
} from '../lie-builders.ts'
import { CHANGE, DELETE, EVENTS, error, UPDATE } from './words.ts'

/** What is refused for this field alone is taken. */
const taking = (operation: string, field: string): Lie =>
  at(operation, 400, (asked) => [...objectOf(asked).keys()].join() === field).answering(() => jsonAnswer(200, {}))
const renaming = (type: string, other: string): Lie =>
  at(EVENTS, 200).answering(rewrite('type', (text) => (text === type ? other : text)))
const otherTag = header('ETag', '"another"')
const done = both(
  status(204),
  text(() => ''),
)

const PETS_CORRECTED: Lies = {
  'pets.update.success': at(UPDATE, 200).answering(status(202)),
  'pets.update.name': taking(UPDATE, 'name'),
  'pets.update.category-id': taking(UPDATE, 'categoryId'),
  'pets.update.status': taking(UPDATE, 'status'),
  'pets.update.same': at(UPDATE, 200, (asked) => objectOf(asked).has('id')).answering(otherTag),
  'pets.update.not-deprecated': at(UPDATE, 200).answering(header('Deprecation', '@1')),
  'pets.update.held': at(UPDATE, 409).answering(both(error(400), put('code', 'invalid_pet'))),
  'pets.delete.success': at(DELETE, 204).answering(() => jsonAnswer(200, {})),
  'pets.delete.again': at(DELETE, 404).answering(done),
  'pets.delete.ordered': at(DELETE, 409).answering(done),
  'events.pet-deleted': renaming('pet.deleted', 'pet.gone'),
  'events.pet-changed': renaming('pet.changed', 'pet.corrected'),
}

const ORDERS_CHANGED: Lies = {
  'orders.update.success': at(CHANGE, 200).answering(status(202)),
  'orders.update.expires-at': at(CHANGE, 200).answering(drop('expiresAt')),
  'orders.update.reference': taking(CHANGE, 'reference'),
  'orders.update.same': at(CHANGE, 200, (asked) => objectOf(asked).get('expiresAt') === null).answering(otherTag),
  'events.order-changed': renaming('order.changed', 'order.corrected'),
  'orders.update.same.ended': at(CHANGE, 200, (_, { body }) => !body.includes('"pending"')).answering(otherTag),
  'orders.update.ended': at(CHANGE, 409).answering(both(error(400), put('code', 'invalid_order'))),
}

export const CORRECTION_LIES: Lies = { ...PETS_CORRECTED, ...ORDERS_CHANGED }
