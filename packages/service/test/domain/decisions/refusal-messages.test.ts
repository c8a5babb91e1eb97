// The messages of refusals about pets and orders. Other tests compare with these functions.

import { expect, test } from 'bun:test'
import { EXPIRY_DAYS_MAX } from '../../../../contract/src/generated.ts'
import * as refusals from '../../../src/domain/decisions/refusal-messages.ts'
import type { OrderStatus } from '../../../src/domain/orders.ts'
import type { PetStatus } from '../../../src/domain/pets.ts'

const pet = (status: PetStatus) => ({ id: 42n, status })
const order = (status: OrderStatus) => ({ id: 7n, status })
const only = (status: OrderStatus, rule: string) => `Order 7 is ${status}: only ${rule}.`
const HELD = 'Pet 42 is pending: order 7 holds it.'
const END = Date.UTC(2026, 10, 21, 18)

const SENTENCES = {
  noSuchPet: [[refusals.noSuchPet(42n), 'No pet has id 42.']],
  noSuchOrder: [[refusals.noSuchOrder(-7n), 'No order has id -7.']],
  petNotFound: [[refusals.petNotFound(42n), 'No pet has id 42.']],
  invalidExpiry: [
    [refusals.invalidExpiry(), `expiresAt must be in the future and at most ${EXPIRY_DAYS_MAX} days ahead.`],
  ],
  onlyAvailable: [
    [refusals.onlyAvailable(), 'status can only be changed to available. Only orders make a pet pending or sold.'],
  ],
  otherRequest: [
    [refusals.otherRequest(), 'This Idempotency-Key was used for another request. Use a new key for each request.'],
  ],
  petHasOrders: [[refusals.petHasOrders(42n), 'Pet 42 was ordered. Only a pet that was never ordered can be deleted.']],
  notPending: [[refusals.notPending(order('completed')), only('completed', 'a pending order can be changed')]],
  notTransitioned: [
    [refusals.notTransitioned(order('cancelled'), 'completed'), only('cancelled', 'a pending order can be completed')],
    [refusals.notTransitioned(order('pending'), 'returned'), only('pending', 'a completed order can be returned')],
  ],
  petNotAvailable: [
    [refusals.petNotAvailable(pet('pending'), undefined), 'Pet 42 is pending.'],
    [refusals.petNotAvailable(pet('sold'), undefined), 'Pet 42 is sold.'],
    [refusals.petNotAvailable(pet('pending'), order('pending')), 'Pet 42 is pending: order 7 holds it.'],
    [
      refusals.petNotAvailable(pet('pending'), { id: 7n, expiresAt: END }),
      `${HELD.slice(0, -1)} until 2026-11-21T18:00:00.000Z.`,
    ],
    [refusals.petNotAvailable(pet('sold'), order('completed')), 'Pet 42 is sold: order 7.'],
  ],
  petHeld: [
    [refusals.petHeld(pet('pending'), 7n), `${HELD} Cancel order 7 to make the pet available.`],
    [refusals.petHeld(pet('sold'), 7n), 'Pet 42 is sold: order 7 holds it. Return order 7 to make the pet available.'],
  ],
} satisfies Record<keyof typeof refusals, unknown>

test.each(Object.values(SENTENCES).flat())('%s', (refusal, sentence) => {
  expect((refusal as Error).message).toBe(sentence as string)
})
