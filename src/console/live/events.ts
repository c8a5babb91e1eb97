// Reads the service's feed of events, a page at a time.

import { sendRequest } from '../../client/request.ts'
import { arrayOf, cursorTo, readJson, toPet } from '../../client/responses.ts'
import type { Event } from '../../contract/generated.ts'
import { int64FromJson } from '../../json/int64.ts'
import { type Json, JsonNumber } from '../../json/json.ts'

export type { Event } from '../../contract/generated.ts'

export interface EventFilter {
  /** Where to begin: `now`, or a date and time. Not together with `cursor`. */
  from?: string | undefined
  cursor?: string | undefined
  petId?: bigint | undefined
  orderId?: bigint | undefined
  limit?: number | undefined
  /** How many seconds the service may wait for the first event. */
  wait?: number | undefined
}

export interface EventPage {
  events: Event[]
  /** Where to go on, also when nothing follows yet. */
  next: string | undefined
}

export type ReadEvents = (filter: EventFilter, signal?: AbortSignal) => Promise<EventPage>

const TIMEOUT_MS = 10_000

/** Rejects as a call of the client does. */
export function eventReader(apiKey: string, fetch: (url: string, init: RequestInit) => Promise<Response>): ReadEvents {
  return async (filter, signal) => {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value))
    const init = { headers: { Accept: 'application/json', Authorization: `Bearer ${apiKey}` } }
    const timeoutMs = TIMEOUT_MS + (filter.wait ?? 0) * 1_000
    const options = { fetch, timeoutMs, retries: 0, signal }
    const { response, text } = await sendRequest('./v1', `/store/events?${query}`, init, options)
    return { events: readJson(response, text, arrayOf(toEvent)), next: cursorTo('next', response) }
  }
}

/** Its fields as they are: the page reads only those that it knows. Throws where it is no object. */
function toEvent(json: Json): Event {
  if (!(json instanceof Map)) throw new SyntaxError('expected an object')
  const value = (field: Json) => (field instanceof JsonNumber ? int64FromJson(field.text) : field)
  const fields = [...json].map(([name, field]) => [name, name === 'pet' ? toPet(field) : value(field)])
  return Object.fromEntries(fields)
}
