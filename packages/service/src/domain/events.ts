// The feed of events: what has happened in the store, in the order of its commits, and what every store promises of it.
// packages/service/test/store/sequences/ and conformance.ts beside it hold each store to it.

import type * as contract from '../../../contract/src/generated.ts'
import type { KeyId } from './keys.ts'
import type { Query } from './lists.ts'
import type { OrderTerms } from './orders.ts'
import type { Pet } from './pets.ts'
import { PetstoreError } from './petstore-error.ts'

/** A position in the feed: that of the event with this id; 0 is before the first one. */
export interface EventPosition {
  /** What the position belongs to: another store, and a store that was restored, has another one. */
  readonly epoch: bigint
  readonly id: bigint
  /** Of the event (`markOf`); `undefined` only before the first event. */
  readonly mark: number | undefined
}

/** 32 bits of what an event says. Another event that is given the id, after a database has lost this one, has other ones. */
export function markOf(event: { type: string; at: number; petId: bigint; orderId?: bigint | undefined }): number {
  return Bun.hash.crc32([event.type, event.at, event.petId, event.orderId].join(' '))
}

/** `beginning`: before the first event. `now`: behind the last one. A time: before the first event that is not earlier. */
export type EventStart = 'beginning' | 'now' | number

/** With `newest` the page begins where an `oldest` one ends: at `to`, or right before the event of `after`, and goes down to `from`. */
export type EventFilter = Query<Omit<contract.Operations['listEvents']['parameters'], 'from' | 'to' | 'wait'>> & {
  readonly from: EventStart
  /** Milliseconds since 1970. */
  readonly to: number | undefined
  /** Instead of what `from` or, with `newest`, `to` says. */
  readonly after: EventPosition | undefined
}

export interface EventPage {
  /** The events as a JSON array, as the contract writes them. */
  readonly json: string
  readonly count: number
  /** Where to go on, also when nothing follows yet. */
  readonly next: EventPosition
  /** Whether nothing will ever follow, because an event is not before `to`. */
  readonly ended: boolean
}

export function cursorExpired(): PetstoreError {
  return new PetstoreError(
    'cursor_expired',
    'The store was restored or copied, or has lost events, since this cursor was given. Begin again without a cursor.',
  )
}

export interface EventStore {
  /**
   * Events after a position, in the order of the commits, at most `limit`. An event is there exactly when its change is, whoever
   * made that. Ids rise, and an event never changes. Rejects with `cursor_expired` where the position is of another epoch, or its event
   * is not there or another one.
   */
  listEvents(filter: EventFilter): Promise<EventPage>

  /** The position of the last event. */
  findEnd(): Promise<EventPosition>

  /** From now on, positions of this epoch have expired. Does nothing where it is over. */
  endEpoch(epoch: bigint): Promise<void>
}

/** What a store writes down of an event, in the transaction of its change. */
export interface NewEvent {
  readonly type: contract.EventType
  readonly at: number
  /** `null` where the service itself did it. */
  readonly by: KeyId | null
  readonly petId: bigint
  readonly orderId?: bigint
  /** The pet as the event shows it. */
  readonly pet?: Pet
  /** The terms of the order right after it, if it was placed or changed. */
  readonly terms?: OrderTerms
}
