// The history checker finds each kind of fault in a correct history with one change.

import { describe, expect, test } from 'bun:test'
import type { Seen } from '../history/operations.ts'
import { requestOf } from '../history/requests.ts'
import { ENDS, error, ofOrder, ofPet, order, pet, Story, sound, time } from './history.story.ts'

/** Reasons that several changes have. */
const DIFFERS = 'it differs from the request'
const UNASKED = 'no request caused it'
const STALE = 'it shows the store before a commit that was already visible'
const NEVER = 'the store never had this state'

/** An order that is placed second, and expires soon. */
const HELD = { reference: 'r1', expiresAt: time(300) }
const PLACED = { ...order('pending', 140, HELD), placedAt: time(140) }

describe('the checker of histories', () => {
  test('the checker of histories accepts a correct history', () => {
    expect(sound().faults()).toEqual([])
  })

  const changes: Record<string, [change: (story: Story) => unknown, words: string]> = {
    'a pet other than asked for': [(story) => story.answer(0, { categoryId: 2 }), DIFFERS],
    'a pet other than it was answered': [
      (story) => story.told(0, { pet: pet(1, 'Rex', 'sold', 2) }),
      'it differs from what was added',
    ],
    'a pet that no event tells': [({ events }) => events.splice(1, 1), 'no event shows that it was added as 2'],
    'a pet that is added twice': [
      ({ events }) => events.push({ ...(events[1] as Seen), id: 20, petId: 9, pet: pet(9, 'Max', 'available') }),
      'it was done twice',
    ],
    'a rename that is told again': [
      ({ events }) => events.push({ ...(events[3] as Seen), id: 20 }),
      'it cannot follow',
    ],
    'a rename that is lost': [({ events }) => events.splice(3, 1), NEVER],
    'a rename without a request': [(story) => story.operations.splice(3, 1), UNASKED],
    'a rename that was refused and done': [
      (story) => story.sent(3, { status: 404, text: JSON.stringify(error('not_found', 404)) }),
      'no request caused it, or the request was refused',
    ],
    'a change in the name of another key': [(story) => story.told(2, { by: 'second' }), UNASKED],
    'an order that is placed with other terms': [(story) => story.told(6, { terms: { reference: 'r1' } }), UNASKED],
    'a changed order with the terms of before': [(story) => story.told(7, { terms: story.event(6).terms }), UNASKED],
    'an order whose event tells no terms': [(story) => delete story.event(6).terms, UNASKED],
    'events in another order than their requests': [
      ({ events }) =>
        events.splice(
          0,
          3,
          { ...(events[2] as Seen), id: 1 },
          { ...(events[0] as Seen), id: 2 },
          { ...(events[1] as Seen), id: 3 },
        ),
      'the later event was acknowledged before the earlier one was requested',
    ],
    'ids of events that fall': [(story) => story.told(4, { id: 1 }), 'it follows event 4'],
    'a deleted pet that is listed': [
      (story) => story.list(12, [...JSON.parse(story.at(12).text), pet(3, 'Old', 'available')]),
      STALE,
    ],
    'a deletion that is only answered': [({ events }) => events.splice(5, 1), NEVER],
    'an order of another pet': [(story) => story.answer(6, { petId: 1 }), DIFFERS],
    'an end that is dropped': [(story) => story.answer(6, { expiresAt: undefined }), DIFFERS],
    'an order of somebody else': [
      (story) => story.sent(8, { status: 201, text: story.at(6).text }),
      'two requests created or deleted the same one',
    ],
    'a change of an order that keeps its end': [(story) => story.answer(7, { expiresAt: ENDS }), DIFFERS],
    'a change of an order that is forgotten': [(story) => story.answer(13, { reference: 'r1' }), NEVER],
    'a change after the end of the reservation': [
      (story) => {
        story.at(6).body = story.at(6).body?.replace(ENDS, time(700)) as string
        story.at(6).ask = { kind: 'place', petId: 2, reference: 'r1', expiresAt: time(700) }
        story.answer(6, { expiresAt: time(700) })
        story.event(6).terms = { reference: 'r1', expiresAt: time(700) }
      },
      'it is after the end of the reservation',
    ],
    'another order that is said to hold the pet': [
      (story) => story.answer(8, { message: 'Pet 2 is pending: order 7 holds it.' }),
      NEVER,
    ],
    'a completion of another time': [(story) => story.answer(9, { changedAt: time(941) }), NEVER],
    'a completion that shows a pending order': [(story) => story.answer(9, { status: 'pending' }), DIFFERS],
    'a time before its request': [
      (story) => {
        story.told(8, { at: time(880) })
        story.answer(9, { changedAt: time(880) })
      },
      'its time is outside its request',
    ],
    'an order that goes back in time': [
      (story) => story.told(9, { at: time(930) }),
      'it is before the change that it follows',
    ],
    'a pet that does not follow its order': [(story) => story.told(8, { petStatus: 'pending' }), 'it cannot follow'],
    'an inventory that is wrong': [(story) => story.answer(10, { sold: 2 }), NEVER],
    'an inventory that is old': [
      (story) => story.answer(10, { available: 1, pending: 1, sold: 0 }),
      'it shows the store before a commit that was already visible\n  #9, ',
    ],
    'a refusal that knows what comes': [
      (story) => story.answer(8, { message: 'Pet 2 is sold: order 1.' }),
      'it shows a commit that was requested later',
    ],
    'a replay of another answer': [(story) => story.answer(14, { id: 2 }), 'the same request had a different response'],
    'a second answer that is no replay': [(story) => story.sent(14, { replayed: false }), 'it was done a second time'],
    'a replay that is refused': [
      (story) => story.sent(14, { status: 422, text: story.at(15).text }),
      'no other request used its Idempotency-Key',
    ],
    'a pet that is there and not found': [
      (story) => story.sent(16, requestOf({ kind: 'pet', id: 1 })),
      'it shows the store before a commit',
    ],
    'a pet without orders that has some': [(story) => story.sent(17, requestOf({ kind: 'delete', id: 1 })), NEVER],
    'a read-only key that adds': [(story) => story.sent(1, { key: 'reader' }), 'its key is read-only'],
    'a revoked key that reads': [(story) => story.sent(13, { key: 'leaver' }), 'its key was revoked'],
    'a good key that is refused': [
      (story) => story.sent(13, { status: 401, text: JSON.stringify(error('invalid_api_key', 401)) }),
      'its key was valid',
    ],
    'a tag of other bytes': [(story) => story.sent(13, { tag: story.at(9).tag }), 'its tag belonged to other bytes'],
    'an event that is left out': [
      (story) => story.list(18, story.events.slice(1, 5)),
      'it starts with event 2 instead of 1',
    ],
    'a newest event that is left out': [(story) => story.list(19, story.events.slice(-4, -1).reverse()), STALE],
    'the newest events in the order of the oldest': [
      (story) => story.list(19, story.events.slice(-3)),
      'instead of {"id":7,',
    ],
    'a page that ends before the beginning of the feed': [
      (story) => story.list(20, [story.events[5]]),
      'event 5 is missing',
    ],
    'an event that is not before the end that was asked for': [
      (story) => story.list(20, [story.events[6], story.events[5]]),
      'it starts with event 7 instead of 6',
    ],
    'an event of another type': [(story) => story.list(21, story.events.slice(-2)), 'instead of no event'],
    'a pet that is added without its tag': [(story) => story.sent(1, { tag: undefined }), 'it has no tag'],
    'an end of the feed that is none': [
      (story) => story.sent(18, { text: '[]' }),
      'it shows the store before a commit',
    ],
  }
  for (const [change, [apply, words]] of Object.entries(changes)) {
    test(`finds ${change}`, () => {
      const story = sound()
      apply(story)
      expect(story.faults()).toContainEqual(expect.stringContaining(words))
    })
  }

  const twoKeys = (answer: ReturnType<typeof pet>, also: object, event?: object) => {
    const story = new Story()
    const ask = { kind: 'add', name: 'Rex', categoryId: 1 } as const
    story.add(pet(1, 'Rex', 'available'), { idempotencyKey: 'one' })
    story.tell(ask, 201, answer, event, { idempotencyKey: 'one', key: 'second', ...also })
    return story.faults()
  }

  test('the checker of histories accepts two pets for one Idempotency-Key under two API keys', () => {
    const second = pet(2, 'Rex', 'available')
    expect(twoKeys(second, {}, { ...ofPet('pet.added', second), by: 'second' })).toEqual([])
    expect(twoKeys(pet(1, 'Rex', 'available'), { replayed: true })).toContainEqual(
      expect.stringContaining('no event shows that it was added as 1'),
    )
  })

  test.each([
    ['renamed', 'Max', 'Bo', 0],
    ['renamed', 'Bo', 'Max', 0],
    ['refused', 'Max', 'Bo', 1],
    ['refused', 'Bo', 'Max', 1],
    ['renamed', 'Max', 'Ed', 1],
  ])('a pet is %s if the tags of %s and %s are sent, one of which it has: %p faults', (what, first, last, count) => {
    const story = new Story()
    story.add(pet(1, 'Bo', 'available'))
    const ifMatch = [first, last].map((name) => {
      return { tag: `"${name}"`, text: JSON.stringify(pet(1, name, 'available')), links: '' }
    })
    const to = { name: 'Al' }
    if (what === 'renamed') story.correct(to, pet(1, 'Al', 'available'), { ifMatch })
    else story.tell({ kind: 'correct', id: 1, to }, 412, error('precondition_failed', 412), undefined, { ifMatch })
    expect(story.faults()).toHaveLength(count)
  })

  function reserved(): Story {
    const story = new Story()
    story.add(pet(2, 'Max', 'available'))
    story.tell({ kind: 'place', petId: 2, ...HELD }, 201, PLACED, ofOrder('order.placed', 'pending', 'pending', HELD))
    return story
  }

  test('the checker of histories reports a reservation that has not expired a second after its end', () => {
    const story = reserved()
    while (story.operations.length < 13) story.tell({ kind: 'order', id: 1 }, 200, PLACED)
    expect(story.faults()).toEqual([])
    story.tell({ kind: 'order', id: 1 }, 200, PLACED)
    story.tell({ kind: 'order', id: 1 }, 200, PLACED)
    expect(story.faults()).toEqual([expect.stringContaining('its reservation should have expired')])
  })

  test('the checker of histories reports an expiry before the end of its reservation, or more than a second after it', () => {
    const story = (at: number) => {
      const ending = reserved()
      for (let n = 2; n < 20; n++) {
        const counts = 100 * n < at ? { available: 0, pending: 1, sold: 0 } : { available: 1, pending: 0, sold: 0 }
        ending.tell({ kind: 'inventory' }, 200, counts)
      }
      ending.events.push({ id: 3, at: time(at), ...ofOrder('order.expired', 'available', 'expired') } as Seen)
      return ending.faults().join('\n')
    }
    expect(story(290)).toContain('the reservation ends at')
    expect(story(700)).toBe('')
    expect(story(1500)).toContain(STALE)
  })
})
