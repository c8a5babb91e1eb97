// Reads the service's feed of events, a page at a time. Who reads tries again in its own way.

import type { EventPage, EventFilter as Filter, PetstoreClient } from '../../../client/src/petstore.ts'

export type { Event } from '../../../client/src/petstore.ts'

export type EventFilter = Filter & { cursor?: string | undefined }
export type ReadEvents = (filter: EventFilter, signal?: AbortSignal) => Promise<EventPage>

/** Rejects as a call of the client does. */
export function eventReader(client: PetstoreClient): ReadEvents {
  return (filter, signal) => client.listEvents(filter, { signal, retries: 0 })
}
