// Faults in changes: completing, cancelling and returning orders, PATCH requests and deletions.

import type { ClientRequest, ServiceResponse } from '../proxy.ts'
import { type Change, empty } from './shared/answer-changes.ts'
import { type ContractFault, type ContractFaults, errorAnswer, faultsAt, jsonAnswer, under } from './shared/faults.ts'
import { secondTime, stuckAfter, withFirstKey } from './shared/memory.ts'
import { CANCEL, CHANGE, COMPLETE, DELETE, EVENTS, RETURN, UPDATE } from './shared/operations.ts'
import { forgettingCorrected, listingDeleted } from './shared/remembered-pets.ts'
import { hasHeader, type When, withoutKey } from './shared/requests.ts'
import { isJson, objectOf } from './shared/values.ts'

/** Returns the response to a successful change instead of an error. */
const done = (success: 200 | 204): Change => (success === 200 ? () => jsonAnswer(200, {}) : empty(204))
const says =
  (state: string) =>
  (_: ClientRequest, { body }: ServiceResponse) =>
    body.toString().includes(`is ${state}:`)
const hasNoId: When = ({ target }) => !/\/(?:pets|orders)\/(?:[1-9]\d*)(?:\/|$)/.test(target)
/** An ETag from the service, and not one that a check made up. */
const PLAIN_TAG = /^"(?!x")[^"]*"$/

/** Faults of every change of one pet or order. */
function ofChange(operation: string): ContractFaults {
  return {
    'not-found': faultsAt(operation, 404).answer.error(410),
    'no-id': faultsAt(operation).refusing(hasNoId),
    'no-key': withFirstKey(operation, 401, withoutKey),
    'read-only-key': withFirstKey(operation, 403),
    'if-match': faultsAt(operation).request.header('If-Match'),
    'if-none-match': faultsAt(operation).request.header('If-None-Match'),
  }
}

function ofMove(operation: string, success: 200 | 204, to: string, conflict: string): ContractFaults {
  return {
    ...ofChange(operation),
    success: faultsAt(operation, success).answer.status(202),
    pet: stuckAfter(to),
    again: secondTime(operation, () => errorAnswer(409, 'order_not_pending')),
    conflict: faultsAt(operation, 409, says(conflict)).onResponse(done(success)),
    'state-first': faultsAt(operation, 409, hasHeader('If-Match', /./)).answer.error(412),
    ...(success === 200 ? { etag: faultsAt(operation, 200).answer.header('ETag', '"another"') } : {}),
  }
}

function ofCorrection(operation: string, success: 200 | 204): ContractFaults {
  /** The statuses for requests that lose the race. The pet can be deleted by then. */
  const late = [412, 404]
  return {
    ...ofChange(operation),
    'idempotency-key': faultsAt(operation).refusing(hasHeader('Idempotency-Key', /./)),
    together: faultsAt(
      operation,
      'any',
      (request, response) => late.includes(response.status) && hasHeader('If-Match', PLAIN_TAG)(request),
    ).onResponse(done(success)),
  }
}

function ofCorrectedBody(operation: string): ContractFaults {
  const taking = (code: number, when: When = () => true): ContractFault =>
    faultsAt(operation, code, when).onResponse(done(200))
  return {
    nothing: taking(400, ({ body }) => body.toString() === '{}'),
    'json.broken': taking(400, ({ body }) => !isJson(body)),
    'media-type.other': taking(415),
    'size.too-large': taking(413),
    'same.conditions': faultsAt(operation, 200, hasHeader('If-Match', /^"x"$/)).answer.error(412),
    etag: faultsAt(operation, 200).answer.header('ETag'),
  }
}

/** Accepts a request that the service refuses because of this field alone. */
const taking = (operation: string, field: string): ContractFault =>
  faultsAt(operation, 400, (request) => [...objectOf(request).keys()].join() === field).onResponse(() =>
    jsonAnswer(200, {}),
  )
const renaming = (type: string, other: string): ContractFault =>
  faultsAt(EVENTS, 200).answer.rewrite('type', (text) => (text === type ? other : text))

const PETS_CORRECTED: ContractFaults = {
  'pets.update.success': faultsAt(UPDATE, 200).answer.status(202),
  'pets.update.name': taking(UPDATE, 'name'),
  'pets.update.category-id': taking(UPDATE, 'categoryId'),
  'pets.update.status': taking(UPDATE, 'status'),
  'pets.update.lists': forgettingCorrected,
  'pets.update.same': faultsAt(UPDATE, 200, (request) => objectOf(request).has('id')).answer.header(
    'ETag',
    '"another"',
  ),
  'pets.update.held': faultsAt(UPDATE, 409).answer.error(400, 'invalid_pet'),
  'pets.delete.lists': listingDeleted,
  'pets.delete.success': faultsAt(DELETE, 204).onResponse(() => jsonAnswer(200, {})),
  'pets.delete.again': faultsAt(DELETE, 404).answer.empty(204),
  'pets.delete.ordered': faultsAt(DELETE, 409).answer.empty(204),
  'events.pet-deleted': renaming('pet.deleted', 'pet.gone'),
  'events.pet-changed': renaming('pet.changed', 'pet.corrected'),
}

const ORDERS_CHANGED: ContractFaults = {
  'orders.update.success': faultsAt(CHANGE, 200).answer.status(202),
  'orders.update.expires-at': faultsAt(CHANGE, 200).answer.drop('expiresAt'),
  'orders.update.reference': taking(CHANGE, 'reference'),
  'orders.update.same': faultsAt(CHANGE, 200, (request) => objectOf(request).get('expiresAt') === null).answer.header(
    'ETag',
    '"another"',
  ),
  'events.order-changed': renaming('order.changed', 'order.corrected'),
  'events.order-terms': faultsAt(EVENTS, 200).answer.drop('terms'),
  'orders.update.ended': faultsAt(CHANGE, 409).answer.error(400, 'invalid_order'),
}

export const CHANGE_FAULTS: ContractFaults = {
  ...under('orders.complete', ofMove(COMPLETE, 200, 'completed', 'returned')),
  ...under('orders.cancel', ofMove(CANCEL, 204, 'cancelled', 'returned')),
  ...under('orders.return', ofMove(RETURN, 200, 'returned', 'cancelled')),
  ...under('pets.update', { ...ofCorrection(UPDATE, 200), ...ofCorrectedBody(UPDATE) }),
  ...under('pets.delete', ofCorrection(DELETE, 204)),
  ...under('orders.update', { ...ofCorrection(CHANGE, 200), ...ofCorrectedBody(CHANGE) }),
  ...PETS_CORRECTED,
  ...ORDERS_CHANGED,
}
