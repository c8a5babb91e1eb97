// The store after each commit, rebuilt from the feed. Version k is the store after the first k commits.

import type { Commit } from './commits.ts'
import type { ListAsk, Order, Pet } from './operations.ts'
import { isSameOrder, type OrderVersion } from './rows.ts'

/** The values of something, each with the version from which it holds. */
class Chain<Of> {
  readonly since: number[] = []
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

/** Counts the numbers that are at most `most`, in an ascending list. */
export function countUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] as number) <= most) low = middle + 1
    else high = middle
  }
  return low
}

const STATUSES = ['available', 'pending', 'sold'] as const
/** Statuses in which an order holds its pet. */
const HOLDING = /^(pending|completed)$/

export class Versions {
  /** Ascending. */
  readonly petIds: number[] = []
  readonly orderIds: number[] = []
  private readonly pets = new Map<number, Chain<Pet>>()
  private readonly orders = new Map<number, Chain<OrderVersion>>()
  /** The newest order of each pet. */
  private readonly placed = new Map<number, Chain<number>>()
  private readonly counts: (readonly number[])[] = [[0, 0, 0]]

  constructor(commits: readonly Commit[]) {
    for (const commit of commits) this.apply(commit)
  }

  private apply(commit: Commit): void {
    const { version, event } = commit
    const { petId, petStatus, pet, orderId } = event
    const chain = chainOf(this.pets, this.petIds, petId)
    const before = chain.last()
    const { name = '', categoryId = 0 } = pet ?? before ?? {}
    const after = petStatus && { id: petId, name, categoryId, status: petStatus }
    chain.push(version, after || undefined)
    const counts = [...(this.counts.at(-1) as number[])]
    for (const [state, by] of [[before, -1] as const, [after || undefined, 1] as const]) {
      const at = STATUSES.indexOf(state?.status as (typeof STATUSES)[number])
      if (at >= 0) counts[at] = (counts[at] as number) + by
    }
    this.counts.push(counts)
    if (orderId !== undefined) this.applyToOrder(commit, orderId)
  }

  private applyToOrder({ version, event }: Commit, id: number): void {
    const { petId, orderStatus, at, terms } = event
    const chain = chainOf(this.orders, this.orderIds, id)
    const before = chain.last()
    chain.push(version, {
      id,
      petId,
      status: orderStatus ?? '',
      placedAt: before?.placedAt ?? at,
      changedAt: at,
      terms: terms ?? before?.terms ?? {},
    })
    const placed = chainOf(this.placed, [], petId)
    if (placed.last() !== id) placed.push(version, id)
  }

  pet(id: number, version: number): Pet | undefined {
    return this.pets.get(id)?.at(version)
  }

  order(id: number, version: number): OrderVersion | undefined {
    return this.orders.get(id)?.at(version)
  }

  petName({ petId }: Pick<OrderVersion, 'petId'>, version: number): string {
    return this.pet(petId, version)?.name ?? ''
  }

  /** The newest order of the pet. */
  lastOrder(petId: number, version: number): OrderVersion | undefined {
    const id = this.placed.get(petId)?.at(version)
    return id === undefined ? undefined : this.order(id, version)
  }

  /** The order that holds the pet. */
  holder(petId: number, version: number): OrderVersion | undefined {
    const order = this.lastOrder(petId, version)
    return order && HOLDING.test(order.status) ? order : undefined
  }

  inventory(version: number): Readonly<Record<(typeof STATUSES)[number], number>> {
    const [available = 0, pending = 0, sold = 0] = this.counts[version] as number[]
    return { available, pending, sold }
  }

  /** Whether the order in the response equals this version. */
  isOrder(shown: Order, version: number): boolean {
    const order = this.order(shown.id, version)
    return order !== undefined && isSameOrder(order, this.petName(order, version), shown)
  }

  /** The pet or order, if it exists and matches the filters. */
  row({ list, status, categoryId, petId }: ListAsk, id: number, version: number) {
    if (list === 'pets') {
      const pet = this.pet(id, version)
      if (!pet || (status ?? pet.status) !== pet.status) return undefined
      return (categoryId ?? pet.categoryId) === pet.categoryId ? pet : undefined
    }
    const order = this.order(id, version)
    if (!order || (status ?? order.status) !== order.status) return undefined
    return (petId ?? order.petId) === order.petId ? order : undefined
  }

  page(ask: ListAsk, version: number) {
    const ids = ask.list === 'pets' ? this.petIds : this.orderIds
    const up = ask.newest === ask.back
    const { after, limit } = ask
    const first = up ? 0 : ids.length - 1
    const start = after === undefined ? first : up ? countUpTo(ids, after) : countUpTo(ids, after - 1) - 1
    const step = up ? 1 : -1
    const rows: (Pet | OrderVersion)[] = []
    for (let at = start; at >= 0 && at < ids.length && rows.length <= limit; at += step) {
      const row = this.row(ask, ids[at] as number, version)
      if (row !== undefined) rows.push(row)
    }
    const more = rows.length > limit
    if (more) rows.pop()
    let beyond = false
    for (let at = start - step; after !== undefined && !beyond && at >= 0 && at < ids.length; at -= step)
      beyond = this.row(ask, ids[at] as number, version) !== undefined
    if (ask.back) rows.reverse()
    return { rows, prev: ask.back ? more : beyond, next: ask.back ? beyond : more }
  }
}

/** Returns the chain of the id. Adds the chain, and the id to the ascending ids, if it is missing. */
function chainOf<Of>(chains: Map<number, Chain<Of>>, ids: number[], id: number): Chain<Of> {
  const chain = chains.get(id) ?? new Chain<Of>()
  if (!chains.has(id)) ids.splice(countUpTo(ids, id), 0, id)
  chains.set(id, chain)
  return chain
}
