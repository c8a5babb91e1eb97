// Idempotency keys and rejected API keys in a batch, without a store.

import { expect, test } from 'bun:test'
import { createPet, moveOrder, placeOrder, updatePet } from '../../../src/domain/decisions/decision.ts'
import { BY, NEXT, ORDER, outcomeOf, PET, shown, withPet } from './fixture.ts'

test('an idempotency key replays the first response, even within a batch or after later changes', () => {
  const rows = withPet('available')
  const expiresAt = rows.now + 1
  const place = () => placeOrder({ petId: PET, expiresAt }, BY, 'k')
  const [first, again] = rows.commit(place(), place()).outcomes
  expect([first, again]).toMatchObject([{ replayed: false }, { replayed: true }])
  rows.commit(moveOrder(ORDER, 'completed', BY), updatePet(PET, { name: 'Max' }, BY))
  rows.now = expiresAt
  expect(outcomeOf(rows, place())).toEqual({ ...(first as object), replayed: true })
  expect(rows.orders.size).toBe(1)
})

test('an idempotency key belongs to one request, one operation and one API key, and does not keep a rejection', () => {
  const rows = withPet('available')
  const pet = { name: 'Mia', categoryId: 1n, status: 'sold' } as const
  expect(outcomeOf(rows, placeOrder({ petId: NEXT }, BY, 'k'))).toBe('pet_not_found')
  rows.commit(placeOrder({ petId: PET, reference: 'r' }, BY, 'k'))
  for (const other of [
    placeOrder({ petId: PET }, BY, 'k'),
    placeOrder({ petId: NEXT, reference: 'r' }, BY, 'k'),
    placeOrder({ petId: PET, reference: 'r', expiresAt: 1 }, BY, 'k'),
    createPet(pet, BY, 'k'),
    createPet({ petId: PET, reference: 'r' } as never, BY, 'k'),
  ])
    expect(outcomeOf(rows, other)).toBe('idempotency_mismatch')
  expect(outcomeOf(rows, createPet(pet, 2n, 'k'))).toMatchObject({ replayed: false })
})

test('a rejected API key changes nothing, gets no replay, and does not affect other requests', () => {
  const rows = withPet('available')
  rows.commit(placeOrder({ petId: PET }, 2n, 'k'))
  rows.refused.set(2n, 'revoked')
  const moves = [moveOrder(ORDER, 'cancelled', 2n), moveOrder(ORDER, 'completed', BY)] as const
  const { outcomes } = rows.commit(placeOrder({ petId: PET }, 2n, 'k'), ...moves)
  expect(outcomes.map(shown)).toMatchObject(['invalid_api_key', 'invalid_api_key', { status: 'completed' }])
})
