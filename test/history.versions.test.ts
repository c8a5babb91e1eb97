// What the checker of recorded histories takes for known of an order: its reference and end, which no event tells, as answers gave them.

import { expect, test } from 'bun:test'
import type { Seen } from '../endurance/event-readers.ts'
import type { Operation } from '../endurance/history/operations.ts'
import { contentOf, Versions } from '../endurance/history/versions.ts'

const AT = '2026-11-22T00:00:00.000Z'
const LATER = '2026-11-22T00:00:01.000Z'
const ORDER = { id: 1, petId: 1, petName: 'Rex', status: 'pending', placedAt: AT, changedAt: AT }

const event = (id: number, type: Seen['type'], at: string, of: object): Seen =>
  ({ id, type, at, petId: 1, ...of }) as Seen

/** Version 2 is the placement, version 3 a change of the order. */
const events = (changedAt: string) => [
  event(1, 'pet.added', AT, {
    petStatus: 'available',
    pet: { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
  }),
  event(2, 'order.placed', AT, { petStatus: 'pending', orderId: 1, orderStatus: 'pending' }),
  event(3, 'order.changed', changedAt, { petStatus: 'pending', orderId: 1, orderStatus: 'pending' }),
]

const answered = (kind: 'place' | 'change', changedAt: string, reference: string) =>
  ({
    ask: { kind },
    status: kind === 'place' ? 201 : 200,
    startedAt: 0,
    endedAt: 1,
    text: JSON.stringify({ ...ORDER, changedAt, reference }),
  }) as unknown as Operation

const known = (reference: string) => contentOf({ ...ORDER, content: undefined, reference } as never)

test.each([
  ['both were answered', LATER, ['first', 'second'], [known('first'), known('second')]],
  ['the change was answered to nobody', LATER, ['first'], [known('first'), undefined]],
  ['both have one time, as a clock was set back', AT, ['first', 'second'], [undefined, undefined]],
  ['both have one time, and the change was answered to nobody', AT, ['first'], [undefined, undefined]],
])('%s', (_, changedAt, [first = '', second], expected) => {
  const operations = [answered('place', AT, first), ...(second ? [answered('change', changedAt, second)] : [])]
  const versions = new Versions(events(changedAt), operations)
  expect([2, 3].map((version) => versions.order(1, version)?.content)).toEqual(expected)
})
