// The model's responses: rows and events as JSON, and pages of lists and of the feed, computed from whole lists in
// memory.

import { modelFinds } from '../../../../../test/support/search-rules.ts'
import { stringifyJson } from '../../../../contract/src/json.ts'
import { type EventFilter, type EventPage, markOf, type NewEvent } from '../../../src/domain/events.ts'
import type { Page } from '../../../src/domain/lists.ts'
import type { Order, OrderFilter, OrderStatus } from '../../../src/domain/orders.ts'
import type { Pet, PetFilter } from '../../../src/domain/pets.ts'
import type { AnyFilter } from '../../../src/store/shared/lists.ts'

const MAX = 2n ** 63n - 1n

const utc = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())

/** Fields in the order of the contract. */
const shownPet = ({ id, name, categoryId, status }: Pet) => ({ id, name, categoryId, status })

/** Fields in the order of the contract, times in UTC with milliseconds. Absent fields are omitted. */
function orderJson({ id, petId, petName, status, placedAt, changedAt, reference, expiresAt }: Order): string {
  const times = { placedAt: utc(placedAt), changedAt: utc(changedAt) }
  return stringifyJson({ id, petId, petName, status, ...times, reference, expiresAt: utc(expiresAt) })
}

/** `nameOf` returns the name of an API key. */
export function eventJson(id: bigint, event: NewEvent, nameOf: (by: bigint) => string): string {
  const { type, at, by, petId, orderId, pet, terms } = event
  const word = type.slice('order.'.length)
  const status = word === 'placed' || word === 'changed' ? 'pending' : (word as OrderStatus)
  const orderStatus = orderId === undefined ? undefined : status
  return stringifyJson({
    ...{ id, type, at: utc(at), by: by === null ? undefined : nameOf(by), petId },
    ...{ petStatus: pet?.status, pet: pet && shownPet(pet), orderId, orderStatus },
    terms: terms && { reference: terms.reference, expiresAt: utc(terms.expiresAt) },
  })
}

/** `all` is ordered by id. */
export function pageOfPets(all: readonly Pet[], filter: PetFilter): Page {
  const { status, categoryId, search } = filter
  const listed = all.filter(
    (pet) =>
      (status === undefined || pet.status === status) &&
      (categoryId === undefined || pet.categoryId === categoryId) &&
      (search === undefined || modelFinds(pet.name, search)),
  )
  return pageOf(listed, (pet) => stringifyJson(shownPet(pet)), filter)
}

export function pageOfOrders(all: readonly Order[], filter: OrderFilter): Page {
  const { status, petId, petIds, search } = filter
  const listed = all.filter(
    (order) =>
      (status === undefined || order.status === status) &&
      (petId === undefined || order.petId === petId) &&
      (petIds?.includes(order.petId) ?? true) &&
      (search === undefined || modelFinds(`${order.reference ?? ''} ${order.petName}`, search)),
  )
  return pageOf(listed, orderJson, filter)
}

function pageOf<Row extends { id: bigint }>(
  listed: readonly Row[],
  jsonOf: (row: Row) => string,
  { limit, sort, after, back }: AnyFilter,
): Page {
  const up = (sort === 'oldest') !== back
  const start = after ?? (up ? 0n : MAX)
  const [above, below] = [listed.filter(({ id }) => id > start), listed.filter(({ id }) => id <= start).reverse()]
  const [ahead, behind] = up ? [above, below] : [below, above]
  const shown = back ? ahead.slice(0, limit).reverse() : ahead.slice(0, limit)
  const [isMore, isBehind] = [ahead.length > limit, behind.length > 0]
  // Positions are between two ids. A page with the newest first begins above its first id.
  const [first, last] = [shown[0]?.id, shown.at(-1)?.id]
  const above1 = (id: bigint | undefined) => (sort === 'oldest' ? id : id && id - 1n)
  const below1 = (id: bigint | undefined) => (sort === 'oldest' ? id && id - 1n : id)
  return {
    json: `[${shown.map(jsonOf)}]`,
    next: (back ? isBehind : isMore) ? (above1(last) ?? after) : undefined,
    prev: (back ? isMore : isBehind) ? (below1(first) ?? after) : undefined,
  }
}

/** An event with its id in the store, and its JSON. */
export interface Told {
  readonly id: bigint
  readonly event: NewEvent
  readonly json: string
}

/** The position after the first `count` events. */
export function positionOf(all: readonly Told[], count: number, epoch: bigint) {
  const last = all[count - 1]
  return { epoch, id: last?.id ?? 0n, mark: last && markOf(last.event) }
}

/** `after` is the number of events before the page. If it is `undefined`, `from` decides where the page begins. */
export function pageOfEvents(
  all: readonly Told[],
  { from, to, sort, limit, type, petId, orderId }: Omit<EventFilter, 'after'>,
  after: number | undefined,
  epoch: bigint,
): EventPage {
  const notBefore = (time: number) => {
    const place = all.findIndex(({ event }) => event.at >= time)
    return place < 0 ? all.length : place
  }
  const up = sort === 'oldest'
  const start = from === 'beginning' ? 0 : from === 'now' ? all.length : notBefore(from)
  const end = to === undefined ? all.length : notBefore(to)
  const below = Math.max(0, Math.min(end, (after ?? end + 1) - 1))
  const range = up ? all.slice(after ?? start, end) : all.slice(start, below).reverse()
  const isGiven = ({ event }: Told) =>
    (type?.includes(event.type) ?? true) &&
    (petId === undefined || event.petId === petId) &&
    (orderId === undefined || event.orderId === orderId)
  const shown = range.filter(isGiven).slice(0, limit)
  const last = shown.length > 0 ? all.indexOf(shown.at(-1) as Told) + 1 : (after ?? end)
  return {
    json: `[${shown.map(({ json }) => json)}]`,
    count: shown.length,
    next: positionOf(all, up && shown.length < limit ? Math.max(last, end) : last, epoch),
    ended: to !== undefined && end < all.length,
  }
}
