// Events as CSV rows, with the same columns in the page's export of a day and in `petstore events export`.

import type { Event } from '../../client/src/responses.ts'
import type { Order } from '../../contract/src/generated.ts'
import { localSecond } from './local-time.ts'

/** `time` is local time, for people; `at` is exact. */
export const EVENT_COLUMNS = ['time', 'type', 'petId', 'petName', 'orderId', 'reference', 'by', 'net', 'at'] as const

/** The change in the number of sold pets, by event type. */
export const NET_SOLD: Readonly<Record<string, number>> = { 'order.completed': 1, 'order.returned': -1 }

/** `order`: the current state of the event's order, for events of earlier versions, which lack the pet or the terms. */
export function eventRow(event: Event, order: Order | undefined) {
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
  } satisfies Record<(typeof EVENT_COLUMNS)[number], unknown>
}

export type EventRow = ReturnType<typeof eventRow>
