// Refusals without a reason, and refusals that are missing.

import { ERROR_STATUS, type ErrorCode } from '../../../packages/contract/src/generated.ts'
import { at, errorAnswer } from '../../../packages/practice/src/contract-faults/shared/faults.ts'
import * as on from '../../../packages/practice/src/contract-faults/shared/operations.ts'
import { hasCursor, hasHeader, withKey } from '../../../packages/practice/src/contract-faults/shared/requests.ts'
import type { ClientRequest, ServiceResponse } from '../../../packages/practice/src/proxy.ts'
import { type Faults, idOf, instead, isDone, isRead, json, keyOf, serverOf, sometimes, withBody } from './fault.ts'

/** Refuses some requests without asking the service. `#` in the message is the id in the request. */
const refused = (operations: string, code: ErrorCode, message = 'No.', when = (_: ClientRequest) => true) =>
  sometimes(
    0.15,
    instead(operations, async (request, pass) => {
      const id = () => `${idOf(request) || json(request).petId}`
      return when(request) ? errorAnswer(ERROR_STATUS[code], code, message.replace('#', id)) : pass(request)
    }),
  )
/** Done, and refused all the same. */
const doneAndRefused = (operations: string, code: ErrorCode) =>
  sometimes(
    0.4,
    at(operations, 'any', (_, response) => isDone(response)).onResponse(() => errorAnswer(ERROR_STATUS[code], code)),
  )

const hasKey = hasHeader('Idempotency-Key', /./)
const another = ({ message, ...error }: { message: string }) => {
  return { ...error, message: message.replace(/order (\d+)/, (_, id: string) => `order ${Number(id) + 1}`) }
}

export const REFUSED: Faults = {
  'a pending order that cannot be completed': refused(on.COMPLETE, 'order_not_pending', 'Order # is pending.'),
  'a good end that is refused': refused(
    `${on.PLACE}|${on.CHANGE}`,
    'invalid_order',
    'expiresAt must be in the future.',
    (request) => json(request).expiresAt === undefined,
  ),
  'in flight, with nothing in flight': refused(`${on.CREATE}|${on.PLACE}`, 'idempotency_in_flight', undefined, hasKey),
  'the same request is another one': refused(on.CREATE, 'idempotency_mismatch', undefined, hasKey),
  'a pet that nothing holds is held': refused(on.UPDATE, 'pet_held', 'Pet # is pending: order 1 holds it.'),
  'another order that holds the pet is named': at(on.PLACE, 409).onResponse((response) =>
    withBody(response, another(json(response))),
  ),
  'a pet that is there is not found': refused(`${on.ONE}|${on.UPDATE}`, 'not_found'),
  'a pet that is there cannot be ordered': refused(on.PLACE, 'pet_not_found'),
  'an available pet is pending': refused(on.PLACE, 'pet_not_available', 'Pet # is pending.'),
  'a pet without orders cannot be deleted': refused(on.DELETE, 'pet_has_orders'),
  'a completed order cannot be returned': refused(on.RETURN, 'order_not_completed'),
  'the current tag is not current': refused(
    `${on.UPDATE}|${on.CHANGE}`,
    'precondition_failed',
    undefined,
    hasHeader('If-Match', /./),
  ),
  'a good key is refused': refused(on.LIST, 'invalid_api_key', undefined, (request) => serverOf(request) === 1),
  'a good key may not write': refused(on.CREATE, 'read_only_key'),
  'a place in the feed that has expired': refused(on.EVENTS, 'cursor_expired', undefined, hasCursor),
  'an order that is completed and refused': doneAndRefused(on.COMPLETE, 'order_not_pending'),
  'a deletion that is done and refused': doneAndRefused(on.DELETE, 'not_found'),
  'a rename that is done and refused': doneAndRefused(on.UPDATE, 'precondition_failed'),
  'a key that may only read and writes': () => {
    let last: string | undefined
    return async (request, pass): Promise<ServiceResponse> => {
      const response = await pass(request)
      if (isDone(response) && !isRead(request)) last = keyOf(request)
      return response.status === 403 && last !== undefined ? pass(withKey(request, last)) : response
    }
  },
}
