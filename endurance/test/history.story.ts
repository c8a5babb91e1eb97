// A correct history with its events, in which each test changes one place.

import type { PetStatus } from '../../packages/service/src/domain/pets.ts'
import { check } from '../history/checker.ts'
import type { Ask, Operation, Seen } from '../history/operations.ts'
import { requestOf } from '../history/requests.ts'
import { inWords } from '../history/words.ts'

const BEGIN = Date.parse('2026-11-22T12:00:00.000Z')
export const time = (ms: number) => new Date(BEGIN + ms).toISOString()
const KEYS = { readOnly: ['reader'], wrong: ['wrong'], revoked: { leaver: [0, 0] as const } }

type Mutable<Of> = { -readonly [Field in keyof Of]: Of[Field] }

/** An operation starts every 100 ms and takes 80 ms. Its event has the time of its middle. */
export class Story {
  readonly operations: Mutable<Operation>[] = []
  readonly events: Mutable<Seen>[] = []

  /** `event` is the event of the change, if there is one. */
  tell(ask: Ask, status: number, body?: object, event?: object, also: Partial<Operation> = {}): void {
    const startedAt = 100 * this.operations.length
    const endedAt = startedAt + 80
    const text = body ? JSON.stringify(body) : ''
    const answer = { status, text, links: '', tag: `"${Bun.hash(text)}"`, replayed: false }
    const times = { startedAt, endedAt, settledAt: endedAt, from: BEGIN + startedAt, to: BEGIN + endedAt }
    const n = this.operations.length
    this.operations.push({ ...requestOf(ask), n, client: 0, server: 0, key: 'first', ...times, ...answer, ...also })
    if (event) this.events.push({ id: this.events.length + 1, at: time(startedAt + 40), by: 'first', ...event } as Seen)
  }

  /** Adds this pet. */
  add(added: ReturnType<typeof pet>, also: Partial<Operation> = {}): void {
    const { name, categoryId, status } = added
    const ask = { kind: 'add', name, categoryId, ...(status !== 'available' && { status }) } as const
    this.tell(ask, 201, added, ofPet('pet.added', added), also)
  }

  /** Changes pet 1 to this. */
  correct(
    to: Extract<Ask, { kind: 'correct' }>['to'],
    corrected: ReturnType<typeof pet>,
    also: Partial<Operation> = {},
  ): void {
    this.tell({ kind: 'correct', id: 1, to }, 200, corrected, ofPet('pet.changed', corrected), also)
  }

  /** Changes order 1, whose pet becomes `petStatus`. */
  move(kind: 'complete' | 'return', petStatus: PetStatus, moved: ReturnType<typeof order>): void {
    this.tell({ kind, id: 1 }, 200, moved, ofOrder(`order.${moved.status}`, petStatus, moved.status))
  }

  faults(): string[] {
    return check(this.operations, this.events, { keys: KEYS, clockErrorMs: 0, lateMs: 0 }).faults.map(inWords)
  }

  at(n: number): Mutable<Operation> {
    return this.operations[n] as Mutable<Operation>
  }

  event(n: number): Mutable<Seen> {
    return this.events[n] as Mutable<Seen>
  }

  /** Changes an event. */
  told(n: number, change: object): void {
    Object.assign(this.event(n), change)
  }

  /** Changes an operation. */
  sent(n: number, change: object): void {
    Object.assign(this.at(n), change)
  }

  /** Changes the items of a page, but not its tag. */
  list(n: number, items: readonly unknown[]): void {
    this.at(n).text = JSON.stringify(items)
  }

  /** Changes the response of an operation. */
  answer(n: number, change: object): void {
    const { text } = this.at(n)
    this.at(n).text = JSON.stringify({ ...JSON.parse(text), ...change })
    this.at(n).tag = `"${Bun.hash(this.at(n).text)}"`
  }
}

export const ENDS = time(5_000)
export const pet = (id: number, name: string, status: PetStatus, categoryId = 1) => ({ id, name, categoryId, status })
export const order = (status: string, changedAt: number, content: object) => ({
  id: 1,
  petId: 2,
  petName: 'Max',
  status,
  placedAt: time(640),
  changedAt: time(changedAt),
  ...content,
})
export const ofOrder = (type: string, petStatus: string, orderStatus: string, terms?: Seen['terms']) => ({
  type,
  petId: 2,
  petStatus,
  orderId: 1,
  orderStatus,
  ...(terms && { terms }),
})
export const ofPet = (type: string, of: ReturnType<typeof pet>) => ({
  type,
  petId: of.id,
  petStatus: of.status,
  pet: of,
})
export const error = (code: string, status: number, message = '') => ({ code, message, status })

/** Pet 1 is added as sold, corrected to available and renamed; pet 3 is deleted; pet 2 is ordered, sold and returned. */
export function sound(): Story {
  const story = new Story()
  const added = pet(1, 'Rex', 'sold')
  story.add(added, { idempotencyKey: 'one' })
  story.add(pet(2, 'Max', 'available'))
  story.correct({ status: 'available' }, pet(1, 'Rex', 'available'))
  story.correct({ name: 'Bo' }, pet(1, 'Bo', 'available'))
  story.add(pet(3, 'Old', 'available'))
  story.tell({ kind: 'delete', id: 3 }, 204, undefined, { type: 'pet.deleted', petId: 3 })
  const first = { reference: 'r1', expiresAt: ENDS }
  story.tell(
    { kind: 'place', petId: 2, ...first },
    201,
    order('pending', 640, first),
    ofOrder('order.placed', 'pending', 'pending', first),
  )
  const second = { reference: 'r2' }
  story.tell(
    { kind: 'change', id: 1, to: { ...second, expiresAt: null } },
    200,
    order('pending', 740, second),
    ofOrder('order.changed', 'pending', 'pending', second),
  )
  story.tell(
    { kind: 'place', petId: 2, reference: 'r3' },
    409,
    error('pet_not_available', 409, 'Pet 2 is pending: order 1 holds it.'),
  )
  story.move('complete', 'sold', order('completed', 940, second))
  story.tell({ kind: 'inventory' }, 200, { available: 1, pending: 0, sold: 1 })
  story.move('return', 'available', order('returned', 1140, second))
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
