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

export interface Commit {
  /** From 1: the store after it is the version of this number. */
  readonly version: number
  readonly event: Seen
  /** Those whose request it may be: one of them, unless the service did it by itself. */
  readonly askers: readonly Operation[]
}

export function commitsOf(events: readonly Seen[], operations: readonly Operation[]): Commit[] {
  const origins = originsOf(operations)
  const placers = new Map(events.flatMap(({ type, orderId, by }) => (type === 'order.placed' ? [[orderId, by]] : [])))
  const placedElsewhere = new Set(Array.from(origins, ([id, reference]) => `${placers.get(id)} ${reference}`))
  const able = Map.groupBy(operations.filter(mayHaveDone), ({ ask }) => targetOf(ask))
  const pets = new Map<number, Pet>()
  return events.map((event, n) => {
    const { type, by, petId, pet, orderId, at } = event
    const before = pets.get(petId)
    if (pet) pets.set(petId, pet)
    const isAsked = ({ ask, key, ...operation }: Operation): boolean => {
      if (by !== key) return false
      if (ask.kind === 'correct') return isCorrection(ask.to, before, pet)
      if (ask.kind === 'place') {
        const origin = origins.get(orderId ?? 0)
        return origin === undefined ? !placedElsewhere.has(`${key} ${ask.reference}`) : origin === ask.reference
      }
      const answer = { ask, key, ...operation }
      return ask.kind !== 'change' || answer.status !== 200 || bodyOf<Order>(answer).changedAt === at
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

/** Order → the reference with which it was placed, where anybody was shown it. No two of one API key have the same. */
function originsOf(operations: readonly Operation[]): Map<number, string> {
  const placements = new Map(
    operations.flatMap(({ ask }) => (ask.kind === 'place' ? [[ask.reference, ask.petId] as const] : [])),
  )
  const origins = new Map<number, string>()
  for (const [, { id, petId, reference = '' }] of shownOrders(operations))
    if (placements.get(reference) === petId && !origins.has(id)) origins.set(id, reference)
  return origins
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
