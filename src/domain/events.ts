// The feed of events: what has happened in the store, in the order of its commits, and what every store promises of it.
// test/events.conformance.ts holds each store to it.

import type * as contract from '../contract/generated.ts'
import type { Query } from './lists.ts'

/** A place in the feed: behind the event with this id. An event that is added later always stands behind it. */
export interface EventPlace {
  /** What the place belongs to: another store, and a store that was restored, has another one. */
  readonly epoch: bigint
  readonly id: bigint
}

/** `beginning`: before the first event. `now`: behind the last one. A time: before the first event that is not earlier. */
export type EventStart = 'beginning' | 'now' | number

export type EventFilter = Query<Omit<contract.Operations['listEvents']['parameters'], 'from' | 'wait'>> & {
  readonly after: EventPlace
}

export interface EventPage {
  /** The events as a JSON array, as the contract writes them. */
  readonly json: string
  readonly count: number
  /** Where to go on, also when nothing follows yet. */
  readonly next: EventPlace
}

export interface EventStore {
  /**
   * Events after a place, in the order of the commits, at most `limit`. An event is there exactly when its change is, whoever
   * made that. Ids rise, and an event never changes. Rejects with `cursor_expired` where the place is of another epoch.
   */
  listEvents(filter: EventFilter): Promise<EventPage>

  findPlace(start: EventStart): Promise<EventPlace>

  /** From now on, places that were given before are of another epoch. */
  beginEpoch(): Promise<void>
}
