// The history checker finds each kind of fault in a correct history with one change.

import { describe, expect, test } from 'bun:test'
import type { Seen } from '../history/operations.ts'
import { requestOf } from '../history/requests.ts'
import { ENDS, error, ofOrder, ofPet, order, pet, Story, sound, time } from './history.story.ts'

describe('the checker of histories', () => {
  test('accepts a correct history', () => {
    expect(sound().faults()).toEqual([])
  })

  const changes: Record<string, [change: (story: Story) => unknown, words: string]> = {
    'a pet other than asked for': [(story) => story.answer(0, { categoryId: 2 }), 'it differs from the request'],
    'a pet other than it was answered': [
      ({ events }) => Object.assign(events[0] as Seen, { pet: pet(1, 'Rex', 'sold', 2) }),
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
    'a rename that is lost': [({ events }) => events.splice(3, 1), 'the store never had this state'],
    'a rename that nobody asked for': [(story) => story.operations.splice(3, 1), 'no request caused it'],
    'a rename that was refused and done': [
      (story) => Object.assign(story.at(3), { status: 404, text: JSON.stringify(error('not_found', 404)) }),
      'no request caused it, or the request was refused',
    ],
    'a change in the name of another key': [
      (story) => Object.assign(story.event(2), { by: 'second' }),
      'no request caused it',
    ],
    'an order that is placed with other terms': [
      (story) => Object.assign(story.event(6), { terms: { reference: 'r1' } }),
      'no request caused it',
    ],
    'a changed order with the terms of before': [
      (story) => Object.assign(story.event(7), { terms: story.event(6).terms }),
      'no request caused it',
    ],
    'an order whose event tells no terms': [(story) => delete story.event(6).terms, 'no request caused it'],
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
    'ids of events that fall': [(story) => Object.assign(story.event(4), { id: 1 }), 'it follows event 4'],
    'a deleted pet that is listed': [
      (story) =>
        Object.assign(story.at(12), {
          text: JSON.stringify([...JSON.parse(story.at(12).text), pet(3, 'Old', 'available')]),
        }),
      'it shows the store before a commit that was already visible',
    ],
    'a deletion that is only answered': [({ events }) => events.splice(5, 1), 'the store never had this state'],
    'an order of another pet': [(story) => story.answer(6, { petId: 1 }), 'it differs from the request'],
    'an end that is dropped': [(story) => story.answer(6, { expiresAt: undefined }), 'it differs from the request'],
    'an order of somebody else': [
      (story) => Object.assign(story.at(8), { status: 201, text: story.at(6).text }),
      'two requests created or deleted the same one',
    ],
    'a change of an order that keeps its end': [
      (story) => story.answer(7, { expiresAt: ENDS }),
      'it differs from the request',
    ],
    'a change of an order that is forgotten': [
      (story) => story.answer(13, { reference: 'r1' }),
      'the store never had this state',
    ],
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
      'the store never had this state',
    ],
    'a completion of another time': [
      (story) => story.answer(9, { changedAt: time(941) }),
      'the store never had this state',
    ],
    'a completion that shows a pending order': [
      (story) => story.answer(9, { status: 'pending' }),
      'it differs from the request',
    ],
    'a time before its request': [
      (story) => {
        Object.assign(story.event(8), { at: time(880) })
        story.answer(9, { changedAt: time(880) })
      },
      'its time is outside its request',
    ],
    'an order that goes back in time': [
      (story) => Object.assign(story.event(9), { at: time(930) }),
      'it is before the change that it follows',
    ],
    'a pet that does not follow its order': [
      (story) => Object.assign(story.event(8), { petStatus: 'pending' }),
      'it cannot follow',
    ],
    'an inventory that is wrong': [(story) => story.answer(10, { sold: 2 }), 'the store never had this state'],
    'an inventory that is old': [
      (story) => story.answer(10, { available: 1, pending: 1, sold: 0 }),
      'it shows the store before a commit that was already visible\n  #9, ',
    ],
    'a refusal that knows what comes': [
      (story) => story.answer(8, { message: 'Pet 2 is sold: order 1.' }),
      'it shows a commit that was requested later',
    ],
    'a replay of another answer': [(story) => story.answer(14, { id: 2 }), 'the same request had a different response'],
    'a second answer that is no replay': [
      (story) => Object.assign(story.at(14), { replayed: false }),
      'it was done a second time',
    ],
    'a replay that is refused': [
      (story) => Object.assign(story.at(14), { status: 422, text: story.at(15).text }),
      'no other request used its Idempotency-Key',
    ],
    'a pet that is there and not found': [
      (story) => Object.assign(story.at(16), requestOf({ kind: 'pet', id: 1 })),
      'it shows the store before a commit',
    ],
    'a pet without orders that has some': [
      (story) => Object.assign(story.at(17), requestOf({ kind: 'delete', id: 1 })),
      'the store never had this state',
    ],
    'a read-only key that adds': [(story) => Object.assign(story.at(1), { key: 'reader' }), 'its key is read-only'],
    'a revoked key that reads': [(story) => Object.assign(story.at(13), { key: 'leaver' }), 'its key was revoked'],
    'a good key that is refused': [
      (story) => Object.assign(story.at(13), { status: 401, text: JSON.stringify(error('invalid_api_key', 401)) }),
      'its key was valid',
    ],
    'a tag of other bytes': [
      (story) => Object.assign(story.at(13), { tag: story.at(9).tag }),
      'its tag belonged to other bytes',
    ],
    'an event that is left out': [
      (story) => Object.assign(story.at(18), { text: JSON.stringify(story.events.slice(1, 5)) }),
      'it starts with event 2 instead of 1',
    ],
    'a newest event that is left out': [
      (story) => Object.assign(story.at(19), { text: JSON.stringify(story.events.slice(-4, -1).reverse()) }),
      'it shows the store before a commit that was already visible',
    ],
    'the newest events in the order of the oldest': [
      (story) => Object.assign(story.at(19), { text: JSON.stringify(story.events.slice(-3)) }),
      'instead of {"id":7,',
    ],
    'a page that ends before the beginning of the feed': [
      (story) => Object.assign(story.at(20), { text: JSON.stringify([story.events[5]]) }),
      'event 5 is missing',
    ],
    'an event that is not before the end that was asked for': [
      (story) => Object.assign(story.at(20), { text: JSON.stringify([story.events[6], story.events[5]]) }),
      'it starts with event 7 instead of 6',
    ],
    'an event of another type': [
      (story) => Object.assign(story.at(21), { text: JSON.stringify(story.events.slice(-2)) }),
      'instead of no event',
    ],
    'a pet that is added without its tag': [(story) => Object.assign(story.at(1), { tag: undefined }), 'it has no tag'],
    'an end of the feed that is none': [
      (story) => Object.assign(story.at(18), { text: '[]' }),
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
    const rex = pet(1, 'Rex', 'available')
    story.tell(ask, 201, rex, ofPet('pet.added', rex), { idempotencyKey: 'one' })
    story.tell(ask, 201, answer, event, { idempotencyKey: 'one', key: 'second', ...also })
    return story.faults()
  }

  test('accepts two pets for one Idempotency-Key under two API keys', () => {
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
    const bo = pet(1, 'Bo', 'available')
    story.tell({ kind: 'add', name: 'Bo', categoryId: 1 }, 201, bo, ofPet('pet.added', bo))
    const ifMatch = [first, last].map((name) => {
      return { tag: `"${name}"`, text: JSON.stringify(pet(1, name, 'available')), links: '' }
    })
    const ask = { kind: 'correct', id: 1, to: { name: 'Al' } } as const
    const al = pet(1, 'Al', 'available')
    if (what === 'renamed') story.tell(ask, 200, al, ofPet('pet.changed', al), { ifMatch })
    else story.tell(ask, 412, error('precondition_failed', 412), undefined, { ifMatch })
    expect(story.faults()).toHaveLength(count)
  })

  test('reports a reservation that has not expired a second after its end', () => {
    const story = new Story()
    const max = pet(2, 'Max', 'available')
    story.tell({ kind: 'add', name: 'Max', categoryId: 1 }, 201, max, ofPet('pet.added', max))
    const asked = { reference: 'r1', expiresAt: time(300) }
    const placed = { ...order('pending', 140, asked), placedAt: time(140) }
    story.tell({ kind: 'place', petId: 2, ...asked }, 201, placed, ofOrder('order.placed', 'pending', 'pending', asked))
    while (story.operations.length < 13) story.tell({ kind: 'order', id: 1 }, 200, placed)
    expect(story.faults()).toEqual([])
    story.tell({ kind: 'order', id: 1 }, 200, placed)
    story.tell({ kind: 'order', id: 1 }, 200, placed)
    expect(story.faults()).toEqual([expect.stringContaining('its reservation should have expired')])
  })

  test('reports an expiry before the end of its reservation, or more than a second after it', () => {
    const story = (at: number) => {
      const ending = new Story()
      ending.tell(
        { kind: 'add', name: 'Max', categoryId: 1 },
        201,
        pet(2, 'Max', 'available'),
        ofPet('pet.added', pet(2, 'Max', 'available')),
      )
      const placed = { ...order('pending', 140, { reference: 'r1', expiresAt: time(300) }), placedAt: time(140) }
      ending.tell(
        { kind: 'place', petId: 2, reference: 'r1', expiresAt: time(300) },
        201,
        placed,
        ofOrder('order.placed', 'pending', 'pending', { reference: 'r1', expiresAt: time(300) }),
      )
      for (let n = 2; n < 20; n++) {
        const counts = 100 * n < at ? { available: 0, pending: 1, sold: 0 } : { available: 1, pending: 0, sold: 0 }
        ending.tell({ kind: 'inventory' }, 200, counts)
      }
      ending.events.push({ id: 3, at: time(at), ...ofOrder('order.expired', 'available', 'expired') } as Seen)
      return ending.faults().join('\n')
    }
    expect(story(290)).toContain('the reservation ends at')
    expect(story(700)).toBe('')
    expect(story(1500)).toContain('it shows the store before a commit that was already visible')
  })
})
