// Faults in what every change promises: an order that is completed, cancelled or returned, and corrections of pets and orders.

import type { ClientRequest, ServiceResponse } from '../proxy.ts'
import {
  admitting,
  at,
  both,
  type Change,
  type ContractFault,
  type ContractFaults,
  errorAnswer,
  header,
  jsonAnswer,
  rewrite,
  sentHeader,
  status,
  text,
  under,
  type When,
} from './shared/builders.ts'
import { secondTime, stuckAfter, withFirstKey } from './shared/memory.ts'
import {
  CANCEL,
  CHANGE,
  COMPLETE,
  DELETE,
  error,
  hasHeader,
  isJson,
  ORDER,
  RETURN,
  UPDATE,
  withoutKey,
} from './shared/operations.ts'

/** As if it had been done. */
const done = (success: 200 | 204): Change =>
  success === 200
    ? () => jsonAnswer(200, {})
    : both(
        status(204),
        text(() => ''),
      )
const ignoring = (operation: string, name: string): ContractFault =>
  at(operation).onRequest(sentHeader(name, () => undefined))
const says =
  (state: string) =>
  (_: ClientRequest, { body }: ServiceResponse) =>
    body.toString().includes(`is ${state}:`)
const hasNoId: When = ({ target }) => !/\/(?:pets|orders)\/(?:[1-9]\d*)(?:\/|$)/.test(target)
/** A tag as the service gives it, and not one that is made up. */
const PLAIN_TAG = /^"(?!x")[^"]*"$/

interface Move {
  operation: string
  success: 200 | 204
  to: string
  conflicts: readonly string[]
}

function ofMove({ operation, success, to, conflicts }: Move): ContractFaults {
  const isThere = (_: ClientRequest, { body }: ServiceResponse) => body.includes(`"${to}"`)
  const shown = success === 200 ? `${operation}|${ORDER}` : ORDER
  return {
    success: at(operation, success).onResponse(status(202)),
    pet: stuckAfter(operation),
    'changed-at': at(shown, 200, isThere).onResponse(rewrite('changedAt', (time) => time.replace(/^\d+/, '2020'))),
    again: secondTime(operation, () => errorAnswer(409, 'order_not_pending')),
    ...Object.fromEntries(
      conflicts.map((state) => [state, at(operation, 409, says(state)).onResponse(done(success))] as const),
    ),
    'not-found': at(operation, 404).onResponse(error(410)),
    'no-id': at(operation).refusing(hasNoId, 400, 'invalid_parameter'),
    'if-match': at(operation).refusing(hasHeader('If-Match', /^(?!"x"$|W\/)./), 412, 'precondition_failed'),
    'if-match.other': ignoring(operation, 'If-Match'),
    'if-none-match': ignoring(operation, 'If-None-Match'),
    'state-first': at(operation, 409, hasHeader('If-Match', /./)).onResponse(error(412)),
  }
}

function ofCorrection(operation: string, success: 200 | 204): ContractFaults {
  /** What those get that come too late: the pet may be gone. */
  const late = [412, 404]
  return {
    'not-found': at(operation, 404).onResponse(error(410)),
    'no-id': at(operation).refusing(hasNoId, 400, 'invalid_parameter'),
    'no-key': admitting(operation, withoutKey),
    'read-only-key': withFirstKey(operation, 403),
    'if-match': ignoring(operation, 'If-Match'),
    'if-none-match': ignoring(operation, 'If-None-Match'),
    'idempotency-key': at(operation).refusing(hasHeader('Idempotency-Key', /./), 400, 'invalid_parameter'),
    together: at(
      operation,
      'any',
      (request, response) => late.includes(response.status) && hasHeader('If-Match', PLAIN_TAG)(request),
    ).onResponse(done(success)),
  }
}

function ofCorrectedBody(operation: string): ContractFaults {
  const taking = (code: number, when: When = () => true): ContractFault =>
    at(operation, code, when).onResponse(done(200))
  return {
    nothing: taking(400, ({ body }) => body.toString() === '{}'),
    'json.broken': taking(400, ({ body }) => !isJson(body)),
    'media-type.other': taking(415),
    'accept-patch': at(operation, 415).onResponse(header('Accept-Patch', undefined)),
    'size.too-large': taking(413),
    'same.conditions': at(operation, 200, hasHeader('If-Match', /^"x"$/)).onResponse(error(412)),
    etag: at(operation, 200).onResponse(header('ETag', undefined)),
  }
}

/** Reads the body, which is to be ignored, and gives another tag. */
const answeringOrder = (operation: string): ContractFaults => ({
  etag: at(operation, 200).onResponse(header('ETag', '"another"')),
  body: at(operation).refusing(hasHeader('Content-Type', /^text/), 415, 'unsupported_media_type'),
})

export const CHANGE_FAULTS: ContractFaults = {
  ...under('orders.complete', {
    ...ofMove({ operation: COMPLETE, success: 200, to: 'completed', conflicts: ['cancelled', 'returned'] }),
    ...answeringOrder(COMPLETE),
  }),
  ...under(
    'orders.cancel',
    ofMove({ operation: CANCEL, success: 204, to: 'cancelled', conflicts: ['completed', 'returned'] }),
  ),
  ...under('orders.return', {
    ...ofMove({ operation: RETURN, success: 200, to: 'returned', conflicts: ['pending', 'cancelled'] }),
    ...answeringOrder(RETURN),
  }),
  ...under('pets.update', { ...ofCorrection(UPDATE, 200), ...ofCorrectedBody(UPDATE) }),
  ...under('pets.delete', ofCorrection(DELETE, 204)),
  ...under('orders.update', { ...ofCorrection(CHANGE, 200), ...ofCorrectedBody(CHANGE) }),
}
