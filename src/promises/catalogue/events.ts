// Level `store`: the feed of events. A history of our own is read by its pet, so that others' events do not disturb.

import type { JsonObject } from '../../json/json.ts'
import { parseJson } from '../../json/json.ts'
import { type Answer, sameValue, textOf } from '../answer.ts'
import { Unjudged } from '../asked.ts'
import { absentId, addPet, STATUSES } from '../fixtures.ts'
import { cancel, complete, expectInstant, giveBack, newPetId, orderBody, place, readOrder } from '../orders.ts'
import type { Probe } from '../probe.ts'
import type { PromiseRow } from '../promise.ts'
import { follow, linkOf } from './pages.ts'
import { refusedValues, WRONG_IDS, WRONG_LIMITS, type WrongValues } from './parameters.ts'
import { after, expired } from './place-order.ts'
import { answers, type Check, documented, header, operation, parameter, rowsOf, schema, writing } from './rows.ts'

const row = rowsOf('store')
const PATH = '/store/events'
const WALKED_PAGES_MAX = 50
const LISTED = { after: ['events.list.success'] }
const HISTORY = writing('events.list.success', 'orders.return.success', 'orders.cancel.success')

/** A pet that was added, sold, returned, reserved again and released; each change was asked for twice. */
const history = (probe: Probe) =>
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

const each = (expect: (answer: Answer, event: JsonObject) => void): Check => {
  return async (probe) => {
    const answer = (await probe.get(`${PATH}?limit=100`)).expectStatus(200)
    if (answer.array().length === 0) throw new Unjudged('Nothing has happened yet.')
    for (const event of answer.objects()) expect(answer, event)
  }
}

const events = [
  row(
    'events.list.success',
    'GET /store/events answers 200 with a JSON array of objects.',
    operation('listEvents', 'responses', '200'),
    async (probe) => {
      ;(await probe.get(PATH)).expectStatus(200).expectHeader('Content-Type', 'application/json').objects()
    },
  ),
  row(
    'events.list.cache-control',
    'Cache-Control is no-store, and there is no ETag.',
    header('NoStore'),
    async (probe) => {
      ;(await probe.get(PATH)).expectHeader('Cache-Control', 'no-store').expectHeader('ETag', undefined)
    },
    LISTED,
  ),
  row(
    'events.list.item.id',
    'Each event has an id, an int64.',
    schema('Event', 'id'),
    each((answer, event) => answer.expectInt64(event, 'id')),
    LISTED,
  ),
  row(
    'events.list.item.type',
    'Each event has a type.',
    schema('Event', 'type'),
    each((answer, event) => answer.expectString(event, 'type')),
    LISTED,
  ),
  row(
    'events.list.item.at',
    'Each event has a time in UTC, with milliseconds.',
    schema('Event', 'at'),
    each((answer, event) => expectInstant(answer, event, 'at')),
    LISTED,
  ),
  row(
    'events.list.item.pet-id',
    'Each event has a petId.',
    schema('Event', 'petId'),
    each((answer, event) => answer.expectInt64(event, 'petId')),
    LISTED,
  ),
  row(
    'events.list.order',
    'The ids of events rise.',
    schema('Event'),
    async (probe) => {
      const answer = (await probe.get(`${PATH}?limit=100`)).expectStatus(200)
      const ids = answer.objects().map((event) => answer.expectInt64(event, 'id'))
      const wrong = ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] as bigint))
      if (wrong > 0) throw answer.broken('ids that rise', `id ${ids[wrong]} after ${ids[wrong - 1]}`)
    },
    { after: ['events.list.item.id'] },
  ),
  row(
    'events.list.limit',
    'A page has at most limit events, and 20 without it.',
    parameter('listEvents', 'limit'),
    async (probe) => {
      for (const [query, most] of [
        ['', 20],
        ['?limit=2', 2],
      ] as const) {
        const answer = (await probe.get(PATH + query)).expectStatus(200)
        if (answer.array().length > most)
          throw answer.broken(`at most ${most} events`, `${answer.array().length} events`)
      }
    },
    LISTED,
  ),
  row(
    'events.list.happened',
    'Each change of a pet and its orders is one event, in its order; a repeat is none.',
    documented('The store area', 'Events'),
    have('type', HAPPENED),
    HISTORY,
  ),
  row(
    'events.list.pet-status',
    'petStatus is that of the pet right after the event.',
    schema('Event', 'petStatus'),
    have('petStatus', PET_STATUSES),
    writing('events.list.happened'),
  ),
  row(
    'events.list.order-status',
    'orderStatus is that of the order right after its event.',
    schema('Event', 'orderStatus'),
    have('orderStatus', ORDER_STATUSES),
    writing('events.list.happened'),
  ),
  row(
    'events.list.order-id',
    'orderId is that of the order, in its events.',
    schema('Event', 'orderId'),
    async (probe) => {
      const { first, second } = await history(probe)
      await have('orderId', [undefined, first, first, first, second, second])(probe)
    },
    writing('events.list.happened'),
  ),
  row(
    'events.list.pet',
    'pet.added has the pet as it was added.',
    schema('Event', 'pet'),
    async (probe) => {
      const { pet, answer, events } = await history(probe)
      answer.expectMember(events[0] as JsonObject, 'pet', pet.object())
    },
    writing('events.list.happened'),
  ),
  row(
    'events.list.by',
    'by is the name of the API key that did it.',
    schema('Event', 'by'),
    async (probe) => {
      const { answer, events } = await history(probe)
      for (const event of events)
        answer.expectString(event, 'by').expectMember(event, 'by', events[0]?.get('by') ?? null)
    },
    writing('events.list.happened'),
  ),
  row(
    'events.list.at',
    'at is the time that the order shows.',
    documented('The store area', 'Events'),
    async (probe) => {
      const { second, answer, events } = await history(probe)
      const order = (await readOrder(probe, second)).object()
      answer.expectMember(events[4] as JsonObject, 'at', order.get('placedAt') ?? null)
      answer.expectMember(events[5] as JsonObject, 'at', order.get('changedAt') ?? null)
    },
    writing('events.list.happened'),
  ),
  row(
    'events.list.expired',
    'order.expired is an event, of nobody.',
    schema('Event', 'by'),
    async (probe) => {
      const { id } = await expired(probe)
      const answer = (await probe.get(`${PATH}?orderId=${id}`)).expectStatus(200)
      const last = answer.objects().at(-1) ?? new Map()
      answer.expectMember(last, 'type', 'order.expired')
      if (last.has('by')) throw answer.broken('no by', `by: ${textOf(last.get('by'))}`)
    },
    writing('events.list.happened', 'orders.expiry'),
  ),
  row(
    'events.list.constant',
    'An event never changes.',
    operation('listEvents', 'description'),
    async (probe) => {
      const { petId, answer } = await history(probe)
      const again = (await probe.get(`${PATH}?petId=${petId}&limit=100`)).expectStatus(200)
      if (again.text !== answer.text) throw again.broken(answer.text, again.text)
    },
    writing('events.list.happened'),
  ),
]

/** Where a page says to go on. */
const placeOf = (page: Answer): string => {
  const target = linkOf(page, 'next')
  if (target === undefined) throw page.broken('Link with rel="next"', `Link: ${page.header('Link') ?? 'none'}`)
  return target
}
const QUERIES = ['', '?from=now', '?petId=0&limit=3']

/** The events from this page on, along the links. */
async function walked(probe: Probe, start: Answer): Promise<JsonObject[]> {
  const all = [...start.objects()]
  let page = start
  for (let n = 0; n < WALKED_PAGES_MAX && page.array().length > 0; n++) {
    page = (await follow(probe, placeOf(page))).expectStatus(200)
    all.push(...page.objects())
  }
  if (page.array().length > 0) throw new Unjudged('Too much has happened to be read.')
  return all
}
const idsOf = (all: readonly JsonObject[]) => all.map((event) => textOf(event.get('id'))).join()

const places = [
  row(
    'events.list.next',
    'Link has rel="next" on every page, also on an empty one.',
    header('NextEventsLink'),
    async (probe) => {
      for (const query of QUERIES) placeOf((await probe.get(PATH + query)).expectStatus(200))
    },
    LISTED,
  ),
  row(
    'events.list.next.parameters',
    'The target is relative; it repeats limit and filters, and neither from nor wait.',
    header('NextEventsLink'),
    async (probe) => {
      const query = 'limit=3&petId=5&orderId=6'
      const page = (await probe.get(`${PATH}?${query}&from=beginning&wait=0`)).expectStatus(200)
      const expected = `${probe.target.baseUrl.pathname}${PATH}?${query}&cursor=`
      const [target, cursor] = placeOf(page).split('cursor=')
      if (`${target}cursor=` !== expected || !cursor || cursor.includes('&'))
        throw page.broken(`${expected}…`, placeOf(page))
    },
    { after: ['events.list.next'] },
  ),
  row(
    'events.list.next.follow',
    'Along the links each event comes once.',
    operation('listEvents', 'description'),
    async (probe) => {
      const { petId, answer, events } = await history(probe)
      const all = await walked(probe, (await probe.get(`${PATH}?petId=${petId}&limit=4`)).expectStatus(200))
      if (idsOf(all) !== idsOf(events))
        throw answer.broken(`ids ${idsOf(events)}`, `along the links: ids ${idsOf(all)}`)
    },
    writing('events.list.happened', 'events.list.next.parameters'),
  ),
  row(
    'events.list.next.later',
    'What happens later is behind the place where a reader stands.',
    operation('listEvents', 'description'),
    async (probe) => {
      const page = (await probe.get(`${PATH}?from=now&limit=100`)).expectStatus(200)
      const petId = await newPetId(probe)
      const later = await walked(probe, (await follow(probe, placeOf(page))).expectStatus(200))
      if (!later.some((event) => textOf(event.get('petId')) === petId))
        throw page.broken(`an event of pet ${petId} behind it`, `${later.length} events of others`)
    },
    writing('events.list.happened', 'events.list.next'),
  ),
  row(
    'events.list.from.now',
    'from=now begins behind the last event.',
    parameter('listEvents', 'from'),
    async (probe) => {
      const { petId } = await history(probe)
      for (const from of ['now', encodeURIComponent(await after(probe, 3_600_000))]) {
        const page = (await probe.get(`${PATH}?petId=${petId}&from=${from}`)).expectStatus(200)
        if (page.array().length > 0) throw page.broken('[]', page.text)
      }
    },
    writing('events.list.happened'),
  ),
  row(
    'events.list.from.time',
    'from with a time begins at the first event that is not earlier.',
    parameter('listEvents', 'from'),
    async (probe) => {
      const { petId, events } = await history(probe)
      const at = textOf(events[4]?.get('at'))
      const page = (await probe.get(`${PATH}?petId=${petId}&limit=100&from=${encodeURIComponent(at)}`)).expectStatus(
        200,
      )
      const expected = events.filter((event) => textOf(event.get('at')) >= at)
      if (idsOf(page.objects()) !== idsOf(expected))
        throw page.broken(`ids ${idsOf(expected)}`, `ids ${idsOf(page.objects())}`)
    },
    writing('events.list.happened'),
  ),
  row(
    'events.list.from.beginning',
    'from=beginning is the same as no from.',
    parameter('listEvents', 'from'),
    async (probe) => {
      const [plain, page] = [await probe.get(`${PATH}?limit=3`), await probe.get(`${PATH}?limit=3&from=beginning`)]
      if (plain.array().length === 3 && page.expectStatus(200).text !== plain.text)
        throw page.broken(plain.text, page.text)
    },
    LISTED,
  ),
  row(
    'events.list.pet-filter',
    'With petId, only the events of this pet; [] when no pet has it.',
    parameter('listEvents', 'petId'),
    async (probe) => {
      const { petId, answer, events } = await history(probe)
      for (const event of events) answer.expectMember(event, 'petId', parseJson(petId))
      const none = (await probe.get(`${PATH}?petId=${absentId()}`)).expectStatus(200)
      if (none.array().length > 0) throw none.broken('[]', none.text)
    },
    HISTORY,
  ),
  row(
    'events.list.order-filter',
    'With orderId, only the events of this order; [] when no order has it.',
    parameter('listEvents', 'orderId'),
    async (probe) => {
      const { second, events } = await history(probe)
      const page = (await probe.get(`${PATH}?orderId=${second}`)).expectStatus(200)
      if (idsOf(page.objects()) !== idsOf(events.slice(4)))
        throw page.broken(`ids ${idsOf(events.slice(4))}`, `ids ${idsOf(page.objects())}`)
      const none = (await probe.get(`${PATH}?orderId=${absentId()}`)).expectStatus(200)
      if (none.array().length > 0) throw none.broken('[]', none.text)
    },
    writing('events.list.happened'),
  ),
  row(
    'events.list.wait',
    'With wait, an empty page comes only after that time.',
    parameter('listEvents', 'wait'),
    async (probe) => {
      const startedAt = performance.now()
      const page = (await probe.get(`${PATH}?from=now&wait=1&petId=${absentId()}`)).expectStatus(200)
      const ms = Math.round(performance.now() - startedAt)
      if (page.array().length === 0 && ms < 900) throw page.broken('an empty page after 1 second', `one after ${ms} ms`)
    },
    LISTED,
  ),
  row(
    'events.list.wait.woken',
    'With wait, an event comes as soon as it has happened.',
    parameter('listEvents', 'wait'),
    async (probe) => {
      const seconds = Math.floor(Math.min(30, probe.target.timeoutMs / 1000 - 2))
      if (seconds < 3) throw new Unjudged('The time for one request is too short to wait.')
      const petId = await newPetId(probe)
      const waiting = probe.get(`${PATH}?from=now&wait=${seconds}&petId=${petId}`)
      await Bun.sleep(300)
      ;(await place(probe, orderBody(petId))).expectStatus(201)
      const page = (await waiting).expectStatus(200)
      if (page.array().length === 0) throw page.broken('the event', `[] after ${seconds} seconds`)
    },
    writing('events.list.happened', 'events.list.wait'),
  ),
  row(
    'events.list.head',
    'HEAD answers as GET does, without the body.',
    'RFC 9110, section 9.3.2',
    answers(`HEAD ${PATH}`, 200),
    LISTED,
  ),
  row(
    'events.list.read-only',
    'A read-only key reads events.',
    documented('Keys', 'Scope'),
    answers(`GET ${PATH}`, 200, undefined, { key: 'read-only' }),
    { needs: ['read-only key'], after: ['events.list.success'] },
  ),
  row(
    'events.list.inventory',
    'The last events of all pets, counted by petStatus, are the inventory.',
    operation('listEvents', 'description'),
    async (probe) => {
      const inventory = (await probe.get('/store/inventory')).expectStatus(200)
      const last = new Map(
        (await walked(probe, (await probe.get(`${PATH}?limit=100`)).expectStatus(200))).map((event) => [
          textOf(event.get('petId')),
          event,
        ]),
      )
      const again = (await probe.get('/store/inventory')).expectStatus(200)
      if (!sameValue(inventory.object(), again.object())) throw new Unjudged('Others write at the same time.')
      for (const status of STATUSES) {
        const count = [...last.values()].filter((event) => event.get('petStatus') === status).length
        if (textOf(again.object().get(status)) !== String(count))
          throw again.broken(
            `${status}: ${count}, as the events say`,
            `${status}: ${textOf(again.object().get(status))}`,
          )
      }
    },
    { after: ['events.list.next', 'inventory.get.success'], alone: true },
  ),
]

const WRONG_WAITS: WrongValues = {
  'too-long': ['31', 'wait=31'],
  negative: ['-1', 'wait=-1', 'too-long'],
  text: ['long', 'A wait that is no number'],
  twice: ['1&NAME=1', 'wait given twice'],
}
const WRONG_PLACES: WrongValues = {
  empty: ['', 'An empty from', 'text'],
  text: ['then', 'A from that is no time'],
  date: ['2026-11-21', 'A from without a time', 'text'],
  'no-offset': ['2026-11-21T18:00:00', 'A from without an offset', 'text'],
  'no-day': ['2026-02-30T18:00:00Z', 'A from on 30 February', 'text'],
  twice: ['now&NAME=now', 'from given twice'],
}
const WRONG_CURSORS: WrongValues = {
  invalid: ['x', 'A cursor that is none'],
  'other-list': ['AAAAAAAAABRSC4o', 'A cursor of another list', 'invalid'],
  'made-up': ['AAAAAAAAAAAAAAAAAAAAAAAA', 'A cursor that was not handed out', 'invalid'],
}
const wrong = (end: string, name: string, values: WrongValues) =>
  refusedValues('store', `events.list.${end}`, 'listEvents', [PATH, name], values)

const refused = [
  ...wrong('limit', 'limit', WRONG_LIMITS),
  ...wrong('pet-filter', 'petId', WRONG_IDS),
  ...wrong('order-filter', 'orderId', WRONG_IDS),
  ...wrong('wait', 'wait', WRONG_WAITS),
  ...wrong('from', 'from', WRONG_PLACES),
  ...wrong('cursor', 'cursor', WRONG_CURSORS),
  row(
    'events.list.cursor.filter',
    'A cursor marks a place in the feed: limit and filters may change.',
    parameter('listEvents', 'cursor'),
    async (probe) => {
      const { petId, events } = await history(probe)
      const start = (await probe.get(`${PATH}?petId=${petId}&limit=1`)).expectStatus(200)
      const [, cursor] = placeOf(start).split('cursor=')
      const page = (
        await probe.get(`${PATH}?orderId=${textOf(events[1]?.get('orderId'))}&limit=50&cursor=${cursor}`)
      ).expectStatus(200)
      const expected = events.slice(1, 4)
      if (idsOf(page.objects()) !== idsOf(expected))
        throw page.broken(`ids ${idsOf(expected)}`, `ids ${idsOf(page.objects())}`)
    },
    writing('events.list.happened', 'events.list.next.parameters', 'events.list.order-filter'),
  ),
  row(
    'events.list.cursor.from',
    'cursor and from together: 400 invalid_parameter.',
    parameter('listEvents', 'cursor'),
    async (probe) => {
      const target = placeOf((await probe.get(PATH)).expectStatus(200))
      ;(await follow(probe, `${target}&from=now`)).expectError(400, 'invalid_parameter')
    },
    { after: ['events.list.next.parameters'] },
  ),
]

export const eventPromises: readonly PromiseRow[] = [...events, ...places, ...refused]
