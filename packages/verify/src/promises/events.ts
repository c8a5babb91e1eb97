// Level `store`: the content of events. Checks read the events of a test pet, so other clients' events do not matter.

import type { Json, JsonObject } from '../../../contract/src/json.ts'
import { number, textOf } from '../answer.ts'
import { addPet } from '../fixtures.ts'
import { expectAdditions, moves, orderBody, place, readOrder } from '../orders.ts'
import { seeded } from '../pet-lists.ts'
import type { Probe } from '../probe.ts'
import { expectSchema } from './errors.ts'
import { expired } from './reservations.ts'
import { limits } from './shared/lists.ts'
import { header, ofStore, operation, parameter, reading, response, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')
export const EVENTS = '/store/events'
const LISTED = reading('events.list.success')
const HAPPENED = writing('events.list.happened')

/** The events of a pet that was added, sold, returned, reserved and released. Each change was requested twice. */
export const history = (probe: Probe) =>
  probe.shared('history', async (own) => {
    const pet = await addPet(own, { status: 'available' })
    const petId = pet.id
    const order = async () => (await place(own, orderBody(petId))).expectStatus(201).id
    const first = await order()
    for (const step of [moves.complete, moves.complete, moves.return, moves.return])
      (await step(own, first)).expectStatus(200)
    const second = await order()
    for (const step of [moves.cancel, moves.cancel]) (await step(own, second)).expectStatus(204)
    const answer = await own.read(`${EVENTS}?petId=${petId}&limit=100`)
    return { pet, petId, first, second, answer, events: answer.objects() }
  })

const TYPES = ['pet.added', 'order.placed', 'order.completed', 'order.returned', 'order.placed', 'order.cancelled']
const PET_STATUSES = ['available', 'pending', 'sold', 'available', 'pending', 'available']
const ORDER_STATUSES = [undefined, 'pending', 'completed', 'returned', 'pending', 'cancelled']

export const eventPromises = [
  row('events.list.success', 'GET /store/events returns 200 with a JSON array of objects.')
    .from(response('listEvents', 200))
    .check(async (probe) => (await probe.read(EVENTS)).objects()),
  row('events.list.cache-control', 'The response has Cache-Control: no-store and no ETag.')
    .from(header('NoStore'), LISTED)
    .check(async (probe) =>
      (await probe.read(EVENTS)).expectHeader('Cache-Control', 'no-store').expectHeader('ETag', undefined),
    ),
  row('events.list.item', 'Each event has int64 id and petId, a type, and a time in UTC with milliseconds.')
    .from(schema('Event', 'id', 'type', 'at', 'petId'), LISTED)
    .check(async (probe) => {
      await seeded(probe)
      const answer = await probe.read(`${EVENTS}?limit=100`)
      if (answer.array().length === 0) throw probe.unjudged('There are no events yet.')
      expectSchema(answer)
    }),
  row('events.list.order', 'The ids of events increase.')
    .from(schema('Event'), reading('events.list.item'))
    .check(async (probe) => {
      await seeded(probe)
      ;(await probe.read(`${EVENTS}?limit=100`)).expectOrder()
    }),
  row('events.list.limit', 'A page has at most limit events; the default limit is 20.')
    .from(parameter('listEvents', 'limit'), LISTED)
    .check(limits(EVENTS, seeded)),
  row('events.list.happened', 'Each change of a pet and its orders is one event, in order. A repeat adds none.')
    .from(ofStore('Events'), writing('events.list.pet-filter', 'events.list.order'))
    .check(async (probe) => {
      const { answer, events } = await history(probe)
      const types = events.map((event) => textOf(event.get('type')))
      answer.expect(types.join() === TYPES.join(), `type: ${TYPES.join(', ')}`, `type: ${types.join(', ')}`)
    }),
  row('events.list.says', "An event has both statuses after the change, its time, and the API key's name.")
    .from(schema('Event', 'petStatus', 'orderStatus', 'orderId', 'pet', 'by'), HAPPENED)
    .check(async (probe) => {
      const { pet, first, second, answer, events } = await history(probe)
      const orders = [undefined, first, first, first, second, second]
      for (const [n, event] of events.entries()) {
        const orderId = orders[n]
        answer
          .expectMember('petId', pet.object().get('id'), event)
          .expectMember('petStatus', PET_STATUSES[n], event)
          .expectMember('orderId', orderId === undefined ? undefined : number(orderId), event)
          .expectMember('orderStatus', ORDER_STATUSES[n], event)
          .expectString('by', event)
          .expectMember('by', events[0]?.get('by'), event)
      }
      answer.expectMember('pet', pet.object(), events[0])
      const order = (await readOrder(probe, second)).object()
      answer.expectMember('at', order.get('placedAt'), events[4]).expectMember('at', order.get('changedAt'), events[5])
    }),
  row('events.order-pet', 'GET /store/events: Each event of an order has the pet and the terms right after it.')
    .from(schema('Event', 'pet', 'terms'), HAPPENED)
    .check(async (probe) => {
      await expectAdditions(probe)
      const { pet, first, second, answer, events } = await history(probe)
      const terms: Record<string, Json> = {}
      for (const id of [first, second])
        terms[id] = new Map([['reference', (await readOrder(probe, id)).object().get('reference') ?? null]])
      for (const [n, event] of events.entries()) {
        if (n === 0) continue
        const shown = new Map(pet.object()).set('status', PET_STATUSES[n] ?? null)
        answer.expectMember('pet', shown, event).expectMember('terms', terms[textOf(event.get('orderId'))], event)
      }
    }),
  row('events.list.expired', 'An expiry is an order.expired event without by.')
    .from(schema('Event', 'by'), writing('events.list.happened', 'orders.expiry'))
    .check(async (probe) => {
      const { id } = await expired(probe)
      const answer = await probe.read(`${EVENTS}?orderId=${id}`)
      const last: JsonObject = answer.objects().at(-1) ?? new Map()
      answer.expectMember('type', 'order.expired', last).expectMember('by', undefined, last)
    }),
  row('events.list.constant', 'An event never changes.')
    .from(operation('listEvents', 'description'), HAPPENED)
    .check(async (probe) => {
      const { petId, answer } = await history(probe)
      ;(await probe.read(`${EVENTS}?petId=${petId}&limit=100`)).expectText(answer.text)
    }),
]
