// What the checker of recorded histories takes for known of an order: its reference and end, which no event tells, follow from what was asked
// for, answered or not.

import { expect, test } from 'bun:test'
import { commitsOf } from '../history/commits.ts'
import type { Ask, Operation, Seen } from '../history/operations.ts'
import { requestOf } from '../history/requests.ts'
import { Versions } from '../history/versions.ts'

const AT = '2026-11-22T00:00:00.000Z'
const LATER = '2026-11-22T00:00:01.000Z'
const ORDER = { id: 1, petId: 1, petName: 'Rex', status: 'pending', placedAt: AT }

const event = (id: number, type: Seen['type'], at: string, of: object): Seen =>
  ({ id, type, at, by: 'first', petId: 1, ...of }) as Seen

/** Version 2 is the placement, version 3 a change of the order. */
const events = (changedAt: string) => [
  event(1, 'pet.added', AT, {
    petStatus: 'available',
    pet: { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
  }),
  event(2, 'order.placed', AT, { petStatus: 'pending', orderId: 1, orderStatus: 'pending' }),
  event(3, 'order.changed', changedAt, { petStatus: 'pending', orderId: 1, orderStatus: 'pending' }),
]

/** `reference`: that of the answer; `undefined`: there was none. */
function asked(ask: Ask, changedAt: string, reference?: string): Operation {
  const status = reference === undefined ? 0 : ask.kind === 'place' ? 201 : 200
  const text = reference === undefined ? '' : JSON.stringify({ ...ORDER, changedAt, reference })
  return { ...requestOf(ask), key: 'first', status, text } as unknown as Operation
}

const place = (answered?: string) => asked({ kind: 'place', petId: 1, reference: 'first' }, AT, answered)
const change = (reference: string, changedAt: string, answered?: string) =>
  asked({ kind: 'change', id: 1, to: { reference } }, changedAt, answered)

test.each<[string, string, Operation[], string[][]]>([
  ['both were answered', LATER, [place('first'), change('second', LATER, 'second')], [['first'], ['second']]],
  ['the change was answered to nobody', LATER, [place('first'), change('second', LATER)], [['first'], ['second']]],
  [
    'two were answered to nobody',
    LATER,
    [place('first'), change('a', LATER), change('b', LATER)],
    [['first'], ['a', 'b']],
  ],
  [
    'both have one time, as a clock was set back',
    AT,
    [place('first'), change('second', AT, 'second')],
    [['first'], ['second']],
  ],
  [
    'the placement was answered to nobody',
    LATER,
    [place(), change('second', LATER, 'second')],
    [['first'], ['second']],
  ],
])('%s', (_, changedAt, operations, expected) => {
  const versions = new Versions(commitsOf(events(changedAt), operations), operations)
  const known = [2, 3].map((version) => versions.order(1, version)?.contents.map(({ reference }) => reference))
  expect(known).toEqual(expected)
})
