// Level `store`: reading the event feed: links, start, waiting, filters, cursors, and invalid values of these.

import { WAIT_MAX_S } from '../../../contract/src/generated.ts'
import type { JsonObject } from '../../../contract/src/json.ts'
import { type Answer, textOf } from '../answer.ts'
import { absentId, STATUSES } from '../fixtures.ts'
import { newPetId, orderBody, place } from '../orders.ts'
import { seeded } from '../pet-lists.ts'
import type { Probe } from '../probe.ts'
import { EVENTS, history } from './events.ts'
import { whileQuiet } from './inventory.ts'
import { follow, nextBelowBase, targetOf } from './shared/links.ts'
import { type Check, contract, header, operation, parameter, racing, reading, rowsOf, writing } from './shared/rows.ts'
import { parameterRows } from './shared/wrong-rows.ts'

const row = rowsOf('store')
const WALKED_PAGES_MAX = 50
/** A server that only looks for events when `wait` ends returns the event later than this before the end. */
const WOKEN_EARLIER_MS = 2_000
const LISTED = reading('events.list.success')
const HAPPENED = writing('events.list.happened')
const HISTORY = writing('events.list.success', 'orders.return.success', 'orders.cancel.success')

const nextOf = (page: Answer) => targetOf(page, 'next')

/** Resolves with the events from this page on, following the links. */
async function walked(probe: Probe, start: Answer): Promise<JsonObject[]> {
  const all = [...start.objects()]
  let page = start
  for (let n = 0; n < WALKED_PAGES_MAX && page.array().length > 0; n++) {
    page = (await follow(probe, page, nextOf(page))).expectStatus(200)
    all.push(...page.objects())
  }
  if (page.array().length > 0) throw probe.unjudged('There are too many events to read.')
  return all
}

const idsOf = (all: readonly JsonObject[]) => all.map((event) => textOf(event.get('id')))

type History = Awaited<ReturnType<typeof history>>
/** A query, and the events of the history that it selects. */
type Selection = readonly [query: string, selected: readonly JsonObject[]]
type Selections = (of: History, probe: Probe) => Promise<Selection[]> | Selection[]

/** Expects each query to select its events. */
const selects = (selections: Selections): Check => {
  return async (probe) => {
    for (const [query, selected] of await selections(await history(probe), probe))
      (await probe.read(`${EVENTS}?limit=100&${query}`)).expectIds(idsOf(selected))
  }
}
/** A row about what these parameters select from the events of a pet. */
const selecting = (end: string, promise: string, parameters: readonly string[], selections: Selections) =>
  row(`events.list.${end}`, promise)
    .from([parameters.map((name) => parameter('listEvents', name))], HAPPENED)
    .check(selects(selections))

const inventoryOfEvents: Check = async (probe) => {
  const read = async () => walked(probe, await probe.read(`${EVENTS}?limit=100`))
  const { answer, of, value: events } = await whileQuiet(probe, read)
  const last = new Map(events.map((event) => [textOf(event.get('petId')), event]))
  for (const status of STATUSES) {
    const { length } = [...last.values()].filter((event) => event.get('petStatus') === status)
    answer.expect(of[status] === BigInt(length), `${status}: ${length}, by the events`, `${status}: ${of[status]}`)
  }
}

export const readEvents = [
  row('events.list.next', 'Every page has rel="next": a relative target with limit and filters, but no from or wait.')
    .from(header('NextEventsLink'), LISTED)
    .check(async (probe) => {
      for (const query of ['', '?from=now']) nextOf(await probe.read(EVENTS + query))
      const kept = 'limit=3&petId=5&orderId=6'
      const page = await probe.read(`${EVENTS}?${kept}&from=beginning&wait=0`)
      const expected = `${EVENTS}?${kept}&cursor=`
      const [target, cursor] = nextBelowBase(probe, page).split('cursor=')
      const isRight = `${target}cursor=` === expected && /^[^&]+$/.test(cursor ?? '')
      page.expect(isRight, `${expected}…`, nextOf(page))
    }),
  row('events.list.next.follow', 'Following the links lists each event once.')
    .from(operation('listEvents', 'description'), writing('events.list.happened', 'events.list.next'))
    .check(async (probe) => {
      const { petId, events } = await history(probe)
      const start = await probe.read(`${EVENTS}?petId=${petId}&limit=4`)
      start.expectIds(idsOf(events), idsOf(await walked(probe, start)))
    }),
  row('events.list.next.later', 'Later events follow the last page that a reader has read.')
    .from(operation('listEvents', 'description'), writing('events.list.happened', 'events.list.next'))
    .check(async (probe) => {
      const page = await probe.read(`${EVENTS}?from=now&limit=100`)
      const petId = await newPetId(probe)
      const later = await walked(probe, (await follow(probe, page, nextOf(page))).expectStatus(200))
      const isThere = later.some((event) => textOf(event.get('petId')) === petId)
      page.expect(isThere, `an event of pet ${petId} after it`, `${later.length} other events`)
    }),
  selecting('from.now', 'from=now, or a time in the future, starts after the last event.', ['from'], ({ petId }) => [
    [`petId=${petId}&from=now`, []],
    // Any nearer time can be before an event that the server recorded while its clock was ahead.
    [`petId=${petId}&from=9999-12-31T23:59:59Z`, []],
  ]),
  selecting(
    'from.time',
    'from selects the events at or after a time, and to the events before a time.',
    ['from', 'to'],
    async ({ petId, events }, probe) => {
      const fifth: JsonObject = events[4] ?? new Map()
      const at = textOf(fifth.get('at'))
      const time = encodeURIComponent(at)
      // Times can run backwards, so an event of another pet can be the first one that is not earlier.
      const page = await probe.read(`${EVENTS}?from=${time}&limit=1`)
      const [first = new Map()] = page.objects()
      page.expect(page.expectInstant('at', first) >= Date.parse(at), `an event at or after ${at}`, page.text)
      const start = page.expectInt64('id', first)
      const isBefore = (event: JsonObject) => BigInt(textOf(event.get('id'))) < start
      page.expect(!isBefore(fifth), `an event not after event ${textOf(fifth.get('id'))}`, page.text)
      return [
        [`petId=${petId}&from=${time}`, events.filter((event) => !isBefore(event))],
        [`petId=${petId}&to=${time}`, events.filter(isBefore)],
      ]
    },
  ),
  row('events.list.from.beginning', 'from=beginning is the same as no from.')
    .from(parameter('listEvents', 'from'), LISTED)
    .check(async (probe) => {
      await seeded(probe)
      const [plain, page] = [await probe.get(`${EVENTS}?limit=3`), await probe.read(`${EVENTS}?limit=3&from=beginning`)]
      if (plain.array().length === 3) page.expectText(plain.text)
    }),
  row('events.list.pet-filter', 'petId selects the events of this pet; [] if no pet has the id.')
    .from(parameter('listEvents', 'petId'), HISTORY)
    .check(async (probe) => {
      const { pet, answer, events } = await history(probe)
      for (const event of events) answer.expectMember('petId', pet.object().get('id'), event)
      ;(await probe.read(`${EVENTS}?petId=${absentId()}`)).expectIds([])
    }),
  selecting(
    'order-filter',
    'orderId selects the events of this order; [] if no order has the id.',
    ['orderId'],
    ({ second, events }) => [
      [`orderId=${second}`, events.slice(4)],
      [`orderId=${absentId()}`, []],
      [`orderId=${second}&petId=${absentId()}`, []],
    ],
  ),
  selecting(
    'type',
    'type selects the events of this type, or of any of the types if repeated.',
    ['type'],
    ({ petId, events }) =>
      [['order.placed'], ['pet.added', 'order.returned']].map((types) => [
        [`petId=${petId}`, ...types.map((type) => `type=${type}`)].join('&'),
        events.filter((event) => types.includes(textOf(event.get('type')))),
      ]),
  ),
  row('events.list.newest', 'sort=newest lists events from the last to the first, also across pages.')
    .from(parameter('listEvents', 'sort'), writing('events.list.happened', 'events.list.next'))
    .check(async (probe) => {
      const { petId, events } = await history(probe)
      const start = await probe.read(`${EVENTS}?petId=${petId}&limit=4&sort=newest`)
      start.expectIds(idsOf(events.toReversed()), idsOf(await walked(probe, start)))
    }),
  row('events.list.wait', 'With wait, an empty page is only returned after that time.')
    .from(parameter('listEvents', 'wait'), LISTED)
    .check(async (probe) => {
      const startedAt = performance.now()
      const page = await probe.read(`${EVENTS}?from=now&wait=1&petId=${absentId()}`)
      const ms = Math.round(performance.now() - startedAt)
      page.expect(page.array().length > 0 || ms >= 900, 'an empty page after 1 second', `one after ${ms} ms`)
    }),
  row('events.list.wait.woken', 'With wait, an event is returned as soon as it happens.')
    .from(parameter('listEvents', 'wait'), writing('events.list.happened', 'events.list.wait'))
    .check(async (probe) => {
      const seconds = Math.floor(Math.min(WAIT_MAX_S, probe.target.timeoutMs / 1000 - 2))
      if (seconds < 4) throw probe.unjudged('The time limit for a request is too short for this check.')
      if (probe.isRateLimited) throw probe.unjudged('The server limits the rate, so no two requests can run together.')
      const petId = await newPetId(probe)
      // After this position, the event is found whichever request the server handles first.
      const last = await probe.get(`${EVENTS}?from=now&petId=${petId}`)
      const startedAt = performance.now()
      const waited = () => performance.now() - startedAt
      const waiting = async () => ({ page: await follow(probe, last, `${nextOf(last)}&wait=${seconds}`), ms: waited() })
      const placing = async () => {
        await Bun.sleep(300)
        ;(await place(probe, orderBody(petId))).expectStatus(201)
        return waited()
      }
      const [{ page, ms }, placedMs] = await Promise.all([waiting(), placing()])
      page.expectStatus(200).expect(page.array().length > 0, 'the event', `[] after ${seconds} seconds`)
      const latestMs = seconds * 1000 - WOKEN_EARLIER_MS
      if (placedMs > latestMs - 1000) throw probe.unjudged('The server is too slow for this check.')
      page.expect(ms < latestMs, `the event within ${latestMs} ms`, `the event after ${Math.round(ms)} ms`)
    }),
  row('events.list.head', 'HEAD returns the same headers as GET, without the body.')
    .from('RFC 9110, section 9.3.2', LISTED)
    .check(async (probe) => {
      const path = `${EVENTS}?petId=${absentId()}`
      const plain = await probe.get(path)
      const answer = (await probe.ask(`HEAD ${path}`)).expectStatus(200).expectText('').expectSameLength(plain)
      for (const name of ['Content-Type', 'Cache-Control']) answer.expectHeader(name, plain.header(name))
      answer.expectHeader('Link', /rel="next"/)
    }),
  row('events.list.head.wait', 'HEAD does not wait for events.')
    .from([contract('info', 'description'), parameter('listEvents', 'wait')], reading('events.list.head'))
    .check(async (probe) => {
      const startedAt = performance.now()
      const answer = (await probe.ask(`HEAD ${EVENTS}?from=now&wait=8&petId=${absentId()}`)).expectStatus(200)
      const ms = Math.round(performance.now() - startedAt)
      answer.expect(ms < 8_000 - WOKEN_EARLIER_MS, 'a response at once', `one after ${ms} ms`)
    }),
  row('events.list.inventory', 'The last events of all pets, counted by petStatus, match the inventory.')
    .from(operation('listEvents', 'description'), {
      ...racing('events.list.next', 'inventory.get.success'),
      alone: 'reads',
    })
    .check(inventoryOfEvents),
  ...parameterRows('events.list'),
  row('events.list.newest.wait', 'wait and sort=newest together: 400 invalid_parameter.')
    .from(parameter('listEvents', 'sort'), LISTED)
    .check(async (probe) => (await probe.get(`${EVENTS}?sort=newest&wait=1`)).expectError(400, 'invalid_parameter')),
  row('events.list.cursor.filter', 'A cursor is valid with any limit and filters.')
    .from(parameter('listEvents', 'cursor'), writing('events.list.next.follow', 'events.list.order-filter'))
    .check(
      selects(async ({ petId, first, events }, probe) => {
        const [, cursor] = nextOf(await probe.read(`${EVENTS}?petId=${petId}&limit=1`)).split('cursor=')
        return [[`orderId=${first}&cursor=${cursor}`, events.slice(1, 4)]]
      }),
    ),
  row('events.list.cursor.from', 'cursor and from together: 400 invalid_parameter.')
    .from(parameter('listEvents', 'cursor'), reading('events.list.next'))
    .check(async (probe) => {
      const page = await probe.read(EVENTS)
      ;(await follow(probe, page, `${nextOf(page)}&from=now`)).expectError(400, 'invalid_parameter')
    }),
]
