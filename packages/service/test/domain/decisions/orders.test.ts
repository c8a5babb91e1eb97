// The rules of orders, without a store: transitions from every status, placing, correcting and expiring.

import { describe, expect, test } from 'bun:test'
import { Rows } from '../../../../../test/support/rows-in-memory.ts'
import { DAY_MS } from '../../../../../test/support/sqlite.ts'
import { EXPIRY_DAYS_MAX, ORDER_STATUSES } from '../../../../contract/src/generated.ts'
import {
  createPet,
  expireOrders,
  moveOrder,
  placeOrder,
  updateOrder,
  updatePet,
} from '../../../src/domain/decisions/decision.ts'
import * as refusals from '../../../src/domain/decisions/refusal-messages.ts'
import { HOLDING, isDone, leadsFrom, petStatusOf, TRANSITIONS } from '../../../src/domain/order-transitions.ts'
import {
  BY,
  emitted,
  messageOf,
  NEXT,
  no,
  ORDER,
  outcomeOf,
  PET,
  PET_STATUSES,
  REQUESTED,
  so,
  withOrder,
  withPet,
} from './fixture.ts'

describe('a transition', () => {
  for (const status of ORDER_STATUSES)
    for (const to of REQUESTED) {
      test(`of an order that is ${status} to ${to}`, () => {
        const rows = withOrder(status)
        const before = rows.orders.get(ORDER)
        for (const check of [no, undefined]) {
          const outcome = outcomeOf(rows, moveOrder(ORDER, to, BY, check))
          if (isDone(to, status)) expect(outcome).toMatchObject({ status })
          else if (!leadsFrom(status, to)) expect(outcome).toBe(TRANSITIONS[to].refusal)
          else if (check) expect(outcome).toBe('precondition_failed')
          else {
            expect(outcome).toMatchObject({ id: ORDER, petName: 'Rex', status: to, changedAt: rows.now })
            expect(emitted(rows)).toEqual([`order.${to} ${ORDER}`])
            const pet = rows.pets.get(PET)
            expect(pet?.status).toBe(petStatusOf(to))
            expect(rows.events[0]).toMatchObject({ pet: pet as object, terms: { reference: before?.reference } })
            return
          }
          expect(rows.orders.get(ORDER)).toBe(before as NonNullable<typeof before>)
        }
        expect(emitted(rows)).toEqual([])
      })
    }

  test('a transition of an overdue reservation expires it first, before the check', () => {
    for (const [to, outcome] of [
      ['completed', 'order_not_pending'],
      ['returned', 'order_not_completed'],
      ['cancelled', { status: 'expired' }],
    ] as const) {
      const rows = withOrder('pending', true)
      const found = outcomeOf(rows, moveOrder(ORDER, to, BY, no))
      if (typeof outcome === 'string') expect(found).toBe(outcome)
      else expect(found).toMatchObject(outcome)
      expect(emitted(rows)).toEqual([`order.expired ${ORDER}`])
      expect(rows.events[0]).toMatchObject({ by: null })
      expect(rows.pets.get(PET)?.status).toBe('available')
    }
  })

  test('a transition is never dated before the change that it follows', () => {
    const rows = withOrder('completed')
    const { changedAt } = rows.orders.get(ORDER) as { changedAt: number }
    rows.now -= DAY_MS
    expect(outcomeOf(rows, moveOrder(ORDER, 'returned', BY))).toMatchObject({ changedAt })
  })
})

test.each(PET_STATUSES)('placing an order of a pet that was added as %s', (status) => {
  const rows = withPet(status)
  const outcome = outcomeOf(rows, placeOrder({ petId: PET, reference: 'r' }, BY))
  if (status !== 'available') return expect(outcome).toBe('pet_not_available')
  expect(outcome).toMatchObject({ value: { id: ORDER, status: 'pending', reference: 'r', placedAt: rows.now } })
  expect(rows.pets.get(PET)?.status).toBe('pending')
})

test.each(ORDER_STATUSES)('placing an order of a pet whose order is %s', (status) => {
  const outcome = outcomeOf(withOrder(status), placeOrder({ petId: PET }, BY))
  if (HOLDING.includes(status)) expect(outcome).toBe('pet_not_available')
  else expect(outcome).toMatchObject({ value: { id: NEXT } })
})

test('placing an order of a pet with an overdue reservation expires it first', () => {
  const rows = withOrder('pending', true)
  expect(outcomeOf(rows, placeOrder({ petId: PET }, BY))).toMatchObject({ value: { id: NEXT, status: 'pending' } })
  expect(emitted(rows)).toEqual([`order.expired ${ORDER}`, `order.placed ${NEXT}`])
})

test('placing an order rejects an expiry in the past or too far ahead before other problems', () => {
  const rows = withPet('sold')
  for (const expiresAt of [rows.now, rows.now + EXPIRY_DAYS_MAX * DAY_MS + 1]) {
    expect(outcomeOf(rows, placeOrder({ petId: PET, expiresAt }, BY))).toBe('invalid_order')
  }
  expect(outcomeOf(rows, placeOrder({ petId: PET, expiresAt: rows.now + 1 }, BY))).toBe('pet_not_available')
  expect(outcomeOf(rows, placeOrder({ petId: NEXT }, BY))).toBe('pet_not_found')
})

test.each(ORDER_STATUSES)('a correction of an order that is %s', (status) => {
  const rows = withOrder(status)
  const { reference, expiresAt = null } = rows.orders.get(ORDER) as { reference?: string; expiresAt?: number }
  for (const change of [{ reference: reference as string }, { expiresAt }]) {
    expect(outcomeOf(rows, updateOrder(ORDER, change, BY, so))).toMatchObject({ status })
  }
  expect(emitted(rows)).toEqual([])
  const end = rows.now + DAY_MS
  expect(outcomeOf(rows, updateOrder(ORDER, { expiresAt: rows.now }, BY, so))).toBe('invalid_order')
  const refused = status === 'pending' ? 'precondition_failed' : 'order_not_pending'
  expect(outcomeOf(rows, updateOrder(ORDER, { expiresAt: end }, BY, so))).toBe(refused)
  const outcome = outcomeOf(rows, updateOrder(ORDER, { reference: null, expiresAt: end }, BY))
  if (status !== 'pending') return expect(outcome).toBe('order_not_pending')
  expect(outcome).toMatchObject({ expiresAt: end, changedAt: rows.now, petName: 'Rex' })
  expect(rows.orders.get(ORDER)?.reference).toBeUndefined()
  expect(emitted(rows)).toEqual([`order.changed ${ORDER}`])
  expect(rows.events[0]).toMatchObject({ pet: { name: 'Rex' }, terms: { reference: undefined, expiresAt: end } })
})

test('a correction of an overdue reservation expires it instead', () => {
  const rows = withOrder('pending', true)
  expect(outcomeOf(rows, updateOrder(ORDER, { expiresAt: rows.now + DAY_MS }, BY))).toBe('order_not_pending')
  expect(emitted(rows)).toEqual([`order.expired ${ORDER}`])
})

test('a rejection shows the order that holds the pet, and its expiry', () => {
  for (const [status, order, expiresIn] of [
    ['pending', 'pending', undefined],
    ['pending', 'pending', DAY_MS],
    ['sold', 'completed', undefined],
  ] as const) {
    const rows = withOrder(order)
    const expiresAt = expiresIn && rows.now + expiresIn
    if (expiresAt) rows.commit(updateOrder(ORDER, { expiresAt }, BY))
    const { message } = refusals.petNotAvailable({ id: PET, status }, { id: ORDER, expiresAt })
    expect(messageOf(rows, placeOrder({ petId: PET }, BY))).toBe(message)
    const held = refusals.petHeld({ id: PET, status }, ORDER)
    expect(messageOf(rows, updatePet(PET, { status: 'available' }, BY))).toBe(held.message)
  }
  expect(messageOf(withPet('sold'), placeOrder({ petId: PET }, BY))).toBe(
    refusals.petNotAvailable({ id: PET, status: 'sold' }, undefined).message,
  )
})

test('overdue reservations expire up to the limit, oldest expiry first, and once in a batch', () => {
  const rows = new Rows()
  for (const end of [3, 1, 2]) {
    rows.commit(createPet({ name: 'Rex', categoryId: 7n, status: 'available' }, BY))
    rows.commit(placeOrder({ petId: rows.lastPet, expiresAt: rows.now + end }, BY))
  }
  rows.now += 3
  const { outcomes } = rows.commit(moveOrder(3n, 'cancelled', BY), expireOrders(1), expireOrders(2))
  expect(outcomes).toMatchObject([{ status: 'expired' }, [{ id: 2n }], [{ id: 1n }]])
  expect([...rows.orders.values()].map(({ status }) => status)).toEqual(Array(3).fill('expired'))
})

test('throws if the statuses of an order and its pet do not match', () => {
  const rows = withOrder('pending')
  rows.pets.set(PET, { id: PET, name: 'Rex', categoryId: 7n, status: 'sold' })
  expect(() => rows.commit(moveOrder(ORDER, 'completed', BY))).toThrow('its pet is sold')
  expect(() => rows.commit(updateOrder(ORDER, { reference: 'x' }, BY))).toThrow('its pet is sold')
})
