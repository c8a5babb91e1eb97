// That the audit of `npm run endurance:orders` sees each kind of fault: a sound store, changed in one place at a time.

import { describe, expect, test } from 'bun:test'
import { audit, type Tables } from '../endurance/order-audit.ts'
import { Journal } from '../endurance/order-journal.ts'

const row = (id: number, petId: number, status: string, reference: string, placedAt: number, changedAt: number) => ({
  id,
  petId,
  status,
  reference,
  expiresAt: null,
  placedAt,
  changedAt,
})
const step = (orderId: number, status: string, at: number, keyId: number | null = 1) => ({ orderId, status, at, keyId })

/** Pet 1 is sold after it came back once; a reservation of pet 2 has expired; nobody answered the order that holds pet 3. */
function soundTables(): Tables {
  return {
    pets: [
      { id: 1, name: 'Rex', status: 'sold' },
      { id: 2, name: 'Rex', status: 'available' },
      { id: 3, name: 'Rex', status: 'pending' },
    ],
    orders: [
      row(1, 1, 'returned', 'once-1', 10, 30),
      { ...row(2, 2, 'expired', 'key-2', 10, 25), expiresAt: 20 },
      row(3, 1, 'completed', 'key-3', 30, 40),
      row(4, 3, 'pending', 'key-4', 50, 50),
      row(5, 2, 'cancelled', 'once-5', 60, 70),
    ],
    transitions: [
      step(1, 'pending', 10),
      step(1, 'completed', 20),
      step(1, 'returned', 30),
      step(2, 'pending', 10),
      step(2, 'expired', 25, null),
      step(3, 'pending', 30),
      step(3, 'completed', 40),
      step(4, 'pending', 50),
      step(5, 'pending', 60),
      step(5, 'cancelled', 70),
    ],
    inventory: [
      { status: 'available', pets: 1 },
      { status: 'pending', pets: 1 },
      { status: 'sold', pets: 1 },
    ],
    answers: [2, 3, 4].map((id) => ({ key: `key-${id}`, answer: `{"id":${id}}` })),
  }
}

function soundJournal(): Journal {
  const journal = new Journal()
  const time = (at: number) => new Date(at).toISOString()
  const tell = (name: string, answer: object | '') =>
    journal.acknowledged(request(name), answer && JSON.stringify(answer), false)
  tell('place once-1', { id: 1, petId: 1, placedAt: time(10) })
  tell('complete 1', { status: 'completed', changedAt: time(20) })
  tell('return 1', { status: 'returned', changedAt: time(30) })
  tell('place key-2', { id: 2, petId: 2, placedAt: time(10) })
  tell('cancel 2', '')
  tell('place key-3', { id: 3, petId: 1, placedAt: time(30) })
  tell('complete 3', { status: 'completed', changedAt: time(40) })
  journal.notAnswered(request('place key-4'))
  tell('place once-5', { id: 5, petId: 2, placedAt: time(60) })
  tell('cancel 5', '')
  return journal
}

function request(name: string) {
  return { name, method: 'POST', path: '', petId: 1, idempotencyKey: name.split(' ')[1] ?? '' } as const
}

/** Each entry of `list` is there; so TypeScript is told. */
function at<Item>(list: readonly Item[], index: number): Item {
  return list.at(index) as Item
}

describe('the audit', () => {
  test('finds nothing in a sound store', () => {
    expect(audit(soundTables(), soundJournal())).toEqual([])
  })

  const changes: Record<string, [(tables: Tables, journal: Journal) => void, fault: string]> = {
    'an acknowledged order that is lost': [
      ({ orders }) => orders.splice(2, 1),
      'place key-3 was acknowledged and is lost',
    ],
    'an order placed twice': [({ orders }) => orders.push({ ...at(orders, 0), id: 6 }), 'once-1 was placed 2 times'],
    'an acknowledged transition that is lost': [
      (tables) => {
        tables.transitions.splice(6, 1)
        at(tables.orders, 2).status = 'pending'
        at(tables.orders, 2).changedAt = 30
        at(tables.pets, 0).status = 'pending'
      },
      'complete 3 was acknowledged as',
    ],
    'a transition at another time than was said': [
      ({ transitions, orders }) => {
        at(transitions, 6).at = 41
        at(orders, 2).changedAt = 41
      },
      'complete 3 was acknowledged as',
    ],
    'a pet given to two orders': [
      ({ orders, transitions }) => {
        at(orders, 2).placedAt = 25
        at(transitions, 5).at = 25
      },
      'pet 1 was given to order 3 while another held it',
    ],
    'an order without the transition that led to it': [
      ({ transitions }) => transitions.splice(9, 1),
      'order 5 is cancelled, and its transitions do not say so',
    ],
    'a transition of an order that says otherwise': [
      ({ transitions }) => transitions.push(step(4, 'cancelled', 60)),
      'there are more or fewer transitions',
    ],
    'a transition that goes back in time': [
      ({ transitions }) => {
        at(transitions, 2).at = 15
      },
      'order 1 is returned, and its transitions do not say so',
    ],
    'a transition by nobody': [
      ({ transitions }) => {
        at(transitions, 9).keyId = null
      },
      'order 5: who made it cancelled?',
    ],
    'an order that was refused': [
      (_, journal) => journal.didNotHappen('place key-4'),
      'order 4 is pending, and every such request was refused',
    ],
    'a transition that nobody asked for': [
      (_, journal) => journal.done.delete('cancel 5'),
      'order 5 is cancelled, and every such request was refused',
    ],
    'a reservation that expired too early': [
      ({ orders }) => {
        at(orders, 1).expiresAt = 26
      },
      'order 2 was expired at 25, and ends at 26',
    ],
    'a reservation that nobody expires': [
      ({ orders }) => {
        at(orders, 3).expiresAt = 60
      },
      'order 4 is pending, and its reservation has ended',
    ],
    'a reservation completed after its end': [
      ({ orders }) => {
        at(orders, 2).expiresAt = 40
      },
      'order 3 was completed at 40, and ends at 40',
    ],
    'an order with the time of another change': [
      ({ orders }) => {
        at(orders, 4).changedAt = 60
      },
      'order 5 has changed at 60',
    ],
    'a pet that did not follow its order': [
      ({ pets }) => {
        at(pets, 0).status = 'available'
      },
      'pet 1 is available, by its orders it is sold',
    ],
    'an inventory that is wrong': [
      ({ inventory }) => {
        at(inventory, 0).pets = 2
      },
      'the inventory has 2 available pets; there are 1',
    ],
    'an order without its key': [({ answers }) => answers.pop(), 'the key of order 4 is not kept with it'],
    'a key without its order': [
      ({ answers }) => answers.push({ key: 'key-9', answer: '{"id":9}' }),
      'key-9 has an answer and no order',
    ],
  }
  for (const [change, [apply, fault]] of Object.entries(changes)) {
    test(`finds ${change}`, () => {
      const [tables, journal] = [soundTables(), soundJournal()]
      apply(tables, journal)
      expect(audit(tables, journal).some((found) => found.startsWith(fault))).toBe(true)
    })
  }

  test('reports replays that differ from the first answer, or are refused', () => {
    const journal = soundJournal()
    journal.acknowledged(request('place key-2'), '{"id":7}', true)
    journal.refused(request('place key-2'), 'no', true)
    expect(journal.newFaults([])).toEqual([
      expect.stringMatching(/^place key-2 was answered with .*, then with {"id":7}$/),
      'place key-2 was acknowledged; its replay is refused: no',
    ])
    expect(journal.newFaults([])).toEqual([])
  })
})
