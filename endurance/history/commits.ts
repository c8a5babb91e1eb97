// The commits of a history, in the order that the feed of events gives, and who can have asked for each of them.

import {
  type Ask,
  bodyOf,
  mayHaveDone,
  type Operation,
  type Order,
  type Pet,
  type PetChange,
  rowsOf,
  type Seen,
} from './operations.ts'
import { changed, isSameTerms, type Terms, utc } from './rows.ts'

export interface Commit {
  /** From 1: the store after it is the version of this number. */
  readonly version: number
  readonly event: Seen
  /** Those whose request it may be: one of them, unless the service did it by itself. */
  readonly askers: readonly Operation[]
}

export function commitsOf(events: readonly Seen[], operations: readonly Operation[]): Commit[] {
  const able = Map.groupBy(operations.filter(mayHaveDone), ({ ask }) => targetOf(ask))
  const pets = new Map<number, Pet>()
  const orders = new Map<number | undefined, Terms>()
  return events.map((event, n) => {
    const { type, by, petId, pet, orderId, terms = {}, at } = event
    const before = pets.get(petId)
    if (pet) pets.set(petId, pet)
    const termsBefore = orders.get(orderId) ?? {}
    if (event.terms) orders.set(orderId, event.terms)
    const isAsked = ({ ask, key, ...operation }: Operation): boolean => {
      if (by !== key) return false
      if (ask.kind === 'correct') return isCorrection(ask.to, before, pet)
      if (ask.kind === 'place') return isSameTerms({ ...ask, expiresAt: utc(ask.expiresAt) }, terms)
      if (ask.kind !== 'change') return true
      const answer = { ask, key, ...operation }
      if (answer.status === 200 && bodyOf<Order>(answer).changedAt !== at) return false
      return isSameTerms(changed(termsBefore, ask.to), terms)
    }
    const target = TARGETS[type]?.({ ...event, orderId: orderId ?? 0 }) ?? `${type} ${petId}`
    return { version: n + 1, event, askers: (able.get(target) ?? []).filter(isAsked) }
  })
}

const FIELDS = ['name', 'categoryId', 'status'] as const

/** What was asked for is so, and nothing else has changed. An order may have changed the status before. */
function isCorrection(to: PetChange, before: Pet | undefined, pet: Pet | undefined): boolean {
  return FIELDS.every((field) => {
    if (to[field] !== undefined) return to[field] === pet?.[field]
    return field === 'status' || before?.[field] === pet?.[field]
  })
}

/** What a request changes, and what an event tells of, in the same words. */
function targetOf(ask: Ask): string {
  if (ask.kind === 'add') return `add ${ask.name}`
  if (ask.kind === 'place') return `place ${ask.petId}`
  return 'id' in ask ? `${ask.kind} ${ask.id}` : ask.kind
}

const TARGETS: Readonly<Record<string, (event: Seen) => string>> = {
  'pet.added': ({ pet }) => `add ${pet?.name}`,
  'pet.changed': ({ petId }) => `correct ${petId}`,
  'pet.deleted': ({ petId }) => `delete ${petId}`,
  'order.placed': ({ petId }) => `place ${petId}`,
  'order.changed': ({ orderId }) => `change ${orderId}`,
  'order.completed': ({ orderId }) => `complete ${orderId}`,
  'order.cancelled': ({ orderId }) => `cancel ${orderId}`,
  'order.returned': ({ orderId }) => `return ${orderId}`,
}

/** The orders that answers have shown, but for those of short lists. */
export function* shownOrders(operations: readonly Operation[]): Generator<[Operation, Order]> {
  for (const operation of operations) {
    const { ask, status } = operation
    if ((status !== 200 && status !== 201) || operation.method === 'HEAD') continue
    if (/^(place|order|complete|return|change)$/.test(ask.kind)) yield [operation, bodyOf<Order>(operation)]
    else if (ask.kind === 'list' && ask.list === 'orders' && ask.limit === 100)
      for (const order of rowsOf<Order>(operation)) yield [operation, order]
  }
}
