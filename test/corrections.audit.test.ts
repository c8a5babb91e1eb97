// That the audits of corrections and of the feed see each kind of fault: a sound store, changed in one place at a time.

import { describe, expect, test } from 'bun:test'
import { auditCorrections } from '../endurance/correction-audit.ts'
import { auditFeed } from '../endurance/event-audit.ts'
import type { Seen } from '../endurance/event-readers.ts'
import type { Tables } from '../endurance/order-audit.ts'
import { Journal } from '../endurance/order-journal.ts'

type Status = 'available' | 'pending' | 'sold'
const time = (at: number) => new Date(at).toISOString()
const pet = (id: number, name: string, status: Status) =>
  ({ id, name, categoryId: 1, status }) as unknown as Seen['pet']

interface World {
  tables: Tables
  events: Seen[]
  journal: Journal
}

/** Pet 1 was added as sold, freed and renamed; pet 2 was deleted; the reservation of pet 3 was extended. */
function soundWorld(): World {
  const order = {
    id: 1,
    petId: 3,
    status: 'pending',
    reference: 'once-1~1',
    expiresAt: 900,
    placedAt: 60,
    changedAt: 70,
  }
  const tables: Tables = {
    pets: [
      { id: 1, name: 'name-2', status: 'available' },
      { id: 3, name: 'Rex', status: 'pending' },
    ],
    orders: [order],
    transitions: [{ orderId: 1, status: 'pending', at: 60, keyId: 1 }],
    inventory: [
      { status: 'available', pets: 1 },
      { status: 'pending', pets: 1 },
      { status: 'sold', pets: 0 },
    ],
    answers: [],
  }
  const added = (petId: number, name: string, status: Status) =>
    ({ type: 'pet.added', petId, petStatus: status, pet: pet(petId, name, status) }) as const
  const placed = { petId: 3, petStatus: 'pending', orderId: 1, orderStatus: 'pending' } as const
  const events = [
    added(1, 'pet-1', 'sold'),
    { ...added(1, 'pet-1', 'available'), type: 'pet.changed' },
    { ...added(1, 'name-1', 'available'), type: 'pet.changed' },
    { ...added(1, 'name-2', 'available'), type: 'pet.changed' },
    added(2, 'pet-2', 'available'),
    { type: 'pet.deleted', petId: 2 },
    added(3, 'Rex', 'available'),
    { type: 'order.placed', at: time(60), ...placed },
    { type: 'order.changed', at: time(70), ...placed },
  ].map((event, n) => ({ id: n + 1, at: time(10), ...event })) as Seen[]

  const journal = new Journal()
  const tell = (name: string, answer: object | '' | undefined) => {
    journal.sent({ name })
    journal.acknowledged({ name }, answer ? JSON.stringify(answer) : '', false)
  }
  tell('add pet-1', pet(1, 'pet-1', 'sold'))
  tell('free 1 7', pet(1, 'pet-1', 'available'))
  tell('rename 1 name-1', pet(1, 'name-1', 'available'))
  tell('rename 1 name-2', pet(1, 'name-2', 'available'))
  tell('add pet-2', pet(2, 'pet-2', 'available'))
  tell('delete 2', '')
  tell('place once-1', { id: 1, expiresAt: time(100) })
  tell('change 1 1', { changedAt: time(70), expiresAt: time(900) })
  journal.refusals.add('not_found 2').add('pet_has_orders 3')
  return { tables, events, journal }
}

const faultsOf = ({ tables, events, journal }: World) => [
  ...auditFeed(events, tables),
  ...auditCorrections(tables, events, journal),
]

/** The events whose ids these are. */
const remove = (events: Seen[], ...ids: number[]) =>
  events.splice(0, events.length, ...events.filter(({ id }) => !ids.includes(id)))

describe('the audit of corrections', () => {
  test('finds nothing in a sound store', () => {
    expect(faultsOf(soundWorld())).toEqual([])
  })

  const changes: Record<string, [(world: World) => unknown, fault: string]> = {
    'a rename that is not told': [({ events }) => remove(events, 3), 'rename 1 name-1 is lost'],
    'a rename that was undone by an earlier one': [
      ({ events }) => {
        const [first, second] = [events[2], events[3]] as [Seen, Seen]
        events.splice(2, 2, { ...second, id: 3 }, { ...first, id: 4 })
      },
      'rename 1 name-1 is told after rename 1 name-2, and was answered before that was sent',
    ],
    'a rename that is told twice': [
      ({ events }) => events.push({ ...(events[2] as Seen), id: 20 }),
      'event 20 tells rename 1 name-1 again',
    ],
    'a rename that was refused': [
      ({ journal }) => journal.done.delete('rename 1 name-2'),
      'event 4 tells rename 1 name-2, which was refused',
    ],
    'a name that is not the last one told': [
      ({ tables }) => Object.assign(tables.pets[0] as object, { name: 'name-1' }),
      'pet 1 is called name-1, and told as name-2',
    ],
    'a pet that is told as it was corrected, not as it was added': [
      ({ events }) => Object.assign(events[0] as Seen, { petStatus: 'available', pet: pet(1, 'pet-1', 'available') }),
      'add pet-1 was acknowledged as',
    ],
    'a pet that was not freed': [
      ({ tables }) => Object.assign(tables.pets[0] as object, { status: 'sold' }),
      'free 1 7 is lost',
    ],
    'a held pet that was freed': [
      ({ events }) => events.push({ ...(events[6] as Seen), id: 20, type: 'pet.changed' }),
      'event 20 (pet.changed) makes',
    ],
    'a deleted pet that is there': [
      ({ tables }) => tables.pets.push({ id: 2, name: 'pet-2', status: 'available' }),
      'pet 2 is told as deleted, and is there',
    ],
    'a deletion that is not told': [({ events }) => remove(events, 6), 'delete 2 is lost'],
    'a deletion that was refused': [
      ({ journal }) => journal.done.delete('delete 2'),
      'pet 2 is deleted, and every such request was refused',
    ],
    'a pet that was deleted although it was ordered': [
      ({ events }) => events.push({ id: 20, type: 'pet.deleted', at: time(80), petId: 3 }),
      'event 20 (pet.deleted) makes',
    ],
    'an inventory that counts a deleted pet': [
      ({ tables }) => Object.assign(tables.inventory[0] as object, { pets: 2 }),
      '2 pets are available, and 1 are told',
    ],
    'a change of an order that is lost': [
      ({ tables }) => Object.assign(tables.orders[0] as object, { reference: 'once-1' }),
      'change 1 1 is lost: order 1 is called once-1',
    ],
    'a change of an order that is not told': [
      ({ events }) => remove(events, 9),
      `of order 1, a change at ${time(70)} is not told`,
    ],
    'a change of an order that is told twice': [
      ({ events }) => events.push({ ...(events[8] as Seen), id: 20 }),
      'order 1: 2 changes are told, 1 may have happened',
    ],
    'an overdue reservation that was extended': [
      ({ journal }) => journal.done.set('place once-1', `{"id":1,"expiresAt":"${time(65)}"}`),
      `change 1 1 was acknowledged at ${time(70)}, after the end of the reservation`,
    ],
    'a pet that is there and was not found': [
      ({ journal }) => journal.refusals.add('pet_not_found 1'),
      'pet 1 was not found, and is there',
    ],
    'a pet without orders that was said to have some': [
      ({ journal }) => journal.refusals.add('pet_has_orders 1'),
      'pet 1 has no orders, and was said to have some',
    ],
  }
  for (const [change, [apply, fault]] of Object.entries(changes)) {
    test(`finds ${change}`, () => {
      const world = soundWorld()
      apply(world)
      expect(faultsOf(world)).toContainEqual(expect.stringContaining(fault))
    })
  }

  test('reports a pet that was deleted twice', () => {
    const { journal } = soundWorld()
    journal.acknowledged({ name: 'delete 2' }, '', false)
    expect(journal.newFaults([])).toEqual(['delete 2 was acknowledged twice'])
  })
})
