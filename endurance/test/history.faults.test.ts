// That the checker of recorded histories sees each kind of fault: a sound history, changed in one place at a time.

import { describe, expect, test } from 'bun:test'
import type { PetStatus } from '../../packages/service/src/domain/pets.ts'
import { check } from '../history/checker.ts'
import type { Ask, Operation, Seen } from '../history/operations.ts'
import { requestOf } from '../history/requests.ts'
import { inWords } from '../history/words.ts'

const BEGIN = Date.parse('2026-11-22T12:00:00.000Z')
const time = (ms: number) => new Date(BEGIN + ms).toISOString()
const KEYS = { readOnly: ['reader'], wrong: ['wrong'], revoked: { leaver: [0, 0] as const } }

type Mutable<Of> = { -readonly [Field in keyof Of]: Of[Field] }

/** Each operation takes 80 ms, 100 ms after the one before; what it changes has the time of its middle. */
class Story {
  readonly operations: Mutable<Operation>[] = []
  readonly events: Mutable<Seen>[] = []

  /** `event`: what is told of it, as the second of its order where two are under way at once. */
  tell(ask: Ask, status: number, body?: object, event?: object, also: Partial<Operation> = {}): void {
    const startedAt = 100 * this.operations.length
    const endedAt = startedAt + 80
    const text = body ? JSON.stringify(body) : ''
    const answer = { status, text, links: '', tag: `"${Bun.hash(text)}"`, replayed: false }
    const times = { startedAt, endedAt, from: BEGIN + startedAt, to: BEGIN + endedAt }
    const n = this.operations.length
    this.operations.push({ ...requestOf(ask), n, client: 0, server: 0, key: 'first', ...times, ...answer, ...also })
    if (event) this.events.push({ id: this.events.length + 1, at: time(startedAt + 40), by: 'first', ...event } as Seen)
  }

  faults(): string[] {
    return check(this.operations, this.events, { keys: KEYS, aheadMs: 0, lateMs: 0 }).faults.map(inWords)
  }

  at(n: number): Mutable<Operation> {
    return this.operations[n] as Mutable<Operation>
  }

  event(n: number): Mutable<Seen> {
    return this.events[n] as Mutable<Seen>
  }

  /** Answered with this instead. */
  answer(n: number, change: object): void {
    const { text } = this.at(n)
    this.at(n).text = JSON.stringify({ ...JSON.parse(text), ...change })
    this.at(n).tag = `"${Bun.hash(this.at(n).text)}"`
  }
}

const ENDS = time(5_000)
const pet = (id: number, name: string, status: PetStatus, categoryId = 1) => ({ id, name, categoryId, status })
const order = (status: string, changedAt: number, content: object) => ({
  id: 1,
  petId: 2,
  petName: 'Max',
  status,
  placedAt: time(640),
  changedAt: time(changedAt),
  ...content,
})
const ofOrder = (type: string, petStatus: string, orderStatus: string) => ({
  type,
  petId: 2,
  petStatus,
  orderId: 1,
  orderStatus,
})
const ofPet = (type: string, of: ReturnType<typeof pet>) => ({ type, petId: of.id, petStatus: of.status, pet: of })
const error = (code: string, status: number, message = '') => ({ code, message, status })

/** Pet 1 was added as sold, freed and renamed; pet 3 was deleted; pet 2 was ordered, sold and returned. */
function sound(): Story {
  const story = new Story()
  const added = pet(1, 'Rex', 'sold')
  story.tell({ kind: 'add', name: 'Rex', categoryId: 1, status: 'sold' }, 201, added, ofPet('pet.added', added), {
    idempotencyKey: 'one',
  })
  story.tell(
    { kind: 'add', name: 'Max', categoryId: 1 },
    201,
    pet(2, 'Max', 'available'),
    ofPet('pet.added', pet(2, 'Max', 'available')),
  )
  story.tell(
    { kind: 'correct', id: 1, to: { status: 'available' } },
    200,
    pet(1, 'Rex', 'available'),
    ofPet('pet.changed', pet(1, 'Rex', 'available')),
  )
  story.tell(
    { kind: 'correct', id: 1, to: { name: 'Bo' } },
    200,
    pet(1, 'Bo', 'available'),
    ofPet('pet.changed', pet(1, 'Bo', 'available')),
  )
  story.tell(
    { kind: 'add', name: 'Old', categoryId: 1 },
    201,
    pet(3, 'Old', 'available'),
    ofPet('pet.added', pet(3, 'Old', 'available')),
  )
  story.tell({ kind: 'delete', id: 3 }, 204, undefined, { type: 'pet.deleted', petId: 3 })
  const first = { reference: 'r1', expiresAt: ENDS }
  story.tell(
    { kind: 'place', petId: 2, ...first },
    201,
    order('pending', 640, first),
    ofOrder('order.placed', 'pending', 'pending'),
  )
  const second = { reference: 'r2' }
  story.tell(
    { kind: 'change', id: 1, to: { ...second, expiresAt: null } },
    200,
    order('pending', 740, second),
    ofOrder('order.changed', 'pending', 'pending'),
  )
  story.tell(
    { kind: 'place', petId: 2, reference: 'r3' },
    409,
    error('pet_not_available', 409, 'Pet 2 is pending: order 1 holds it.'),
  )
  story.tell(
    { kind: 'complete', id: 1 },
    200,
    order('completed', 940, second),
    ofOrder('order.completed', 'sold', 'completed'),
  )
  story.tell({ kind: 'inventory' }, 200, { available: 1, pending: 0, sold: 1 })
  story.tell(
    { kind: 'return', id: 1 },
    200,
    order('returned', 1140, second),
    ofOrder('order.returned', 'available', 'returned'),
  )
  story.tell({ kind: 'list', list: 'pets', newest: false, back: false, limit: 9 }, 200, [
    pet(1, 'Bo', 'available'),
    pet(2, 'Max', 'available'),
  ])
  story.tell({ kind: 'order', id: 1 }, 200, order('returned', 1140, second))
  const again = { idempotencyKey: 'one', replayed: true }
  story.tell({ kind: 'add', name: 'Rex', categoryId: 1, status: 'sold' }, 201, added, undefined, again)
  story.tell({ kind: 'add', name: 'Rob', categoryId: 1 }, 422, error('idempotency_mismatch', 422), undefined, {
    idempotencyKey: 'one',
  })
  story.tell({ kind: 'pet', id: 3 }, 404, error('not_found', 404))
  story.tell({ kind: 'delete', id: 2 }, 409, error('pet_has_orders', 409))
  const { events } = story
  const links = '<x>; rel="next"'
  story.tell({ kind: 'events', limit: 4 }, 200, events.slice(0, 4), undefined, { links })
  story.tell({ kind: 'events', limit: 3, newest: true }, 200, events.slice(-3).reverse(), undefined, { links })
  const behind = { behind: 19, to: time(560) }
  story.tell({ kind: 'events', limit: 2, newest: true, ...behind }, 200, [events[5], events[4]], undefined, { links })
  const sold = events.filter(({ type }) => type === 'order.completed')
  story.tell({ kind: 'events', limit: 4, type: ['order.completed'] }, 200, sold, undefined, { links })
  return story
}

describe('the checker of histories', () => {
  test('explains a sound history', () => {
    expect(sound().faults()).toEqual([])
  })

  const changes: Record<string, [change: (story: Story) => unknown, words: string]> = {
    'a pet other than asked for': [(story) => story.answer(0, { categoryId: 2 }), 'it is not what was asked for'],
    'a pet other than it was answered': [
      ({ events }) => Object.assign(events[0] as Seen, { pet: pet(1, 'Rex', 'sold', 2) }),
      'it was not so when it was added',
    ],
    'a pet that no event tells': [({ events }) => events.splice(1, 1), 'no event tells that it was added as 2'],
    'a pet that is added twice': [
      ({ events }) => events.push({ ...(events[1] as Seen), id: 20, petId: 9, pet: pet(9, 'Max', 'available') }),
      'it was done twice',
    ],
    'a rename that is told again': [
      ({ events }) => events.push({ ...(events[3] as Seen), id: 20 }),
      'it cannot follow',
    ],
    'a rename that is lost': [({ events }) => events.splice(3, 1), 'the store was never so'],
    'a rename that nobody asked for': [(story) => story.operations.splice(3, 1), 'nobody asked for it'],
    'a rename that was refused and done': [
      (story) => Object.assign(story.at(3), { status: 404, text: JSON.stringify(error('not_found', 404)) }),
      'nobody asked for it, or who did was refused',
    ],
    'a change in the name of another key': [
      (story) => Object.assign(story.event(2), { by: 'second' }),
      'nobody asked for it',
    ],
    'events in another order than their requests': [
      ({ events }) =>
        events.splice(
          0,
          3,
          { ...(events[2] as Seen), id: 1 },
          { ...(events[0] as Seen), id: 2 },
          { ...(events[1] as Seen), id: 3 },
        ),
      'the later of two events was answered before the earlier was asked for',
    ],
    'ids of events that fall': [(story) => Object.assign(story.event(4), { id: 1 }), 'it stands behind event 4'],
    'a deleted pet that is listed': [
      (story) =>
        Object.assign(story.at(12), {
          text: JSON.stringify([...JSON.parse(story.at(12).text), pet(3, 'Old', 'available')]),
        }),
      'it shows the store as it was before a commit that was known',
    ],
    'a deletion that is only answered': [({ events }) => events.splice(5, 1), 'the store was never so'],
    'an order of another pet': [(story) => story.answer(6, { petId: 1 }), 'it is not what was asked for'],
    'an end that is dropped': [(story) => story.answer(6, { expiresAt: undefined }), 'it is not what was asked for'],
    'an order of somebody else': [
      (story) => Object.assign(story.at(8), { status: 201, text: story.at(6).text }),
      'both were told that it is theirs',
    ],
    'a change of an order that keeps its end': [
      (story) => story.answer(7, { expiresAt: ENDS }),
      'it is not what was asked for',
    ],
    'a change of an order that is forgotten': [
      (story) => story.answer(13, { reference: 'r1' }),
      'the store was never so',
    ],
    'a change after the end of the reservation': [
      (story) => {
        story.at(6).body = story.at(6).body?.replace(ENDS, time(700)) as string
        story.at(6).ask = { kind: 'place', petId: 2, reference: 'r1', expiresAt: time(700) }
        story.answer(6, { expiresAt: time(700) })
      },
      'it is after the end of the reservation',
    ],
    'another order that is said to hold the pet': [
      (story) => story.answer(8, { message: 'Pet 2 is pending: order 7 holds it.' }),
      'the store was never so',
    ],
    'a completion of another time': [(story) => story.answer(9, { changedAt: time(941) }), 'the store was never so'],
    'a completion that shows a pending order': [
      (story) => story.answer(9, { status: 'pending' }),
      'it is not what was asked for',
    ],
    'a time before its request': [
      (story) => {
        Object.assign(story.event(8), { at: time(880) })
        story.answer(9, { changedAt: time(880) })
      },
      'its time is not that of its request',
    ],
    'an order that goes back in time': [
      (story) => Object.assign(story.event(9), { at: time(930) }),
      'it is before the change that it follows',
    ],
    'a pet that does not follow its order': [
      (story) => Object.assign(story.event(8), { petStatus: 'pending' }),
      'it cannot follow',
    ],
    'an inventory that is wrong': [(story) => story.answer(10, { sold: 2 }), 'the store was never so'],
    'an inventory that is old': [
      (story) => story.answer(10, { available: 1, pending: 1, sold: 0 }),
      'it shows the store as it was before a commit that was known\n  #9, ',
    ],
    'a refusal that knows what comes': [
      (story) => story.answer(8, { message: 'Pet 2 is sold: order 1.' }),
      'it shows a commit that was asked for only afterwards',
    ],
    'a replay of another answer': [(story) => story.answer(14, { id: 2 }), 'the same request had another answer'],
    'a second answer that is no replay': [
      (story) => Object.assign(story.at(14), { replayed: false }),
      'it was done a second time',
    ],
    'a replay that is refused': [
      (story) => Object.assign(story.at(14), { status: 422, text: story.at(15).text }),
      'nothing else was done under its Idempotency-Key',
    ],
    'a pet that is there and not found': [
      (story) => Object.assign(story.at(16), requestOf({ kind: 'pet', id: 1 })),
      'it shows the store as it was',
    ],
    'a pet without orders that has some': [
      (story) => Object.assign(story.at(17), requestOf({ kind: 'delete', id: 1 })),
      'the store was never so',
    ],
    'a read-only key that adds': [(story) => Object.assign(story.at(1), { key: 'reader' }), 'its key may only read'],
    'a revoked key that reads': [(story) => Object.assign(story.at(13), { key: 'leaver' }), 'its key was revoked'],
    'a good key that is refused': [
      (story) => Object.assign(story.at(13), { status: 401, text: JSON.stringify(error('invalid_api_key', 401)) }),
      'its key was in force',
    ],
    'a tag of other bytes': [
      (story) => Object.assign(story.at(13), { tag: story.at(9).tag }),
      'its tag was that of other bytes',
    ],
    'an event that is left out': [
      (story) => Object.assign(story.at(18), { text: JSON.stringify(story.events.slice(1, 5)) }),
      'it begins with event 2, and should with 1',
    ],
    'a newest event that is left out': [
      (story) => Object.assign(story.at(19), { text: JSON.stringify(story.events.slice(-4, -1).reverse()) }),
      'it shows the store as it was before a commit that was known',
    ],
    'the newest events in the order of the oldest': [
      (story) => Object.assign(story.at(19), { text: JSON.stringify(story.events.slice(-3)) }),
      'stands where {"id":7,',
    ],
    'a page that ends before the beginning of the feed': [
      (story) => Object.assign(story.at(20), { text: JSON.stringify([story.events[5]]) }),
      'event 5 is missing',
    ],
    'an event that is not before the end that was asked for': [
      (story) => Object.assign(story.at(20), { text: JSON.stringify([story.events[6], story.events[5]]) }),
      'it begins with event 7, and should with 6',
    ],
    'an event of another type': [
      (story) => Object.assign(story.at(21), { text: JSON.stringify(story.events.slice(-2)) }),
      'stands where no event should be',
    ],
    'a pet that is added without its tag': [(story) => Object.assign(story.at(1), { tag: undefined }), 'it has no tag'],
    'an end of the feed that is none': [
      (story) => Object.assign(story.at(18), { text: '[]' }),
      'it shows the store as it was',
    ],
  }
  for (const [change, [apply, words]] of Object.entries(changes)) {
    test(`finds ${change}`, () => {
      const story = sound()
      apply(story)
      expect(story.faults()).toContainEqual(expect.stringContaining(words))
    })
  }

  test('a reservation ends within a second of its end', () => {
    const story = new Story()
    const max = pet(2, 'Max', 'available')
    story.tell({ kind: 'add', name: 'Max', categoryId: 1 }, 201, max, ofPet('pet.added', max))
    const asked = { reference: 'r1', expiresAt: time(300) }
    const placed = { ...order('pending', 140, asked), placedAt: time(140) }
    story.tell({ kind: 'place', petId: 2, ...asked }, 201, placed, ofOrder('order.placed', 'pending', 'pending'))
    while (story.operations.length < 13) story.tell({ kind: 'order', id: 1 }, 200, placed)
    expect(story.faults()).toEqual([])
    story.tell({ kind: 'order', id: 1 }, 200, placed)
    story.tell({ kind: 'order', id: 1 }, 200, placed)
    expect(story.faults()).toEqual([expect.stringContaining('its reservation has not ended')])
  })

  test('an expiry comes after its end, and within a second', () => {
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
        ofOrder('order.placed', 'pending', 'pending'),
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
    expect(story(1500)).toContain('it shows the store as it was before a commit that was known')
  })
})
