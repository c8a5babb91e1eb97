// The animals and orders that the page knows, by id. Responses and the feed update them, and each view computes what
// it shows from them. Reading a record during rendering renders the component again when a record changes.

import { batch, signal } from '@preact/signals'
import type { Event, Order, Pet } from '../../../client/src/petstore.ts'
import { HOLDING, petStatusOf } from '../../../service/src/domain/order-transitions.ts'
import type { Item } from '../list/list-position.ts'

/** The duration of the fade (`--mark` in the styles). */
const MARKED_MS = 4_000

export class Records {
  /** The ids of known animals that have just changed. */
  readonly marks = signal<ReadonlySet<bigint>>(new Set())
  readonly #known = signal({
    pets: new Map<bigint, Pet>(),
    deleted: new Set<bigint>(),
    orders: new Map<bigint, Order>(),
    /** The order that holds each animal; `undefined` for an animal that was added as reserved or sold. */
    holders: new Map<bigint, bigint | undefined>(),
  })
  /** The events that arrived during each running read. */
  readonly #reads = new Set<Event[]>()

  pet(id: bigint): Pet | undefined {
    return this.#known.value.pets.get(id)
  }

  isDeleted(petId: bigint): boolean {
    return this.#known.value.deleted.has(petId)
  }

  order(id: bigint): Order | undefined {
    return this.#known.value.orders.get(id)
  }

  orders(): Order[] {
    return [...this.#known.value.orders.values()]
  }

  /** Returns the newest known state of an animal or order. */
  current<One extends Item>(item: One): One {
    return (('petId' in item ? this.order(item.id) : this.pet(item.id)) as One | undefined) ?? item
  }

  /**
   * Returns the order that holds the animal. `null`: the animal has no order. `undefined`: not known yet, or the animal
   * is available.
   */
  holderOf({ id, status }: Pick<Pet, 'id' | 'status'>): Order | null | undefined {
    const { holders, orders } = this.#known.value
    if (status === 'available' || !holders.has(id)) return undefined
    const orderId = holders.get(id)
    if (orderId === undefined) return null
    const order = orders.get(orderId)
    return order && petStatusOf(order.status) === status ? order : undefined
  }

  /** Runs a read and keeps its result. Events that arrive during the read are applied to the result again. */
  async read<Result>(reading: Promise<Result>, keep: (result: Result) => void): Promise<Result> {
    const events: Event[] = []
    this.#reads.add(events)
    try {
      const result = await reading
      batch(() => {
        keep(result)
        for (const event of events) this.#apply(event)
        this.#show()
      })
      return result
    } finally {
      this.#reads.delete(events)
    }
  }

  /** Keeps records of a response. Call it within `read` if the response can be older than the last event. */
  keep(items: Iterable<Item>): void {
    const { pets, deleted, orders, holders } = this.#known.peek()
    for (const item of items) {
      if ('petId' in item) {
        orders.set(item.id, item)
        if (HOLDING.includes(item.status)) holders.set(item.petId, item.id)
      } else {
        pets.set(item.id, item)
        deleted.delete(item.id)
      }
    }
    this.#show()
  }

  /** Keeps that no order holds these animals. */
  keepUnheld(petIds: Iterable<bigint>): void {
    for (const id of petIds) this.#known.peek().holders.set(id, undefined)
    this.#show()
  }

  /** Forgets the orders, because events are missing. The views that show animals read them again. */
  forget(): void {
    const { deleted, orders, holders } = this.#known.peek()
    for (const known of [deleted, orders, holders]) known.clear()
    this.#show()
  }

  /** Applies events, oldest first. */
  apply(events: readonly Event[]): void {
    for (const read of this.#reads) read.push(...events)
    const changed = events.filter((event) => this.#apply(event)).map(({ petId }) => petId)
    if (changed.length === 0) return
    this.#show()
    this.marks.value = new Set([...this.marks.peek(), ...changed])
    setTimeout(() => {
      const done = new Set(changed)
      this.marks.value = new Set([...this.marks.peek()].filter((id) => !done.has(id)))
    }, MARKED_MS)
  }

  #show(): void {
    this.#known.value = { ...this.#known.peek() }
  }

  /** Returns whether the event changed a known record. */
  #apply({ type, at, petId, petStatus, pet, orderId, orderStatus, terms }: Event): boolean {
    const { pets, deleted, orders, holders } = this.#known.peek()
    const known = pets.get(petId)
    if (known && type === 'pet.deleted') deleted.add(petId)
    else if (known) pets.set(petId, { ...known, ...pet, status: petStatus ?? pet?.status ?? known.status })
    if (type === 'pet.changed' && pet) {
      for (const order of orders.values()) {
        if (order.petId === petId) orders.set(order.id, { ...order, petName: pet.name })
      }
    }
    if (orderId === undefined || orderStatus === undefined) return known !== undefined
    const before = orders.get(orderId)
    const placedAt = before?.placedAt ?? (type === 'order.placed' ? at : undefined)
    const petName = pet?.name ?? before?.petName
    orders.delete(orderId)
    // An event of an earlier version lacks the terms, so the order is read again when a view needs it.
    if (placedAt !== undefined && petName !== undefined && terms) {
      orders.set(orderId, { id: orderId, petId, petName, status: orderStatus, ...terms, placedAt, changedAt: at })
    }
    if (HOLDING.includes(orderStatus)) holders.set(petId, orderId)
    else holders.delete(petId)
    return true
  }
}
