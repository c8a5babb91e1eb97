// Events as rows of a CSV file: the same columns in the page's export of a day and in `petstore events export`.

import type { Event } from '../../client/src/responses.ts'
import type { Order } from '../../contract/src/generated.ts'
import { localSecond } from './local-time.ts'

/** `time` is local, for people; `at` is exact. */
export const EVENT_COLUMNS = ['time', 'type', 'petId', 'petName', 'orderId', 'reference', 'by', 'net', 'at'] as const

export type EventRow = Record<(typeof EVENT_COLUMNS)[number], unknown>

/** The events that change how many pets are sold, and by how many. */
export const NET_SOLD: Readonly<Record<string, number>> = { 'order.completed': 1, 'order.returned': -1 }

/** `order`: the event's, as it is now. It has the terms of an event that has none: nothing edits an order after its sale. */
export function eventRow(event: Event, order: Order | undefined): EventRow {
  const { at, type, petId, pet, orderId, terms, by } = event
  return {
    time: localSecond(at),
    type,
    petId,
    petName: pet?.name ?? order?.petName,
    orderId,
    reference: (terms ?? order)?.reference,
    by,
    net: NET_SOLD[type],
    at,
  }
}
