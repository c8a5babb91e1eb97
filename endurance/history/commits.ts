// The commits of a history in the order of the feed, with the operations that may have caused each.

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
  /** The version of the store after this commit, from 1. */
  readonly version: number
  readonly event: Seen
  /** The operations that may have caused it. It is empty if the service caused it, such as an expiry. */
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

/** Whether the requested fields have their new values, and no other field changed. An order may have changed the status before. */
function isCorrection(to: PetChange, before: Pet | undefined, pet: Pet | undefined): boolean {
  return FIELDS.every((field) => {
    if (to[field] !== undefined) return to[field] === pet?.[field]
    return field === 'status' || before?.[field] === pet?.[field]
  })
}

/** Names the change in the same form for requests and for events (`TARGETS`). */
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

/** Yields the orders in responses, without short lists. */
export function* shownOrders(operations: readonly Operation[]): Generator<[Operation, Order]> {
  for (const operation of operations) {
    const { ask, status } = operation
    if ((status !== 200 && status !== 201) || operation.method === 'HEAD') continue
    if (/^(place|order|complete|return|change)$/.test(ask.kind)) yield [operation, bodyOf<Order>(operation)]
    else if (ask.kind === 'list' && ask.list === 'orders' && ask.limit === 100)
      for (const order of rowsOf<Order>(operation)) yield [operation, order]
  }
}
