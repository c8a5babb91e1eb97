// The audit of a store with orders: compares its tables with each other and with the answers that clients received.

import { HOLDING, petStatusOf, type RequestedTransition } from '../src/domain/order-transitions.ts'
import type { OrderStatus } from '../src/domain/orders.ts'
import type { Journal } from './order-journal.ts'

/** Times are milliseconds since 1970. */
export interface Tables {
  pets: { id: number; name: string; status: string }[]
  /** By id. */
  orders: OrderRow[]
  transitions: { orderId: number; status: string; at: number; keyId: number | null }[]
  inventory: { status: string; pets: number }[]
  /** What was kept for the Idempotency-Keys of placements. */
  answers: { key: string; answer: string }[]
}

export interface OrderRow {
  id: number
  petId: number
  status: string
  reference: string
  expiresAt: number | null
  placedAt: number
  changedAt: number
}

/** How an order was called when it was placed: a change of its reference adds to it. */
export function placementOf(reference: string): string {
  return reference.split('~')[0] as string
}

/** The queries, in the SQL of both stores. */
export const TABLES: Record<keyof Tables, string> = {
  pets: 'SELECT id, name, status FROM pets ORDER BY id',
  orders: `SELECT id, pet_id AS "petId", status, reference, expires_at AS "expiresAt", placed_at AS "placedAt",
    changed_at AS "changedAt" FROM orders ORDER BY id`,
  transitions: `SELECT order_id AS "orderId", order_status AS status, at, key_id AS "keyId" FROM events WHERE type LIKE 'order.%' AND type <> 'order.changed'`,
  inventory: 'SELECT status, pets FROM inventory',
  answers: `SELECT key, answer FROM idempotency_answers WHERE operation = 'placeOrder'`,
}

/** The states that an order in each state has passed through. */
const HISTORIES: Record<string, string[]> = {
  pending: ['pending'],
  completed: ['pending', 'completed'],
  cancelled: ['pending', 'cancelled'],
  expired: ['pending', 'expired'],
  returned: ['pending', 'completed', 'returned'],
} satisfies Record<OrderStatus, string[]>
const HOLDS: Record<string, string> = Object.fromEntries(HOLDING.map((status) => [status, petStatusOf(status)]))

/** Which request makes each transition; none asks for `expired`. */
const REQUESTS: Record<string, string> = {
  completed: 'complete',
  cancelled: 'cancel',
  returned: 'return',
} satisfies Record<RequestedTransition, string>

/** Broken promises, each in a sentence; empty when there are none. No client may be active and no reservation may be about to end. */
export function audit(tables: Tables, journal: Journal): string[] {
  const steps = new Map(tables.transitions.map((each) => [`${each.orderId} ${each.status}`, each]))
  return [
    ...auditAcknowledged(tables, steps, journal),
    ...tables.orders.flatMap((order) => [...auditOrder(order, steps, journal)]),
    ...auditPets(tables, steps),
    ...auditInventory(tables),
    ...auditKeys(tables),
    ...(tables.transitions.length === tables.orders.reduce((sum, { status }) => sum + historyOf(status).length, 0)
      ? []
      : ['there are more or fewer transitions than the orders have gone through']),
  ]
}

type Steps = ReadonlyMap<string, Tables['transitions'][number]>

const historyOf = (status: string) => HISTORIES[status] ?? []

/** Every acknowledged transition exists once, as it was acknowledged. */
function* auditAcknowledged({ orders }: Tables, steps: Steps, { done }: Journal): Generator<string> {
  const byReference = Map.groupBy(orders, ({ reference }) => placementOf(reference))
  for (const [reference, { length }] of byReference) if (length > 1) yield `${reference} was placed ${length} times`
  for (const [request, text] of done) {
    const [operation, target = ''] = request.split(' ')
    if (operation === 'place') {
      const row = byReference.get(target)?.[0]
      const { id, petId, placedAt } = JSON.parse(text) as { id: number; petId: number; placedAt: string }
      if (!row) yield `${request} was acknowledged and is lost`
      else if (row.id !== id || row.petId !== petId || row.placedAt !== Date.parse(placedAt)) {
        yield `${request} was acknowledged as ${text} and is ${JSON.stringify(row)}`
      }
    } else if (operation === 'cancel') {
      if (!steps.has(`${target} cancelled`) && !steps.has(`${target} expired`)) yield `${request} is lost`
    } else if (operation === 'complete' || operation === 'return') {
      const { status, changedAt } = JSON.parse(text) as { status: string; changedAt: string }
      const step = steps.get(`${target} ${status}`)
      if (REQUESTS[status] !== operation || step?.at !== Date.parse(changedAt)) {
        yield `${request} was acknowledged as ${text} and is ${JSON.stringify(step)}`
      }
    }
  }
}

/** Every order is complete, has passed through the states that lead to its own, and each change was requested by a client. */
function* auditOrder(order: OrderRow, steps: Steps, journal: Journal): Generator<string> {
  const { id, status, reference, expiresAt } = order
  if (status === 'pending' && expiresAt !== null) yield `order ${id} is pending, and its reservation has ended`
  const history = historyOf(status).map((state) => steps.get(`${id} ${state}`))
  let at = order.placedAt
  if (!history[0] || history[0].at !== at) yield `order ${id}: when it was placed is not known`
  for (const [n, step] of history.entries()) {
    if (!step || step.at < at) yield `order ${id} is ${status}, and its transitions do not say so`
    if (!step) return
    at = step.at
    if ((step.keyId === null) !== (step.status === 'expired')) yield `order ${id}: who made it ${step.status}?`
    const request = n === 0 ? `place ${placementOf(reference)}` : `${REQUESTS[step.status]} ${id}`
    if (step.status !== 'expired' && !journal.mayHaveHappened(request)) {
      yield `order ${id} is ${step.status}, and every such request was refused`
    }
    const inTime = expiresAt === null || step.at < expiresAt
    if (step.status !== 'returned' && inTime === (step.status === 'expired')) {
      yield `order ${id} was ${step.status} at ${step.at}, and ends at ${expiresAt}`
    }
  }
  const isChanged = status === 'pending' && reference.includes('~')
  if (isChanged ? order.changedAt < at : order.changedAt !== at)
    yield `order ${id} has changed at ${order.changedAt}, its last transition was at ${at}`
}

/** No two orders hold a pet at overlapping times, and its status is what the last one makes of it. */
function* auditPets({ pets, orders }: Tables, steps: Steps): Generator<string> {
  const byPet = Map.groupBy(orders, ({ petId }) => petId)
  for (const id of byPet.keys()) if (!pets.some((pet) => pet.id === id)) yield `pet ${id} has orders, and is gone`
  for (const { id, status } of pets) {
    // Of a pet that was never ordered the feed tells the status (event-audit.ts).
    if (!byPet.has(id)) continue
    let freeFrom = 0
    let expected = 'available'
    for (const order of byPet.get(id) ?? []) {
      const from = steps.get(`${order.id} pending`)?.at ?? 0
      if (from < freeFrom) yield `pet ${id} was given to order ${order.id} while another held it`
      const end = ['cancelled', 'expired', 'returned'].map((state) => steps.get(`${order.id} ${state}`)?.at)
      freeFrom = end.find((at) => at !== undefined) ?? Number.POSITIVE_INFINITY
      expected = HOLDS[order.status] ?? expected
    }
    if (status !== expected) yield `pet ${id} is ${status}, by its orders it is ${expected}`
  }
}

function* auditInventory({ pets, orders, inventory }: Tables): Generator<string> {
  const counts = new Map(inventory.map((each) => [each.status, each.pets]))
  for (const status of ['available', 'pending', 'sold']) {
    const count = pets.filter((pet) => pet.status === status).length
    if (counts.get(status) !== count) yield `the inventory has ${counts.get(status)} ${status} pets; there are ${count}`
  }
  const ordered = new Set(orders.map(({ petId }) => petId))
  const sold = pets.filter(({ id, status }) => status === 'sold' && ordered.has(id)).length
  const completed = orders.filter(({ status }) => status === 'completed').length
  if (sold !== completed) yield `${sold} pets that were ordered are sold, ${completed} orders completed`
}

/** An order that was placed with a key exists exactly when its key exists. The key is the order's reference. */
function* auditKeys({ orders, answers }: Tables): Generator<string> {
  const kept = new Map(answers.map(({ key, answer }) => [key, (JSON.parse(answer) as { id: number }).id]))
  for (const { id, reference } of orders) {
    const key = placementOf(reference)
    if (key.startsWith('key-') && kept.get(key) !== id) yield `the key of order ${id} is not kept with it`
    kept.delete(key)
  }
  for (const key of kept.keys()) yield `${key} has an answer and no order`
}
