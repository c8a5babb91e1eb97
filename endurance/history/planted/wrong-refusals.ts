// Refusals without a reason, and refusals that are missing.

import type { Sent } from '../clients.ts'
import { idOf, isRead, json, type Making, of, refusal, withBody } from './fault.ts'

/** Some of them, without asking the service. */
const refused = (
  operations: string,
  status: number,
  code: string,
  message: (sent: Sent) => string,
  when = (_: Sent) => true,
): Making => {
  return () =>
    of(operations, async (sent, pass) => (when(sent) ? refusal(status, code, message(sent)) : pass(sent)), 0.15)
}

/** Done, and refused all the same. */
const doneAndRefused = (operations: string, status: number, code: string): Making => {
  return () =>
    of(
      operations,
      async (sent, pass) => {
        const received = await pass(sent)
        return received.status < 300 ? refusal(status, code, 'It cannot be.') : received
      },
      0.4,
    )
}

const bodyOf = ({ body = '{}' }: Sent) => JSON.parse(body)
const isEnding = (sent: Sent) => bodyOf(sent).expiresAt !== undefined

export const REFUSED: Readonly<Record<string, Making>> = {
  'a pending order that cannot be completed': refused(
    'completeOrder',
    409,
    'order_not_pending',
    (sent) => `Order ${idOf(sent)} is pending.`,
  ),
  'a good end that is refused': refused(
    'placeOrder updateOrder',
    400,
    'invalid_order',
    () => 'expiresAt must be in the future.',
    (sent) => !isEnding(sent),
  ),
  'in flight, with nothing in flight': refused(
    'createPet placeOrder',
    409,
    'idempotency_in_flight',
    () => 'Wait.',
    ({ headers }) => 'Idempotency-Key' in headers,
  ),
  'the same request is another one': refused(
    'createPet',
    422,
    'idempotency_mismatch',
    () => 'Another.',
    ({ headers }) => 'Idempotency-Key' in headers,
  ),
  'a pet that nothing holds is held': refused(
    'updatePet',
    409,
    'pet_held',
    (sent) => `Pet ${idOf(sent)} is pending: order 1 holds it.`,
  ),
  'another order that holds the pet is named': () =>
    of('placeOrder', async (sent, pass) => {
      const received = await pass(sent)
      if (received.status !== 409) return received
      const { message, ...error } = json(received)
      return withBody(received, {
        ...error,
        message: message.replace(/order (\d+)/, (_: string, id: string) => `order ${Number(id) + 1}`),
      })
    }),
  'a pet that is there is not found': refused(
    'getPet updatePet',
    404,
    'not_found',
    (sent) => `No pet has id ${idOf(sent)}.`,
  ),
  'a pet that is there cannot be ordered': refused('placeOrder', 404, 'pet_not_found', () => 'No pet has it.'),
  'an available pet is pending': refused(
    'placeOrder',
    409,
    'pet_not_available',
    (sent) => `Pet ${bodyOf(sent).petId} is pending.`,
  ),
  'a pet without orders cannot be deleted': refused('deletePet', 409, 'pet_has_orders', () => 'It has orders.'),
  'a completed order cannot be returned': refused('returnOrder', 409, 'order_not_completed', () => 'It is pending.'),
  'the current tag is not current': refused(
    'updatePet updateOrder',
    412,
    'precondition_failed',
    () => 'It has changed.',
    ({ headers }) => 'If-Match' in headers,
  ),
  'a good key is refused': () =>
    of(
      'listPets',
      async (sent, pass) => (sent.server === 1 ? refusal(401, 'invalid_api_key', 'No.') : pass(sent)),
      0.1,
    ),
  'a good key may not write': refused('createPet', 403, 'read_only_key', () => 'It may only read.'),
  'a place in the feed that has expired': refused(
    'listEvents',
    410,
    'cursor_expired',
    () => 'Begin again.',
    ({ path }) => path.includes('cursor='),
  ),
  'an order that is completed and refused': doneAndRefused('completeOrder', 409, 'order_not_pending'),
  'a deletion that is done and refused': doneAndRefused('deletePet', 404, 'not_found'),
  'a rename that is done and refused': doneAndRefused('updatePet', 412, 'precondition_failed'),
  'a key that may only read and writes': () => {
    let last: string | undefined
    return async (sent, pass) => {
      const received = await pass(sent)
      if (received.status < 300 && !isRead(sent)) last = sent.headers.Authorization
      if (received.status !== 403 || last === undefined) return received
      return pass({ ...sent, headers: { ...sent.headers, Authorization: last } })
    }
  },
}
