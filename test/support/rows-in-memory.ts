// A minimal store in memory for decisions (packages/service/src/domain/decisions/). Its snapshot contains only the
// rows that a batch touches, as a store does that reads ahead.

import { type Decided, decide, touchedBy } from '../../packages/service/src/domain/decisions/decision.ts'
import type { FirstAnswer, Snapshot, StoredOrder } from '../../packages/service/src/domain/decisions/snapshot.ts'
import type { Decision, Writes } from '../../packages/service/src/domain/decisions/working-copy.ts'
import type { NewEvent } from '../../packages/service/src/domain/events.ts'
import type { KeyId, RefusedKey } from '../../packages/service/src/domain/keys.ts'
import { HOLDING } from '../../packages/service/src/domain/order-transitions.ts'
import type { Pet } from '../../packages/service/src/domain/pets.ts'

export class Rows {
  readonly pets = new Map<bigint, Pet>()
  readonly orders = new Map<bigint, StoredOrder>()
  readonly answers = new Map<string, FirstAnswer>()
  readonly events: NewEvent[] = []
  readonly refused = new Map<KeyId, RefusedKey>()
  lastPet = 0n
  lastOrder = 0n

  constructor(public now = 1_800_000_000_000) {}

  /** Decides the batch, and applies its writes. */
  commit(...batch: Decision<unknown>[]): Decided {
    const decided = decide(this.snapshot(batch), batch)
    this.write(decided.writes)
    return decided
  }

  copy(): Rows {
    const copy = new Rows(this.now)
    for (const name of ['pets', 'orders', 'answers', 'refused'] as const)
      for (const [key, value] of this[name]) (copy[name] as Map<unknown, unknown>).set(key, value)
    copy.events.push(...this.events)
    return Object.assign(copy, { lastPet: this.lastPet, lastOrder: this.lastOrder })
  }

  private snapshot(batch: readonly Decision<unknown>[]): Snapshot {
    const { callers, petIds, orderIds, everOrdered, keys, overdue } = touchedBy(batch)
    const orders = [...this.orders.values()]
    const holder = (petId: bigint) => orders.find((one) => one.petId === petId && HOLDING.includes(one.status))
    const isDue = ({ status, expiresAt = Number.POSITIVE_INFINITY }: StoredOrder) =>
      status === 'pending' && expiresAt <= this.now
    const due = orders.filter(isDue).toSorted((one, other) => Number(one.expiresAt) - Number(other.expiresAt))
    const some = [...[...orderIds].map((id) => this.orders.get(id)), ...[...petIds].map(holder)]
    const readOrders = [...some, ...due.slice(0, overdue)].filter((order) => order !== undefined)
    const readPets = new Set([...petIds, ...readOrders.map(({ petId }) => petId)])
    return {
      now: this.now,
      refusedKey: (by) => this.refused.get(read(callers, by)),
      pet: (id) => this.pets.get(read(readPets, id)),
      order: (id) => this.orders.get(read(new Set([...orderIds, ...readOrders.map(({ id }) => id)]), id)),
      holder: (petId) => holder(read(petIds, petId)),
      wasOrdered: (petId) => orders.some((order) => order.petId === read(everOrdered, petId)),
      firstAnswer: (used) => this.answers.get(read(new Set(keys.map(nameOf)), nameOf(used))),
      overdue: () => due.slice(0, overdue),
      lastPetId: () => this.lastPet,
      lastOrderId: () => this.lastOrder,
    }
  }

  private write(writes: Writes): void {
    for (const { type, pet } of writes.events) {
      if (type !== 'pet.added' || !pet) continue
      this.pets.set(pet.id, pet)
      this.lastPet = pet.id
    }
    for (const { before, after } of writes.petsChanged) replace(this.pets, before, after)
    for (const { id } of writes.petsDeleted) if (!this.pets.delete(id)) throw new Error(`Pet ${id} does not exist.`)
    for (const { before, after } of writes.ordersChanged) replace(this.orders, before, after)
    for (const order of writes.ordersAdded) {
      if (this.orders.has(order.id)) throw new Error(`Order ${order.id} already exists.`)
      this.orders.set(order.id, order)
      this.lastOrder = order.id
    }
    for (const { by, key, ...answer } of writes.answers) this.answers.set(nameOf({ by, key }), answer)
    this.events.push(...writes.events)
  }
}

function replace<Row extends { id: bigint }>(rows: Map<bigint, Row>, before: Row, after: Row): void {
  if (rows.get(before.id) !== before) throw new Error(`${before.id} has changed since it was read.`)
  rows.set(after.id, after)
}

/** Throws if a decision reads a row that it did not declare. */
function read<Id>(ids: ReadonlySet<Id>, id: Id): Id {
  if (!ids.has(id)) throw new Error(`${id} was not read.`)
  return id
}

/** The name of an idempotency key in `answers`. */
export function nameOf({ by, key }: { by: KeyId; key: string }): string {
  return `${by} ${key}`
}
