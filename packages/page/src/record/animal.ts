// Reads an animal and its history from its events.

import type { Event, EventFilter, Order, Pet, PetstoreClient } from '../../../client/src/petstore.ts'
import { PAGE_MAX } from '../../../contract/src/generated.ts'

interface AnimalRecord {
  pet: Pet
  deleted: boolean
  /** Oldest first. */
  events: readonly Event[]
}

export interface Read {
  animal: AnimalRecord
  orders: readonly Order[]
  /** Only on the page of an order. */
  order: Order | undefined
}

/** Resolves with `undefined` if no animal ever had this id. */
export async function readAnimal(
  client: PetstoreClient,
  petId: bigint,
  signal: AbortSignal,
): Promise<AnimalRecord | undefined> {
  const events = await readAll(client, { petId }, signal)
  const pet = events.findLast(({ pet }) => pet)?.pet
  const last = events.at(-1)
  if (!pet || !last) return undefined
  const deleted = last.type === 'pet.deleted'
  return { pet: { ...pet, status: last.petStatus ?? 'available' }, deleted, events }
}

/** With a filter, a short page is not the last one; only an empty page is. */
export async function readAll(client: PetstoreClient, filter: EventFilter, signal?: AbortSignal): Promise<Event[]> {
  const all: Event[] = []
  for (let cursor: string | undefined; ; ) {
    const { events, next } = await client.listEvents({ ...filter, limit: PAGE_MAX, cursor }, { signal, retries: 0 })
    all.push(...events)
    if (events.length === 0) return all
    cursor = next
  }
}
