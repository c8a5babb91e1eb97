// The rules of pets, without a store: corrections and deletions of pets with and without orders.

import { expect, test } from 'bun:test'
import { Rows } from '../../../../../test/support/rows-in-memory.ts'
import { ORDER_STATUSES } from '../../../../contract/src/generated.ts'
import { deletePet, moveOrder, updateOrder, updatePet } from '../../../src/domain/decisions/decision.ts'
import { HOLDING } from '../../../src/domain/order-transitions.ts'
import { BY, emitted, no, ORDER, outcomeOf, PET, PET_STATUSES, so, withOrder, withPet } from './fixture.ts'

test.each(PET_STATUSES)('a correction of the status of a pet that was added as %s', (status) => {
  for (const wanted of PET_STATUSES) {
    const rows = withPet(status)
    const outcome = outcomeOf(rows, updatePet(PET, { status: wanted } as { status: 'available' }, BY))
    if (wanted !== status && wanted !== 'available') expect(outcome).toBe('invalid_pet')
    else expect(outcome).toMatchObject({ status: wanted })
    expect(emitted(rows)).toEqual(wanted === 'available' && status !== wanted ? ['pet.changed'] : [])
  }
})

test.each(ORDER_STATUSES)('a correction of a pet whose order is %s', (status) => {
  const rows = withOrder(status)
  const held = HOLDING.includes(status)
  const free = updatePet(PET, { status: 'available', name: 'Max' }, BY, no)
  expect(outcomeOf(rows, free)).toBe(held ? 'pet_held' : 'precondition_failed')
  expect(outcomeOf(rows, updatePet(PET, { name: 'Rex' }, BY, so))).toMatchObject({ name: 'Rex' })
  expect(outcomeOf(rows, updatePet(PET, { name: 'Max' }, BY))).toMatchObject({ name: 'Max' })
  expect(outcomeOf(rows, deletePet(PET, BY))).toBe('pet_has_orders')
  expect(emitted(rows)).toEqual(['pet.changed'])
})

test('a correction of a missing pet or order is rejected before the check', () => {
  const rows = new Rows()
  expect(outcomeOf(rows, updatePet(PET, { name: 'Max' }, BY, no))).toBe('not_found')
  expect(outcomeOf(rows, updateOrder(ORDER, { reference: null }, BY, no))).toBe('not_found')
  expect(outcomeOf(rows, deletePet(PET, BY, no))).toBe('not_found')
  expect(outcomeOf(rows, moveOrder(ORDER, 'completed', BY, no))).toBe('not_found')
})

test('a correction deletes a pet that was never ordered, if the check passes', () => {
  const rows = withPet('available')
  expect(outcomeOf(rows, deletePet(PET, BY, no))).toBe('precondition_failed')
  expect(outcomeOf(rows, deletePet(PET, BY))).toBeUndefined()
  expect([rows.pets.size, emitted(rows)]).toEqual([0, ['pet.deleted']])
})
