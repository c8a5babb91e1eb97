// The store after each of its commits, as the feed of events tells it. Version k is the store after the first k events.

import type { Seen } from '../event-readers.ts'
import { isUnanswered, type ListAsk, type Operation } from './operations.ts'

export interface Pet {
  readonly id: number
  readonly name: string
  readonly categoryId: number
  readonly status: string
}

export interface Order {
  readonly id: number
  readonly petId: number
  readonly status: string
  readonly placedAt: string
  readonly changedAt: string
  /** Reference and end, where an answer told them: no event does. */
  readonly content: string | undefined
}

export interface Page {
  readonly rows: string[]
  readonly prev: boolean
  readonly next: boolean
}

/** What something was, from which version on. */
class Chain<Of> {
  private readonly since: number[] = []
  private readonly values: (Of | undefined)[] = []

  push(version: number, value: Of | undefined): void {
    this.since.push(version)
    this.values.push(value)
  }

  last(): Of | undefined {
    return this.values.at(-1)
  }

  at(version: number): Of | undefined {
    return this.values[countUpTo(this.since, version) - 1]
  }
}

/** How many of the rising numbers are at most `most`. */
export function countUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) <= most) low = middle + 1
    else high = middle
  }
  return low
}

const STATUSES = ['available', 'pending', 'sold']

export class Versions {
  /** Rising. */
  readonly petIds: number[] = []
  readonly orderIds: number[] = []
  private readonly pets = new Map<number, Chain<Pet>>()
  private readonly orders = new Map<number, Chain<Order>>()
  private readonly holders = new Map<number, Chain<number>>()
  private readonly counts: number[][] = [[0, 0, 0]]
  private readonly rows = new WeakMap<object, string>()

  constructor(
    readonly events: readonly Seen[],
    operations: readonly Operation[],
  ) {
    const contents = contentsOf(operations)
    const told = events.filter(({ type }) => type === 'order.placed' || type === 'order.changed')
    // One of them may have been answered to nobody: after a clock was set back, many have one time.
    for (const [name, { length }] of Map.groupBy(told, ({ orderId, at }) => `${orderId} ${at}`))
      if (length > 1) contents.delete(name)
    for (const [n, event] of events.entries()) this.apply(n + 1, event, contents)
  }

  private apply(version: number, event: Seen, contents: ReadonlyMap<string, string | undefined>): void {
    const { type, petId, petStatus, pet, orderId, orderStatus, at } = event
    const chain = this.pets.get(petId) ?? new Chain<Pet>()
    const before = chain.last()
    if (!this.pets.has(petId)) insert(this.petIds, petId)
    this.pets.set(petId, chain)
    const { name = '', categoryId = 0 } = pet ?? before ?? {}
    const after = petStatus && { id: petId, name, categoryId: Number(categoryId), status: petStatus }
    chain.push(version, after || undefined)
    const counts = [...(this.counts.at(-1) as number[])]
    for (const [state, by] of [[before, -1] as const, [after || undefined, 1] as const]) {
      const at = STATUSES.indexOf(state?.status ?? '')
      if (at >= 0) counts[at] = (counts[at] as number) + by
    }
    this.counts.push(counts)
    if (orderId === undefined) return
    const orders = this.orders.get(orderId) ?? new Chain<Order>()
    if (!this.orders.has(orderId)) insert(this.orderIds, orderId)
    this.orders.set(orderId, orders)
    const order = orders.last()
    const told = type === 'order.placed' || type === 'order.changed'
    const content = told ? contents.get(`${orderId} ${at}`) : order?.content
    const placedAt = order?.placedAt ?? at
    orders.push(version, { id: orderId, petId, status: orderStatus ?? '', placedAt, changedAt: at, content })
    const holders = this.holders.get(petId) ?? new Chain<number>()
    this.holders.set(petId, holders)
    if (holders.last() !== orderId) holders.push(version, orderId)
  }

  pet(id: number, version: number): Pet | undefined {
    return this.pets.get(id)?.at(version)
  }

  order(id: number, version: number): Order | undefined {
    return this.orders.get(id)?.at(version)
  }

  /** The order that was placed for the pet last. */
  lastOrder(petId: number, version: number): Order | undefined {
    const id = this.holders.get(petId)?.at(version)
    return id === undefined ? undefined : this.order(id, version)
  }

  inventory(version: number): string {
    const [available, pending, sold] = this.counts[version] as number[]
    return JSON.stringify({ available, pending, sold })
  }

  /** A row as `petRow` and `orderRow` write an answer's; `undefined` when the list's filters leave it out. */
  private row(ask: ListAsk, id: number, version: number): string | undefined {
    if (ask.list === 'pets') {
      const pet = this.pet(id, version)
      if (!pet || (ask.status ?? pet.status) !== pet.status) return undefined
      return (ask.categoryId ?? pet.categoryId) === pet.categoryId ? this.rowOf(pet) : undefined
    }
    const order = this.order(id, version)
    if (!order || (ask.status ?? order.status) !== order.status) return undefined
    if ((ask.petId ?? order.petId) !== order.petId) return undefined
    return orderRow(order, this.pet(order.petId, version)?.name ?? '')
  }

  /** A pet's row is made once for each of its versions. */
  private rowOf(pet: Pet): string {
    const row = this.rows.get(pet) ?? petRow(pet)
    this.rows.set(pet, row)
    return row
  }

  page(ask: ListAsk, version: number): Page {
    const ids = ask.list === 'pets' ? this.petIds : this.orderIds
    const up = ask.newest === ask.back
    const { after, limit } = ask
    let at = up
      ? after === undefined
        ? 0
        : countUpTo(ids, after)
      : after === undefined
        ? ids.length - 1
        : countUpTo(ids, after - 1) - 1
    const [start, step] = [at, up ? 1 : -1]
    const rows: string[] = []
    for (; at >= 0 && at < ids.length && rows.length <= limit; at += step) {
      const row = this.row(ask, ids[at] as number, version)
      if (row !== undefined) rows.push(row)
    }
    const more = rows.length > limit
    if (more) rows.pop()
    let beyond = false
    for (let other = start - step; after !== undefined && !beyond && other >= 0 && other < ids.length; other -= step)
      beyond = this.row(ask, ids[other] as number, version) !== undefined
    if (ask.back) rows.reverse()
    return { rows, prev: ask.back ? more : beyond, next: ask.back ? beyond : more }
  }
}

function insert(ids: number[], id: number): void {
  ids.splice(countUpTo(ids, id), 0, id)
}

export function petRow({ id, name, categoryId, status }: Pet): string {
  return `${id} ${name} ${categoryId} ${status}`
}

/** Without the content, which is compared where it is known. */
export function orderRow({ id, petId, status, placedAt, changedAt }: Omit<Order, 'content'>, petName: string): string {
  return `${id} ${petId} ${petName} ${status} ${placedAt} ${changedAt}`
}

/** Order and time → reference and end as an answer gave them. Two changes at one time: nobody knows which came last. */
function contentsOf(operations: readonly Operation[]): Map<string, string | undefined> {
  const contents = new Map<string, string | undefined>()
  for (const operation of operations) {
    const { kind } = operation.ask
    if ((kind !== 'place' && kind !== 'change') || isUnanswered(operation) || operation.status >= 300) continue
    const order = JSON.parse(operation.text) as AnsweredOrder
    const [at, content] = [`${order.id} ${order.changedAt}`, contentOf(order)]
    contents.set(at, contents.has(at) && contents.get(at) !== content ? undefined : content)
  }
  return contents
}

export interface AnsweredOrder extends Omit<Order, 'content'> {
  readonly petName: string
  readonly reference?: string
  readonly expiresAt?: string
}

export function contentOf({ reference, expiresAt }: AnsweredOrder): string {
  return `${reference} ${expiresAt}`
}
