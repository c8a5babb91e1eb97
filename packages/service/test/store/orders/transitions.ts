// Every transition of an order in every status, and what becomes of its pet.

import { describe, expect, spyOn, test } from 'bun:test'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { ORDER_STATUSES } from '../../../../contract/src/generated.ts'
import { noSuchOrder, notTransitioned } from '../../../src/domain/decisions/refusal-messages.ts'
import {
  isDone,
  leadsFrom,
  petStatusOf,
  type RequestedTransition,
  TRANSITIONS,
} from '../../../src/domain/order-transitions.ts'
import type { OrderStatus } from '../../../src/domain/orders.ts'
import type { PetStatus } from '../../../src/domain/pets.ts'
import { type Fixture, MAX, METHODS, orderJson } from './fixture.ts'

/** What an order becomes and what its pet, or the code of the refusal. */
type Outcome = readonly [OrderStatus, PetStatus] | (typeof TRANSITIONS)[RequestedTransition]['refusal']

function outcomeOf(status: OrderStatus, to: RequestedTransition): Outcome {
  if (isDone(to, status)) return [status, petStatusOf(status)]
  return leadsFrom(status, to) ? [to, TRANSITIONS[to].pet] : TRANSITIONS[to].refusal
}

export function transitions(fixture: Fixture): void {
  const { addPet, place, statusOf, orderThatIs, allOrders, expectInventoryIsExact } = fixture

  describe('a transition', () => {
    for (const status of ORDER_STATUSES) {
      for (const to of Object.keys(METHODS) as RequestedTransition[]) {
        const [transition, outcome] = [METHODS[to], outcomeOf(status, to)]
        const description =
          typeof outcome === 'string' ? `is refused: ${outcome}` : `gives ${outcome.join(', its pet ')}`
        test(`${transition} of an order that is ${status} ${description}`, async () => {
          const order = await orderThatIs(status)
          const before = { ...(await fixture.store.getInventory()), pet: await statusOf(order.petId) }
          if (typeof outcome === 'string') {
            expect(await rejectionOf(fixture.store[transition](order.id, fixture.by))).toMatchObject({
              code: outcome,
              message: notTransitioned(order, to).message,
            })
            expect(await fixture.store.getOrder(order.id)).toEqual(order)
            expect({ ...(await fixture.store.getInventory()), pet: await statusOf(order.petId) }).toEqual(before)
            return
          }
          const after = await fixture.store[transition](order.id, fixture.by)
          if (status === outcome[0]) expect(after).toEqual(order)
          else expect(after).toEqual({ ...order, status: outcome[0], changedAt: after.changedAt })
          expect(after.changedAt).toBeGreaterThanOrEqual(order.changedAt)
          expect(await fixture.store.getOrder(order.id)).toEqual(after)
          expect(await statusOf(order.petId)).toBe(outcome[1])
          // A repeat changes nothing.
          expect(await fixture.store[transition](order.id, fixture.by)).toEqual(after)
          await expectInventoryIsExact()
        })
      }
    }

    test('is made once, also if its observer throws', async () => {
      const pets = await Promise.all([addPet(), addPet()])
      const warned = spyOn(process, 'emitWarning').mockImplementation(() => undefined)
      const reporting = spyOn(fixture.reported, 'push').mockImplementation(() => {
        throw new Error('planted')
      })
      const orders = await Promise.all(pets.map((petId) => place(petId))).finally(() => reporting.mockRestore())
      expect(orders.map(({ petId, status }) => [petId, status])).toEqual(pets.map((petId) => [petId, 'pending']))
      expect(warned).toHaveBeenCalled()
      warned.mockRestore()
    })

    test('of an order that does not exist is refused', async () => {
      for (const id of [0n, -1n, MAX, -(2n ** 63n)]) {
        for (const transition of Object.values(METHODS)) {
          expect(await rejectionOf(fixture.store[transition](id, fixture.by))).toMatchObject({
            code: 'not_found',
            message: noSuchOrder(id).message,
          })
        }
      }
    })

    test('makes the pet available for the next order, and leaves the ended order as it was', async () => {
      const petId = await addPet()
      const first = await fixture.store.cancelOrder((await place(petId)).id, fixture.by)
      const sold = await fixture.store.completeOrder((await place(petId)).id, fixture.by)
      const returned = await fixture.store.returnOrder(sold.id, fixture.by)
      const last = await place(petId)
      // A repeat does not touch the pet, which another order holds.
      for (const { id } of [first, returned]) expect(await fixture.store.getOrder(id)).toMatchObject({ id })
      expect(await fixture.store.cancelOrder(first.id, fixture.by)).toEqual(first)
      expect(await fixture.store.returnOrder(returned.id, fixture.by)).toEqual(returned)
      expect(await statusOf(petId)).toBe('pending')
      const listed = (await allOrders({ petId })).map(({ json }) => json)
      expect(listed).toEqual([first, returned, last].map(orderJson))
      await expectInventoryIsExact()
    })
  })
}
