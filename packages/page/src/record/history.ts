// Reads animals and orders with their histories, and describes their edits. The operation that gets one animal is
// deprecated, so animals are read from their events.

import type {
  CallOptions,
  Event,
  EventFilter,
  Order,
  OrderTerms,
  Pet,
  PetstoreClient,
} from '../../../client/src/petstore.ts'
import { PAGE_MAX } from '../../../contract/src/generated.ts'
import type { RecordId } from '../address.ts'
import { TYPED_FIELDS, textsOf } from '../animal/fields.ts'
import { fromTo, ORDER_FIELDS, termsOf } from './edits.ts'

interface AnimalRecord {
  pet: Pet
  deleted: boolean
  /** Oldest first. */
  events: readonly Event[]
}

export interface RecordData {
  animal: AnimalRecord
  orders: readonly Order[]
  /** Only on the page of an order. */
  order: Order | undefined
}

/** Resolves with `undefined` if no record ever had this id. */
export async function readRecord(
  client: PetstoreClient,
  { kind, id }: RecordId,
  signal: AbortSignal,
): Promise<RecordData | undefined> {
  const petId = kind === 'animal' ? id : (await readAll(client, { orderId: id }, signal))[0]?.petId
  if (petId === undefined) return undefined
  const [events, { orders }] = await Promise.all([
    readAll(client, { petId }, signal),
    client.listOrderPage({ petId, sort: 'newest', limit: PAGE_MAX }, { signal }),
  ])
  const order = kind === 'order' ? (orders.find((order) => order.id === id) ?? (await client.getOrder(id))) : undefined
  const pet = petAfter(events.toReversed())
  const deleted = events.at(-1)?.type === 'pet.deleted'
  return pet && { animal: { pet, deleted, events: withTerms(events) }, orders, order }
}

/** Adds the terms that events of earlier versions lack, from the event before. `events`: oldest first. */
function withTerms(events: readonly Event[]): readonly Event[] {
  const last = new Map<bigint, OrderTerms>()
  return events.map((event) => {
    const { orderId = 0n, terms = last.get(orderId) } = event
    if (terms) last.set(orderId, terms)
    return terms ? { ...event, terms } : event
  })
}

/** Resolves with `undefined` if the animal does not exist or was deleted. */
export async function readPet(client: PetstoreClient, petId: bigint, options?: CallOptions): Promise<Pet | undefined> {
  const newestFirst: Event[] = []
  for (let cursor: string | undefined; ; ) {
    const { events, next } = await client.listEvents({ petId, sort: 'newest', cursor }, options)
    newestFirst.push(...events)
    if (newestFirst[0]?.type === 'pet.deleted' || events.length === 0) return undefined
    const pet = petAfter(newestFirst)
    if (pet) return pet
    cursor = next
  }
}

/** Older events of orders have the status of the animal, but not the animal. */
function petAfter(newestFirst: readonly Event[]): Pet | undefined {
  const pet = newestFirst.find(({ pet }) => pet)?.pet
  return pet && { ...pet, status: newestFirst[0]?.petStatus ?? pet.status }
}

/** A short page is not the last one if there is a filter; only an empty page is. */
export async function readAll(client: PetstoreClient, filter: EventFilter, signal?: AbortSignal): Promise<Event[]> {
  const all: Event[] = []
  for (let cursor: string | undefined; ; ) {
    const { events, next } = await client.listEvents({ ...filter, limit: PAGE_MAX, cursor }, { signal, retries: 0 })
    all.push(...events)
    if (events.length === 0) return all
    cursor = next
  }
}

/** Describes each edit by its old and new values, by event id. `events`: all events of animals or orders, oldest first. */
export function changesIn(events: readonly Event[]): Map<bigint, string> {
  const changes = new Map<bigint, string>()
  const pets = new Map<bigint, Pet>()
  const orders = new Map<bigint, OrderTerms>()
  for (const { id, type, petId, pet, orderId, terms } of events) {
    const [before, agreed] = [pets.get(petId), orders.get(orderId ?? 0n)]
    if (type === 'pet.changed' && before && pet) changes.set(id, petChange(before, pet))
    if (type === 'order.changed' && agreed && terms) {
      changes.set(id, fromTo(ORDER_FIELDS, termsOf(agreed), termsOf(terms)))
    }
    if (pet) pets.set(petId, pet)
    if (terms) orders.set(orderId ?? 0n, terms)
  }
  return changes
}

function petChange(before: Pet, after: Pet): string {
  const isFreed = before.status !== 'available' && after.status === 'available'
  return [fromTo(TYPED_FIELDS, textsOf(before), textsOf(after)), isFreed && 'made available'].filter(Boolean).join(', ')
}

const DIRECT_MS = 60_000

/**
 * Omits reservations that the same key completed within a minute, so that a sale at the counter is one line.
 * `events`: newest first.
 */
export function withoutDirect(events: readonly Event[]): readonly Event[] {
  const sold = new Map<bigint | undefined, Event>()
  return events.filter((event) => {
    if (event.type === 'order.completed') sold.set(event.orderId, event)
    const sale = event.type === 'order.placed' ? sold.get(event.orderId) : undefined
    return !sale || sale.by !== event.by || Math.abs(Date.parse(sale.at) - Date.parse(event.at)) > DIRECT_MS
  })
}
