// The rules of pets and orders, without any store (packages/service/src/domain/decisions/): every state, and what a batch makes of every order of requests.

import { describe, expect, test } from 'bun:test'
import { Rows } from '../../../../test/support/rows-in-memory.ts'
import { ORDER_STATUSES } from '../../../contract/src/generated.ts'
import type { Decision } from '../../src/domain/decisions/decision.ts'
import { expireOrders, moveOrder, placeOrder, updateOrder } from '../../src/domain/decisions/orders.ts'
import { createPet, deletePet, updatePet } from '../../src/domain/decisions/pets.ts'
import {
  HOLDING,
  isDone,
  leadsFrom,
  petStatusOf,
  type RequestedTransition,
  TRANSITIONS,
  type TransitionTo,
} from '../../src/domain/order-transitions.ts'
import type { OrderStatus } from '../../src/domain/orders.ts'
import type { PetStatus } from '../../src/domain/pets.ts'
import { PetstoreError } from '../../src/domain/petstore-error.ts'
import { DAY_MS } from '../store/orders/fixture.ts'

const BY = 1n
const PET = 1n
const ORDER = 1n
const NEXT = 2n
const NO = new PetstoreError('precondition_failed', 'no')
const no = () => NO
const REQUESTED = (Object.keys(TRANSITIONS) as TransitionTo[]).filter((to) => to !== 'expired')
const PET_STATUSES = ['available', 'pending', 'sold'] as const

/** A pet, and an order of it with this status; `over`: whose end has passed. */
function withOrder(status: OrderStatus, over = false): Rows {
  const rows = withPet('available')
  const expiresAt = over ? rows.now + 1 : undefined
  rows.commit(placeOrder({ petId: PET, reference: 'r', expiresAt }, BY))
  for (const to of pathTo(status)) rows.commit(moveOrder(ORDER, to, BY))
  if (status === 'expired') {
    rows.orders.set(ORDER, { ...(rows.orders.get(ORDER) as NonNullable<unknown>), expiresAt: rows.now } as never)
    rows.commit(expireOrders(1))
  }
  rows.now += 5
  rows.events.length = 0
  return rows
}

/** The transitions of a pending order that lead there, but for the one that nobody can request. */
function pathTo(status: OrderStatus): RequestedTransition[] {
  if (status === 'pending' || status === 'expired') return []
  return [...pathTo(TRANSITIONS[status].from[0]), status]
}

function withPet(status: PetStatus): Rows {
  const rows = new Rows()
  rows.commit(createPet({ name: 'Rex', categoryId: 7n, status }, BY))
  rows.events.length = 0
  return rows
}

/** What came of one decision: its value, or the code of its refusal. */
function outcomeOf(rows: Rows, decision: Decision<unknown>): unknown {
  return shown(rows.commit(decision).outcomes[0])
}

const shown = (outcome: unknown) => (outcome instanceof PetstoreError ? outcome.code : outcome)
const emitted = (rows: Rows) => rows.events.map(({ type, orderId = '' }) => `${type} ${orderId}`.trim())

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
            expect(rows.pets.get(PET)?.status).toBe(petStatusOf(to))
            return
          }
          expect(rows.orders.get(ORDER)).toBe(before as NonNullable<typeof before>)
        }
        expect(emitted(rows)).toEqual([])
      })
    }

  test('of a reservation that is over: it expires first, whatever the check says', () => {
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

  test('is never dated before the change that it follows', () => {
    const rows = withOrder('completed')
    const { changedAt } = rows.orders.get(ORDER) as { changedAt: number }
    rows.now -= DAY_MS
    expect(outcomeOf(rows, moveOrder(ORDER, 'returned', BY))).toMatchObject({ changedAt })
  })
})

describe('placing an order', () => {
  test.each(PET_STATUSES)('of a pet that was added as %s', (status) => {
    const rows = withPet(status)
    const outcome = outcomeOf(rows, placeOrder({ petId: PET, reference: 'r' }, BY))
    if (status !== 'available') return expect(outcome).toBe('pet_not_available')
    expect(outcome).toMatchObject({ value: { id: ORDER, status: 'pending', reference: 'r', placedAt: rows.now } })
    expect(rows.pets.get(PET)?.status).toBe('pending')
  })

  test.each(ORDER_STATUSES)('of a pet whose order is %s', (status) => {
    const outcome = outcomeOf(withOrder(status), placeOrder({ petId: PET }, BY))
    if (HOLDING.includes(status)) expect(outcome).toBe('pet_not_available')
    else expect(outcome).toMatchObject({ value: { id: NEXT } })
  })

  test('of a pet whose reservation is over: that expires first', () => {
    const rows = withOrder('pending', true)
    expect(outcomeOf(rows, placeOrder({ petId: PET }, BY))).toMatchObject({ value: { id: NEXT, status: 'pending' } })
    expect(emitted(rows)).toEqual([`order.expired ${ORDER}`, `order.placed ${NEXT}`])
  })

  test('until a time that is past, or more than 366 days ahead, is refused first', () => {
    const rows = withPet('sold')
    for (const expiresAt of [rows.now, rows.now + 366 * DAY_MS + 1]) {
      expect(outcomeOf(rows, placeOrder({ petId: PET, expiresAt }, BY))).toBe('invalid_order')
    }
    expect(outcomeOf(rows, placeOrder({ petId: PET, expiresAt: rows.now + 1 }, BY))).toBe('pet_not_available')
    expect(outcomeOf(rows, placeOrder({ petId: NEXT }, BY))).toBe('pet_not_found')
  })
})

describe('a correction', () => {
  const so = (_: unknown, isSo = false) => (isSo ? undefined : NO)

  test.each(ORDER_STATUSES)('of an order that is %s', (status) => {
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
  })

  test('of a reservation that is over expires it instead', () => {
    const rows = withOrder('pending', true)
    expect(outcomeOf(rows, updateOrder(ORDER, { expiresAt: rows.now + DAY_MS }, BY))).toBe('order_not_pending')
    expect(emitted(rows)).toEqual([`order.expired ${ORDER}`])
  })

  test.each(PET_STATUSES)('of the status of a pet that was added as %s', (status) => {
    for (const wanted of PET_STATUSES) {
      const rows = withPet(status)
      const outcome = outcomeOf(rows, updatePet(PET, { status: wanted } as { status: 'available' }, BY))
      if (wanted !== status && wanted !== 'available') expect(outcome).toBe('invalid_pet')
      else expect(outcome).toMatchObject({ status: wanted })
      expect(emitted(rows)).toEqual(wanted === 'available' && status !== wanted ? ['pet.changed'] : [])
    }
  })

  test.each(ORDER_STATUSES)('of a pet whose order is %s', (status) => {
    const rows = withOrder(status)
    const held = HOLDING.includes(status)
    const free = updatePet(PET, { status: 'available', name: 'Max' }, BY, no)
    expect(outcomeOf(rows, free)).toBe(held ? 'pet_held' : 'precondition_failed')
    expect(outcomeOf(rows, updatePet(PET, { name: 'Rex' }, BY, so))).toMatchObject({ name: 'Rex' })
    expect(outcomeOf(rows, updatePet(PET, { name: 'Max' }, BY))).toMatchObject({ name: 'Max' })
    expect(outcomeOf(rows, deletePet(PET, BY))).toBe('pet_has_orders')
    expect(emitted(rows)).toEqual(['pet.changed'])
  })

  test('of what is not there', () => {
    const rows = new Rows()
    expect(outcomeOf(rows, updatePet(PET, { name: 'Max' }, BY, no))).toBe('not_found')
    expect(outcomeOf(rows, updateOrder(ORDER, { reference: null }, BY, no))).toBe('not_found')
    expect(outcomeOf(rows, deletePet(PET, BY, no))).toBe('not_found')
    expect(outcomeOf(rows, moveOrder(ORDER, 'completed', BY, no))).toBe('not_found')
  })

  test('deletes a pet that was never ordered, if the check agrees', () => {
    const rows = withPet('available')
    expect(outcomeOf(rows, deletePet(PET, BY, no))).toBe('precondition_failed')
    expect(outcomeOf(rows, deletePet(PET, BY))).toBeUndefined()
    expect([rows.pets.size, emitted(rows)]).toEqual([0, ['pet.deleted']])
  })
})

describe('an idempotency key', () => {
  test('gives the first answer again, also within a batch and after everything has changed', () => {
    const rows = withPet('available')
    const place = () => placeOrder({ petId: PET }, BY, 'k')
    const [first, again] = rows.commit(place(), place()).outcomes
    expect([first, again]).toMatchObject([{ replayed: false }, { replayed: true }])
    rows.commit(moveOrder(ORDER, 'completed', BY), updatePet(PET, { name: 'Max' }, BY))
    expect(outcomeOf(rows, place())).toEqual({ ...(first as object), replayed: true })
    expect(rows.orders.size).toBe(1)
  })

  test('belongs to one request, one operation and one API key, and a refusal is not kept', () => {
    const rows = withPet('available')
    const pet = { name: 'Mia', categoryId: 1n, status: 'sold' } as const
    expect(outcomeOf(rows, placeOrder({ petId: NEXT }, BY, 'k'))).toBe('pet_not_found')
    rows.commit(placeOrder({ petId: PET, reference: 'r' }, BY, 'k'))
    for (const other of [
      placeOrder({ petId: PET }, BY, 'k'),
      placeOrder({ petId: NEXT, reference: 'r' }, BY, 'k'),
      placeOrder({ petId: PET, reference: 'r', expiresAt: 1 }, BY, 'k'),
      createPet(pet, BY, 'k'),
    ])
      expect(outcomeOf(rows, other)).toBe('idempotency_mismatch')
    expect(outcomeOf(rows, createPet(pet, 2n, 'k'))).toMatchObject({ replayed: false })
  })
})

test('an API key that is refused changes nothing, not even by a replay, and does not affect others', () => {
  const rows = withPet('available')
  rows.commit(placeOrder({ petId: PET }, 2n, 'k'))
  rows.refused.set(2n, 'revoked')
  const { outcomes } = rows.commit(
    placeOrder({ petId: PET }, 2n, 'k'),
    moveOrder(ORDER, 'cancelled', 2n),
    moveOrder(ORDER, 'completed', BY),
  )
  expect(outcomes.map(shown)).toMatchObject(['invalid_api_key', 'invalid_api_key', { status: 'completed' }])
})

test('overdue reservations expire up to the limit, those that are over longest first, each once in a batch', () => {
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

test('where the statuses of an order and its pet do not agree, nothing is decided', () => {
  const rows = withOrder('pending')
  rows.pets.set(PET, { id: PET, name: 'Rex', categoryId: 7n, status: 'sold' })
  expect(() => rows.commit(moveOrder(ORDER, 'completed', BY))).toThrow('its pet is sold')
  expect(() => rows.commit(updateOrder(ORDER, { reference: 'x' }, BY))).toThrow('its pet is sold')
})

describe('a batch', () => {
  /** Of one pet and its orders, by two buyers. */
  const REQUESTS: Record<string, () => Decision<unknown>> = {
    place: () => placeOrder({ petId: PET }, BY),
    'place until': () => placeOrder({ petId: PET, expiresAt: 1_900_000_000_000, reference: 'q' }, 2n, 'k'),
    complete: () => moveOrder(ORDER, 'completed', BY),
    cancel: () => moveOrder(ORDER, 'cancelled', BY),
    return: () => moveOrder(ORDER, 'returned', BY),
    'complete next': () => moveOrder(NEXT, 'completed', 2n),
    'cancel next': () => moveOrder(NEXT, 'cancelled', BY),
    refer: () => updateOrder(ORDER, { reference: 'x' }, BY),
    extend: () => updateOrder(ORDER, { expiresAt: 1_820_000_000_000 }, BY),
    rename: () => updatePet(PET, { name: 'Max' }, BY),
    free: () => updatePet(PET, { status: 'available' }, BY),
    delete: () => deletePet(PET, BY),
    expire: () => expireOrders(5),
  }
  const STARTS: Record<string, () => Rows> = {
    'no pet': () => new Rows(),
    ...Object.fromEntries(PET_STATUSES.map((status) => [`a pet that is ${status}`, () => withPet(status)])),
    ...Object.fromEntries(ORDER_STATUSES.map((status) => [`an order that is ${status}`, () => withOrder(status)])),
    'a reservation that is over': () => withOrder('pending', true),
  }

  function expectAgreement({ pets, orders }: Rows): void {
    for (const pet of pets.values()) {
      const holders = [...orders.values()].filter(({ petId, status }) => petId === pet.id && HOLDING.includes(status))
      expect(holders.length).toBeLessThan(2)
      if (holders[0]) expect(pet.status).toBe(petStatusOf(holders[0].status))
    }
    for (const { petId } of orders.values()) expect(pets.has(petId)).toBe(true)
  }

  test.each(Object.keys(STARTS))('decides as its requests do one after another, in every order: %s', (name) => {
    const start = (STARTS[name] as () => Rows)()
    const requests = Object.values(REQUESTS)
    for (const first of requests)
      for (const second of requests)
        for (const third of requests) {
          const [together, apart] = [start.copy(), start.copy()]
          const { outcomes, transitions } = together.commit(first(), second(), third())
          const each = [first, second, third].map((request) => apart.commit(request()))
          expect(outcomes).toEqual(each.flatMap((one) => one.outcomes))
          expect(transitions).toEqual(each.flatMap((one) => one.transitions))
          expect(together).toEqual(apart)
          expectAgreement(together)
        }
  })

  test('adds pets that it then corrects, orders and deletes', () => {
    const rows = new Rows()
    const pet = { name: 'Rex', categoryId: 7n, status: 'available' } as const
    const { outcomes } = rows.commit(
      ...[createPet(pet, BY), updatePet(PET, { name: 'Max' }, BY), placeOrder({ petId: PET }, BY)],
      ...[createPet(pet, BY), deletePet(NEXT, BY), createPet(pet, BY)],
    )
    expect(outcomes.map(shown)).toMatchObject([
      { value: { id: PET } },
      { name: 'Max' },
      { value: { petName: 'Max' } },
      { value: { id: NEXT } },
      undefined,
      { value: { id: 3n } },
    ])
    expect([...rows.pets.keys()]).toEqual([PET, 3n])
  })
})
