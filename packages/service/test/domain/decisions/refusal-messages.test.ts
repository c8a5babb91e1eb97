// The messages of rejections that depend on the status of the pet or order. Other tests compare with these functions.

import { expect, test } from 'bun:test'
import * as refusals from '../../../src/domain/decisions/refusal-messages.ts'
import type { OrderStatus } from '../../../src/domain/orders.ts'
import type { PetStatus } from '../../../src/domain/pets.ts'

const pet = (status: PetStatus) => ({ id: 42n, status })
const order = (status: OrderStatus) => ({ id: 7n, status })
const only = (status: OrderStatus, rule: string) => `Order 7 is ${status}: only ${rule}.`
const HELD = 'Pet 42 is pending: order 7 holds it.'
const END = Date.UTC(2026, 10, 21, 18)

const SENTENCES = {
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
}

test.each(Object.values(SENTENCES).flat())('%s', (refusal, sentence) => {
  expect((refusal as Error).message).toBe(sentence as string)
})
