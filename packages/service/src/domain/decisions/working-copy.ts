// The rows that a batch of changes touches, as the changes so far have left them: the second of two buyers in one batch finds the pet
// reserved. What has changed is what the store then writes, and each event of it.

import type { NewEvent } from '../events.ts'
import type { KeyId } from '../keys.ts'
import { HOLDING, petStatusOf } from '../order-transitions.ts'
import type { Order, Transition } from '../orders.ts'
import type { NewPet, Pet } from '../pets.ts'
import type { FirstAnswer, Snapshot, StoredOrder, UsedKey } from './snapshot.ts'

/** A row that was there, and what became of it. */
export interface Change<Row> {
  readonly before: Row
  readonly after: Row
}

export type KeptAnswer = UsedKey & FirstAnswer

/** What a store writes, all of it or nothing. */
export interface Writes {
  /** In the order of the feed. Pets that are added stand here alone, with their ids; what follows may be about them, too. */
  readonly events: readonly NewEvent[]
  readonly petsChanged: readonly Change<Pet>[]
  readonly petsDeleted: readonly Pet[]
  /** To be written before orders are added: an order that ends makes room for the next one of its pet. */
  readonly ordersChanged: readonly Change<StoredOrder>[]
  /** With their ids. */
  readonly ordersAdded: readonly StoredOrder[]
  readonly answers: readonly KeptAnswer[]
}

/** The events of the pets that are added. */
export function addedIn({ events }: Writes): (NewEvent & { readonly pet: Pet })[] {
  return events.filter((event) => event.type === 'pet.added') as (NewEvent & { readonly pet: Pet })[]
}

export class WorkingCopy {
  readonly pets: Rows<Pet>
  readonly orders: Rows<StoredOrder>
  readonly events: NewEvent[] = []
  /** Each change of an order's status. */
  readonly transitions: Transition[] = []
  private readonly answers = new Map<string, KeptAnswer>()
  private lastPetId: bigint | undefined
  private lastOrderId: bigint | undefined

  constructor(private readonly snapshot: Snapshot) {
    this.pets = new Rows((id) => snapshot.pet(id))
    this.orders = new Rows((id) => snapshot.order(id))
  }

  get now(): number {
    return this.snapshot.now
  }

  /** The pet of an order that is there. */
  petOf({ id, petId }: StoredOrder): Pet {
    return this.pets.get(petId) ?? fail(`order ${id} is of pet ${petId}, which is not there`)
  }

  shown(order: StoredOrder): Order {
    return { ...order, petName: this.petOf(order).name }
  }

  /** The order that holds the pet, if any. */
  holder(petId: bigint): StoredOrder | undefined {
    const touched = this.orders.find((order) => order.petId === petId && isHolding(order))
    const found = touched ? undefined : this.snapshot.holder(petId)
    const known = found && this.orders.known(found)
    return known && isHolding(known) ? known : touched
  }

  wasOrdered(petId: bigint): boolean {
    return this.orders.find((order) => order.petId === petId) !== undefined || this.snapshot.wasOrdered(petId)
  }

  /** Those that are still overdue. */
  overdue(): StoredOrder[] {
    const found = this.snapshot.overdue().flatMap((order) => this.orders.known(order) ?? [])
    return found.filter((order) => isOverdue(order, this.now))
  }

  firstAnswer(used: UsedKey): FirstAnswer | undefined {
    return this.answers.get(nameOf(used)) ?? this.snapshot.firstAnswer(used)
  }

  keep(answer: KeptAnswer): void {
    this.answers.set(nameOf(answer), answer)
  }

  addPet(pet: NewPet, by: KeyId): Pet {
    this.lastPetId = (this.lastPetId ?? this.snapshot.lastPetId()) + 1n
    const added = { id: this.lastPetId, ...pet }
    this.pets.add(added, added)
    this.events.push({ type: 'pet.added', at: this.now, by, petId: added.id, pet: added })
    return added
  }

  addOrder(order: Omit<StoredOrder, 'id'>): StoredOrder {
    this.lastOrderId = (this.lastOrderId ?? this.snapshot.lastOrderId()) + 1n
    const added = { ...order, id: this.lastOrderId }
    this.orders.add(added)
    return added
  }

  /** Throws where the statuses of an order and its pet do not agree: nothing may be built on that. */
  writes(): Writes {
    const { changed, added } = this.orders.changes()
    for (const order of [...changed.map(({ after }) => after), ...added].filter(isHolding)) this.expectAgreement(order)
    const { changed: petsChanged, deleted: petsDeleted } = this.pets.changes()
    const answers = [...this.answers.values()]
    return { events: this.events, petsChanged, petsDeleted, ordersChanged: changed, ordersAdded: added, answers }
  }

  expectAgreement(order: StoredOrder): void {
    const { status } = this.petOf(order)
    if (status !== petStatusOf(order.status)) fail(`order ${order.id} is ${order.status}, and its pet is ${status}`)
  }
}

/** Each row that was touched: as it was, unless it is new, and as it is. */
class Rows<Row extends { readonly id: bigint }> {
  private readonly entries = new Map<bigint, { readonly before: Row | undefined; readonly now: Row | undefined }>()

  constructor(private readonly read: (id: bigint) => Row | undefined) {}

  get(id: bigint): Row | undefined {
    const entry = this.entries.get(id)
    if (entry) return entry.now
    const before = this.read(id)
    this.entries.set(id, { before, now: before })
    return before
  }

  /** A row that the store gave, as the changes so far have left it. */
  known(row: Row): Row | undefined {
    if (!this.entries.has(row.id)) this.entries.set(row.id, { before: row, now: row })
    return this.get(row.id)
  }

  /** Behind the rows that were added before, even if one of the changes has looked for it. */
  add(row: Row, before?: Row): void {
    this.entries.delete(row.id)
    this.entries.set(row.id, { before, now: row })
  }

  /** `undefined` deletes it. */
  set(id: bigint, row: Row | undefined): void {
    this.entries.set(id, { before: this.entries.get(id)?.before, now: row })
  }

  find(is: (row: Row) => boolean): Row | undefined {
    return this.entries.values().find(({ now }) => now !== undefined && is(now))?.now
  }

  changes(): { changed: Change<Row>[]; added: Row[]; deleted: Row[] } {
    const all = [...this.entries.values()].filter(({ before, now }) => before !== now)
    return {
      changed: all.flatMap(({ before, now }) => (before && now ? [{ before, after: now }] : [])),
      added: all.flatMap(({ before, now }) => (now && !before ? [now] : [])),
      deleted: all.flatMap(({ before, now }) => (before && !now ? [before] : [])),
    }
  }
}

export function isOverdue({ status, expiresAt }: StoredOrder, now: number): boolean {
  return status === 'pending' && expiresAt !== undefined && expiresAt <= now
}

function isHolding({ status }: StoredOrder): boolean {
  return HOLDING.includes(status)
}

/** What cannot be, unless somebody else has written into the store. */
function fail(what: string): never {
  throw new Error(what)
}

function nameOf({ by, key }: UsedKey): string {
  return `${by} ${key}`
}
