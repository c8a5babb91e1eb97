// Level `store`: what events say. A history of our own is read by its pet, so that others' events do not disturb.

import type { JsonObject } from '../../../contract/src/json.ts'
import { type Answer, textOf } from '../answer.ts'
import { addPet, seeded } from '../fixtures.ts'
import { cancel, complete, expectInstant, giveBack, orderBody, place, readOrder } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { Unjudged } from '../request.ts'
import { expired } from './reservations.ts'
import type { PromiseRow } from './shared/promise.ts'
import {
  type Check,
  documented,
  header,
  operation,
  parameter,
  reading,
  response,
  rowsOf,
  schema,
  writing,
} from './shared/rows.ts'

const row = rowsOf('store')
const PATH = '/store/events'
const LISTED = reading('events.list.success')
const HISTORY = writing('events.list.success', 'orders.return.success', 'orders.cancel.success')

/** A pet that was added, sold, returned, reserved again and released; each change was requested twice. */
export const history = (probe: Probe) =>
  probe.shared('history', async (own) => {
    const pet = await addPet(own, { status: 'available' })
    const petId = textOf(pet.object().get('id'))
    const order = async () => textOf((await place(own, orderBody(petId))).expectStatus(201).object().get('id'))
    const first = await order()
    for (const step of [complete, complete, giveBack, giveBack]) (await step(own, first)).expectStatus(200)
    const second = await order()
    for (const step of [cancel, cancel]) (await step(own, second)).expectStatus(204)
    const answer = (await own.get(`${PATH}?petId=${petId}&limit=100`)).expectStatus(200)
    return { pet, petId, first, second, answer, events: answer.objects() }
  })

const HAPPENED = ['pet.added', 'order.placed', 'order.completed', 'order.returned', 'order.placed', 'order.cancelled']
const PET_STATUSES = ['available', 'pending', 'sold', 'available', 'pending', 'available']
const ORDER_STATUSES = [undefined, 'pending', 'completed', 'returned', 'pending', 'cancelled']

/** That the events of the history have these values of a member, in this order. */
const have = (name: string, expected: readonly (string | undefined)[]): Check => {
  return async (probe) => {
    const { answer, events } = await history(probe)
    const actual = events.map((event) => (event.has(name) ? textOf(event.get(name)) : undefined))
    if (actual.join() !== expected.join())
      throw answer.broken(`${name}: ${expected.join(', ')}`, `${name}: ${actual.join(', ')}`)
  }
}

export const each = (expect: (answer: Answer, event: JsonObject) => void): Check => {
  return async (probe) => {
    const answer = (await probe.get(`${PATH}?limit=100`)).expectStatus(200)
    if (answer.array().length === 0) throw new Unjudged('Nothing has happened yet.')
    for (const event of answer.objects()) expect(answer, event)
  }
}

export const eventPromises: readonly PromiseRow[] = [
  row('events.list.success', 'GET /store/events answers 200 with a JSON array of objects.')
    .from(response('listEvents', 200))
    .check(async (probe) =>
      (await probe.get(PATH)).expectStatus(200).expectHeader('Content-Type', 'application/json').objects(),
    ),
  row('events.list.cache-control', 'Cache-Control is no-store, and there is no ETag.')
    .from(header('NoStore'), LISTED)
    .check(async (probe) =>
      (await probe.get(PATH)).expectHeader('Cache-Control', 'no-store').expectHeader('ETag', undefined),
    ),
  row('events.list.item.id', 'Each event has an id, an int64.')
    .from(schema('Event', 'id'), LISTED)
    .check(each((answer, event) => answer.expectInt64(event, 'id'))),
  row('events.list.item.type', 'Each event has a type.')
    .from(schema('Event', 'type'), LISTED)
    .check(each((answer, event) => answer.expectString(event, 'type'))),
  row('events.list.item.at', 'Each event has a time in UTC, with milliseconds.')
    .from(schema('Event', 'at'), LISTED)
    .check(each((answer, event) => expectInstant(answer, event, 'at'))),
  row('events.list.item.pet-id', 'Each event has a petId.')
    .from(schema('Event', 'petId'), LISTED)
    .check(each((answer, event) => answer.expectInt64(event, 'petId'))),
  row('events.list.order', 'The ids of events rise.')
    .from(schema('Event'), reading('events.list.item.id'))
    .check(async (probe) => {
      await seeded(probe)
      const answer = (await probe.get(`${PATH}?limit=100`)).expectStatus(200)
      const ids = answer.objects().map((event) => answer.expectInt64(event, 'id'))
      const wrong = ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] as bigint))
      if (wrong > 0) throw answer.broken('ids that rise', `id ${ids[wrong]} after ${ids[wrong - 1]}`)
    }),
  row('events.list.limit', 'A page has at most limit events, and 20 without it.')
    .from(parameter('listEvents', 'limit'), LISTED)
    .check(async (probe) => {
      await seeded(probe)
      for (const [query, most] of [
        ['', 20],
        ['?limit=2', 2],
        ['?limit=7', 7],
        ['?limit=19', 19],
      ] as const) {
        const answer = (await probe.get(PATH + query)).expectStatus(200)
        if (answer.array().length > most)
          throw answer.broken(`at most ${most} events`, `${answer.array().length} events`)
      }
    }),
  row('events.list.happened', 'Each change of a pet and its orders is one event, in its order; a repeat is none.')
    .from(documented('The store area', 'Events'), HISTORY)
    .check(have('type', HAPPENED)),
  row('events.list.pet-status', 'petStatus is that of the pet right after the event.')
    .from(schema('Event', 'petStatus'), writing('events.list.happened'))
    .check(have('petStatus', PET_STATUSES)),
  row('events.list.order-status', 'orderStatus is that of the order right after its event.')
    .from(schema('Event', 'orderStatus'), writing('events.list.happened'))
    .check(have('orderStatus', ORDER_STATUSES)),
  row('events.list.order-id', 'orderId is that of the order, in its events.')
    .from(schema('Event', 'orderId'), writing('events.list.happened'))
    .check(async (probe) => {
      const { first, second } = await history(probe)
      await have('orderId', [undefined, first, first, first, second, second])(probe)
    }),
  row('events.list.pet', 'pet.added has the pet as it was added.')
    .from(schema('Event', 'pet'), writing('events.list.happened'))
    .check(async (probe) => {
      const { pet, answer, events } = await history(probe)
      answer.expectMember(events[0] as JsonObject, 'pet', pet.object())
    }),
  row('events.list.by', 'by is the name of the API key that did it.')
    .from(schema('Event', 'by'), writing('events.list.happened'))
    .check(async (probe) => {
      const { answer, events } = await history(probe)
      for (const event of events)
        answer.expectString(event, 'by').expectMember(event, 'by', events[0]?.get('by') ?? null)
    }),
  row('events.list.at', 'at is the time that the order shows.')
    .from(documented('The store area', 'Events'), writing('events.list.happened'))
    .check(async (probe) => {
      const { second, answer, events } = await history(probe)
      const order = (await readOrder(probe, second)).object()
      answer.expectMember(events[4] as JsonObject, 'at', order.get('placedAt') ?? null)
      answer.expectMember(events[5] as JsonObject, 'at', order.get('changedAt') ?? null)
    }),
  row('events.list.expired', 'order.expired is an event, of nobody.')
    .from(schema('Event', 'by'), writing('events.list.happened', 'orders.expiry'))
    .check(async (probe) => {
      const { id } = await expired(probe)
      const answer = (await probe.get(`${PATH}?orderId=${id}`)).expectStatus(200)
      const last = answer.objects().at(-1) ?? new Map()
      answer.expectMember(last, 'type', 'order.expired')
      if (last.has('by')) throw answer.broken('no by', `by: ${textOf(last.get('by'))}`)
    }),
  row('events.list.constant', 'An event never changes.')
    .from(operation('listEvents', 'description'), writing('events.list.happened'))
    .check(async (probe) => {
      const { petId, answer } = await history(probe)
      const again = (await probe.get(`${PATH}?petId=${petId}&limit=100`)).expectStatus(200)
      if (again.text !== answer.text) throw again.broken(answer.text, again.text)
    }),
]
