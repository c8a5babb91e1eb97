// Lies about correcting and deleting, and about search.

import {
  admitting,
  at,
  both,
  drop,
  errorAnswer,
  header,
  jsonAnswer,
  type Lies,
  parameter,
  put,
  rewrite,
  sentHeader,
  status,
  type Told,
  text,
} from '../tell.ts'
import { withFirstKey } from './memory.ts'
import { error, LIST, listing, ORDERS, once, withoutKey } from './words.ts'

const UPDATE = 'PATCH /pets/*'
const DELETE = 'DELETE /pets/*'
const CHANGE = 'PATCH /store/orders/*'
const ignoring = (operation: string, name: string): Told => at(operation).asking(sentHeader(name, () => undefined))
const done = both(
  status(204),
  text(() => ''),
)

const PETS_CORRECTED: Lies = {
  'pets.update.success': at(UPDATE, 200).answering(status(202)),
  'pets.update.held': at(UPDATE, 409).answering(both(error(400), put('code', 'invalid_pet'))),
  'pets.update.nothing': at(UPDATE, 400).answering(() => jsonAnswer(200, {})),
  'pets.update.etag': at(UPDATE, 200).answering(header('ETag', undefined)),
  'pets.update.if-match': ignoring(UPDATE, 'If-Match'),
  'pets.update.read-only-key': withFirstKey(UPDATE, 403),
  'pets.delete.success': at(DELETE, 204).answering(() => jsonAnswer(200, {})),
  'pets.delete.again': at(DELETE, 404).answering(done),
  'pets.delete.ordered': at(DELETE, 409).answering(done),
  'pets.delete.if-match': ignoring(DELETE, 'If-Match'),
  'pets.delete.no-key': admitting(DELETE, withoutKey),
  'events.pet-deleted': at('GET /store/events', 200).answering(
    rewrite('type', (type) => type.replace('deleted', 'gone')),
  ),
}

const ORDERS_CHANGED: Lies = {
  'orders.update.success': at(CHANGE, 200).answering(status(202)),
  'orders.update.expires-at': at(CHANGE, 200).answering(drop('expiresAt')),
  'orders.update.ended': at(CHANGE, 409).answering(both(error(400), put('code', 'invalid_order'))),
  'orders.update.if-none-match': ignoring(CHANGE, 'If-None-Match'),
  'orders.update.not-found': at(CHANGE, 404).answering(() => errorAnswer(400, 'invalid_order')),
}

const SEARCH: Lies = {
  'pets.list.search': listing(parameter('search', /./, undefined)),
  'pets.list.search.empty': at(LIST, 400).askingAgain(parameter('search', /^$/, undefined)),
  'pets.list.search.no-word': at(LIST, 400).askingAgain(parameter('search', /^\W+$/, undefined)),
  'pets.list.search.twice': listing(once('search')),
  'orders.list.search.reference': at(ORDERS).asking(parameter('search', /./, undefined)),
}

export const CORRECTION_LIES: Lies = { ...PETS_CORRECTED, ...ORDERS_CHANGED, ...SEARCH }
