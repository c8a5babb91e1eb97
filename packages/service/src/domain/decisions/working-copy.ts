// The rows that a batch touches, with the effects of the decisions so far: a second buyer in the same batch finds the
// pet reserved. The store then writes the changed rows and their events.

import type { NewEvent } from '../events.ts'
import type { KeyId } from '../keys.ts'
import { HOLDING, petStatusOf } from '../order-transitions.ts'
import type { Order, Transition } from '../orders.ts'
import type { Created, NewPet, Pet } from '../pets.ts'
import { PetstoreError } from '../petstore-error.ts'
import { otherRequest } from './refusal-messages.ts'
import type { FirstAnswer, Idempotent, Snapshot, StoredOrder, Touches, UsedKey } from './snapshot.ts'

/** A requested change of pets or orders, by a caller or by the service. */
export interface Decision<Result> {
  /** The caller's API key; `null` for the service. */
  readonly by: KeyId | null
  readonly touches: Touches
  /**
   * Returns the result or a rejection. Changes in the working copy are written in both cases, such as an expired
   * reservation.
   */
  decide(copy: WorkingCopy): Result | PetstoreError
}

/** A changed row. */
export interface Change<Row> {
  readonly before: Row
  readonly after: Row
}

type KeptAnswer = UsedKey & FirstAnswer

/** A request of an operation that takes an idempotency key. */
interface Keyed<Operation extends keyof Idempotent> {
  readonly operation: Operation
  readonly request: Idempotent[Operation]['request']
  readonly by: KeyId
  readonly key: string | undefined
}

/** The writes of one transaction. */
export interface Writes {
  /** In feed order. Added pets are only here, with their ids; later events can be about the same pets. */
  readonly events: readonly NewEvent[]
  readonly petsChanged: readonly Change<Pet>[]
  readonly petsDeleted: readonly Pet[]
  /** Write these before `ordersAdded`: an order that ends frees its pet for the next order. */
  readonly ordersChanged: readonly Change<StoredOrder>[]
  readonly ordersAdded: readonly StoredOrder[]
  readonly answers: readonly KeptAnswer[]
}

/** Returns the events of added pets. */
export function addedIn({ events }: Writes): (NewEvent & { readonly pet: Pet })[] {
  return events.filter((event) => event.type === 'pet.added') as (NewEvent & { readonly pet: Pet })[]
}

export class WorkingCopy {
  readonly pets: Rows<Pet>
  readonly orders: Rows<StoredOrder>
  readonly events: NewEvent[] = []
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

  /** Returns the pet of an existing order. */
  petOf({ id, petId }: StoredOrder): Pet {
    return this.pets.get(petId) ?? fail(`order ${id} has pet ${petId}, which does not exist`)
  }

  withPetName(order: StoredOrder): Order {
    return { ...order, petName: this.petOf(order).name }
  }

  /** Returns the order that holds the pet, if any. */
  holder(petId: bigint): StoredOrder | undefined {
    const touched = this.orders.find((order) => order.petId === petId && isHolding(order))
    const found = touched ? undefined : this.snapshot.holder(petId)
    const known = found && this.orders.currentOf(found)
    return known && isHolding(known) ? known : touched
  }

  wasOrdered(petId: bigint): boolean {
    return this.orders.find((order) => order.petId === petId) !== undefined || this.snapshot.wasOrdered(petId)
  }

  /** Returns the orders that are still overdue. */
  overdue(): StoredOrder[] {
    const found = this.snapshot.overdue().flatMap((order) => this.orders.currentOf(order) ?? [])
    return found.filter((order) => isOverdue(order, this.now))
  }

  /**
   * Returns the first response to the idempotency key, even if its pet or order has changed, or `idempotency_mismatch` if
   * the key was used for another request. Without a first response, performs the request and keeps its response, unless it
   * is rejected.
   */
  answerOnce<Operation extends keyof Idempotent, Answer extends Idempotent[Operation]['answer']>(
    { operation, request, by, key }: Keyed<Operation>,
    perform: () => Answer | PetstoreError,
  ): Created<Answer> | PetstoreError {
    const name = `${by} ${key}`
    const first = key === undefined ? undefined : (this.answers.get(name) ?? this.snapshot.firstAnswer({ by, key }))
    if (first) {
      const isSame = first.operation === operation && isSameRequest(first.request, request)
      return isSame ? { value: first.answer as Answer, replayed: true } : otherRequest()
    }
    const value = perform()
    if (value instanceof PetstoreError) return value
    const kept = { by, key, operation, request, answer: value } as unknown as KeptAnswer
    if (key !== undefined) this.answers.set(name, kept)
    return { value, replayed: false }
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

  /** Throws if an order and its pet have contradictory statuses. */
  writes(): Writes {
    const { changed, added } = this.orders.changes()
    for (const order of [...changed.map(({ after }) => after), ...added].filter(isHolding)) this.expectAgreement(order)
    const { changed: petsChanged, deleted: petsDeleted } = this.pets.changes()
    const answers = [...this.answers.values()]
    return { events: this.events, petsChanged, petsDeleted, ordersChanged: changed, ordersAdded: added, answers }
  }

  expectAgreement(order: StoredOrder): void {
    const { status } = this.petOf(order)
    if (status !== petStatusOf(order.status)) fail(`order ${order.id} is ${order.status}, but its pet is ${status}`)
  }
}

/** The touched rows, each before and after the batch. */
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

  /** Returns the current state of a row that the store has read. */
  currentOf(row: Row): Row | undefined {
    if (!this.entries.has(row.id)) this.entries.set(row.id, { before: row, now: row })
    return this.get(row.id)
  }

  /** Adds the row after all earlier ones, even if a decision looked for its id before. */
  add(row: Row, before?: Row): void {
    this.entries.delete(row.id)
    this.entries.set(row.id, { before, now: row })
  }

  /** `undefined` deletes the row. */
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

/** Only possible if another program has written to the store. */
function fail(what: string): never {
  throw new Error(what)
}

/** Treats a missing field as `undefined`. */
function isSameRequest(one: object, other: object): boolean {
  const fields = Object.keys({ ...one, ...other }) as never[]
  return fields.every((field) => one[field] === other[field])
}
