// Reads the feed of events page by page.

import type { Event } from '../../packages/contract/src/generated.ts'
import { int64FromJson, type Json, JsonNumber, parseJson } from '../../packages/contract/src/json.ts'
import {
  type EventFilter,
  type EventPosition,
  type EventStore,
  markOf,
} from '../../packages/service/src/domain/events.ts'

export type Feed = Pick<EventStore, 'listEvents'>

/** A filter for events after this position, or from the beginning. */
export function eventFilter(after: EventPosition | undefined, fields: Partial<EventFilter> = {}): EventFilter {
  const none = { petId: undefined, orderId: undefined, type: undefined, to: undefined }
  return { limit: 20, ...none, sort: 'oldest', from: 'beginning', ...fields, after }
}

/** Parses events, with numbers as bigint. */
export function eventsOf(json: string): Event[] {
  const plain = (value: Json): unknown => {
    if (value instanceof JsonNumber) return int64FromJson(value.text)
    if (Array.isArray(value)) return value.map(plain)
    return value instanceof Map ? Object.fromEntries([...value].map(([name, one]) => [name, plain(one)])) : value
  }
  return plain(parseJson(json)) as Event[]
}

export function placeOf(event: Event, epoch: bigint): EventPosition {
  return { epoch, id: event.id, mark: markOf({ ...event, at: Date.parse(event.at) }) }
}

/** All events that match `fields`. */
export async function allEvents(feed: Feed, fields: Partial<EventFilter> = {}): Promise<Event[]> {
  const events: Event[] = []
  for (let { after } = fields; ; ) {
    const page = await feed.listEvents(eventFilter(after, fields))
    if (page.count === 0) return events
    events.push(...eventsOf(page.json))
    after = page.next
  }
}

/** The inventory according to the last event of each pet. */
export function inventoryOf(events: readonly Event[]): Record<string, bigint> {
  const last = new Map(events.map((event) => [event.petId, event.petStatus]))
  const count = (status: string) => BigInt([...last.values()].filter((one) => one === status).length)
  return { available: count('available'), pending: count('pending'), sold: count('sold') }
}
