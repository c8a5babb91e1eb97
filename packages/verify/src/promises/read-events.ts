// Level `store`: how the feed of events is read: links, where to begin, waiting, filters and cursors, and what of them is refused.

import { WAIT_MAX_S } from '../../../contract/src/generated.ts'
import type { JsonObject } from '../../../contract/src/json.ts'
import { type Answer, sameValue, textOf } from '../answer.ts'
import { absentId, eventually, STATUSES, seeded } from '../fixtures.ts'
import { newPetId, orderBody, place } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { Unjudged } from '../request.ts'
import { EVENTS, history } from './events.ts'
import { after } from './reservations.ts'
import { follow, targetOf } from './shared/pages.ts'
import { refusedValues, WRONG_IDS, WRONG_LIMITS, WRONG_SORTS, type WrongValues } from './shared/parameters.ts'
import type { PromiseRow } from './shared/promise.ts'
import { answers, type Check, header, operation, parameter, reading, rowsOf, writing } from './shared/rows.ts'

const row = rowsOf('store')
const WALKED_PAGES_MAX = 50
const LISTED = reading('events.list.success')
const HAPPENED = writing('events.list.happened')
const HISTORY = writing('events.list.success', 'orders.return.success', 'orders.cancel.success')

/** Where a page says to go on. */
const nextOf = (page: Answer) => targetOf(page, 'next')

/** The events from this page on, along the links. */
async function walked(probe: Probe, start: Answer): Promise<JsonObject[]> {
  const all = [...start.objects()]
  let page = start
  for (let n = 0; n < WALKED_PAGES_MAX && page.array().length > 0; n++) {
    page = (await follow(probe, nextOf(page))).expectStatus(200)
    all.push(...page.objects())
  }
  if (page.array().length > 0) throw new Unjudged('Too much has happened to be read.')
  return all
}

const idsOf = (all: readonly JsonObject[]) => all.map((event) => textOf(event.get('id')))

type History = Awaited<ReturnType<typeof history>>
/** A query about the history, and the events that it selects. */
type Selection = readonly [query: string, selected: readonly JsonObject[]]

/** That each query selects these events. */
const selects = (selections: (of: History, probe: Probe) => Promise<Selection[]> | Selection[]): Check => {
  return async (probe) => {
    for (const [query, selected] of await selections(await history(probe), probe))
      (await probe.read(`${EVENTS}?limit=100&${query}`)).expectIds(idsOf(selected))
  }
}

const timeOf = (event: JsonObject | undefined) => textOf(event?.get('at'))
const query = encodeURIComponent

/** That the inventory is what the last events say, where nobody writes meanwhile. */
async function inventoryOfEvents(probe: Probe): Promise<void> {
  const inventory = await probe.read('/store/inventory')
  const events = await walked(probe, await probe.read(`${EVENTS}?limit=100`))
  const last = new Map(events.map((event) => [textOf(event.get('petId')), event]))
  const again = await probe.read('/store/inventory')
  if (!sameValue(inventory.object(), again.object())) throw new Unjudged('Others write at the same time.')
  for (const status of STATUSES) {
    const count = [...last.values()].filter((event) => event.get('petStatus') === status).length
    const actual = textOf(again.object().get(status))
    again.expect(actual === String(count), `${status}: ${count}, as the events say`, `${status}: ${actual}`)
  }
}

export const readEvents: readonly PromiseRow[] = [
  row(
    'events.list.next',
    'Link has rel="next" on every page, also on an empty one: a relative target with limit and filters, without from and wait.',
  )
    .from(header('NextEventsLink'), LISTED)
    .check(async (probe) => {
      for (const query of ['', '?from=now']) nextOf(await probe.read(EVENTS + query))
      const kept = 'limit=3&petId=5&orderId=6'
      const page = await probe.read(`${EVENTS}?${kept}&from=beginning&wait=0`)
      const expected = `${probe.target.baseUrl.pathname}${EVENTS}?${kept}&cursor=`
      const [target, cursor] = nextOf(page).split('cursor=')
      const isRight = `${target}cursor=` === expected && /^[^&]+$/.test(cursor ?? '')
      page.expect(isRight, `${expected}…`, nextOf(page))
    }),
  row('events.list.next.follow', 'Along the links each event comes once.')
    .from(operation('listEvents', 'description'), writing('events.list.happened', 'events.list.next'))
    .check(async (probe) => {
      const { petId, events } = await history(probe)
      const start = await probe.read(`${EVENTS}?petId=${petId}&limit=4`)
      start.expectIds(idsOf(events), idsOf(await walked(probe, start)))
    }),
  row('events.list.next.later', 'What happens later is behind the place where a reader stands.')
    .from(operation('listEvents', 'description'), writing('events.list.happened', 'events.list.next'))
    .check(async (probe) => {
      const page = await probe.read(`${EVENTS}?from=now&limit=100`)
      const petId = await newPetId(probe)
      const later = await walked(probe, (await follow(probe, nextOf(page))).expectStatus(200))
      const isThere = later.some((event) => textOf(event.get('petId')) === petId)
      page.expect(isThere, `an event of pet ${petId} behind it`, `${later.length} events of others`)
    }),
  row('events.list.from.now', 'from=now begins behind the last event, as a time to come does.')
    .from(parameter('listEvents', 'from'), HAPPENED)
    .check(
      selects(async ({ petId }, probe) => [
        [`petId=${petId}&from=now`, []],
        [`petId=${petId}&from=${query(await after(probe, 3_600_000))}`, []],
      ]),
    ),
  row('events.list.from.time', 'from with a time begins at the first event that is not earlier, and to ends before it.')
    .from([parameter('listEvents', 'from'), parameter('listEvents', 'to')], HAPPENED)
    .check(
      selects(({ petId, events }) => {
        const at = timeOf(events[4])
        return [
          [`petId=${petId}&from=${query(at)}`, events.filter((event) => timeOf(event) >= at)],
          [`petId=${petId}&to=${query(at)}`, events.filter((event) => timeOf(event) < at)],
        ]
      }),
    ),
  row('events.list.from.beginning', 'from=beginning is the same as no from.')
    .from(parameter('listEvents', 'from'), LISTED)
    .check(async (probe) => {
      await seeded(probe)
      const [plain, page] = [await probe.get(`${EVENTS}?limit=3`), await probe.read(`${EVENTS}?limit=3&from=beginning`)]
      if (plain.array().length === 3) page.expectText(plain.text)
    }),
  row('events.list.pet-filter', 'With petId, only the events of this pet; [] when no pet has it.')
    .from(parameter('listEvents', 'petId'), HISTORY)
    .check(async (probe) => {
      const { pet, answer, events } = await history(probe)
      for (const event of events) answer.expectMember('petId', pet.object().get('id'), event)
      ;(await probe.read(`${EVENTS}?petId=${absentId()}`)).expectIds([])
    }),
  row('events.list.order-filter', 'With orderId, only the events of this order; [] when no order has it.')
    .from(parameter('listEvents', 'orderId'), HAPPENED)
    .check(
      selects(({ second, events }) => [
        [`orderId=${second}`, events.slice(4)],
        [`orderId=${absentId()}`, []],
        [`orderId=${second}&petId=${absentId()}`, []],
      ]),
    ),
  row('events.list.type', 'With type, only the events of this type; given several times, of any of them.')
    .from(parameter('listEvents', 'type'), HAPPENED)
    .check(
      selects(({ petId, events }) =>
        [['order.placed'], ['pet.added', 'order.returned']].map((types) => [
          [`petId=${petId}`, ...types.map((type) => `type=${type}`)].join('&'),
          events.filter((event) => types.includes(textOf(event.get('type')))),
        ]),
      ),
    ),
  row('events.list.newest', 'sort=newest goes from the last event back, also along the links.')
    .from(parameter('listEvents', 'sort'), writing('events.list.happened', 'events.list.next'))
    .check(async (probe) => {
      const { petId, events } = await history(probe)
      const start = await probe.read(`${EVENTS}?petId=${petId}&limit=4&sort=newest`)
      start.expectIds(idsOf(events.toReversed()), idsOf(await walked(probe, start)))
    }),
  row('events.list.wait', 'With wait, an empty page comes only after that time.')
    .from(parameter('listEvents', 'wait'), LISTED)
    .check(async (probe) => {
      const startedAt = performance.now()
      const page = await probe.read(`${EVENTS}?from=now&wait=1&petId=${absentId()}`)
      const ms = Math.round(performance.now() - startedAt)
      page.expect(page.array().length > 0 || ms >= 900, 'an empty page after 1 second', `one after ${ms} ms`)
    }),
  row('events.list.wait.woken', 'With wait, an event comes as soon as it has happened.')
    .from(parameter('listEvents', 'wait'), writing('events.list.happened', 'events.list.wait'))
    .check(async (probe) => {
      const seconds = Math.floor(Math.min(WAIT_MAX_S, probe.target.timeoutMs / 1000 - 2))
      if (seconds < 3) throw new Unjudged('The time for one request is too short to wait.')
      if (probe.isRateLimited) throw new Unjudged('The server allows too few requests at the same time.')
      const petId = await newPetId(probe)
      // Behind this place it is found whichever request comes first.
      const behind = nextOf(await probe.get(`${EVENTS}?from=now&petId=${petId}`))
      const waiting = follow(probe, `${behind}&wait=${seconds}`)
      await Bun.sleep(300)
      ;(await place(probe, orderBody(petId))).expectStatus(201)
      const page = (await waiting).expectStatus(200)
      page.expect(page.array().length > 0, 'the event', `[] after ${seconds} seconds`)
    }),
  row('events.list.head', 'HEAD answers as GET does, without the body.')
    .from('RFC 9110, section 9.3.2', LISTED)
    .check(async (probe) => {
      const path = `${EVENTS}?petId=${absentId()}`
      const plain = await probe.get(path)
      const answer = (await probe.ask(`HEAD ${path}`)).expectStatus(200).expectText('').expectSameLength(plain)
      for (const name of ['Content-Type', 'Cache-Control']) answer.expectHeader(name, plain.header(name))
      answer.expectHeader('Link', /rel="next"/)
    }),
  row('events.list.inventory', 'The last events of all pets, counted by petStatus, are the inventory.')
    .from(operation('listEvents', 'description'), {
      after: ['events.list.next', 'inventory.get.success'],
      alone: 'reads',
    })
    .check((probe) => eventually(() => inventoryOfEvents(probe))),
]

const TIME = '2026-11-21T18:00:00'
const WRONG: Record<string, WrongValues> = {
  limit: WRONG_LIMITS,
  petId: WRONG_IDS,
  orderId: WRONG_IDS,
  wait: [
    `A NAME that is no number of seconds from 0 to ${WAIT_MAX_S}, or two of them`,
    `${WAIT_MAX_S + 1}`,
    '-1',
    'long',
    '1&NAME=1',
  ],
  from: [
    'A NAME that is no time with an offset, an empty one or two of them',
    ...['', 'then', '2026-11-21', TIME, '2026-02-30T18:00:00Z', 'now&NAME=now'],
  ],
  to: [
    'A NAME that is no time with an offset, an empty one or two of them',
    ...['', 'now', TIME, `${TIME}Z&NAME=${TIME}Z`],
  ],
  type: [
    'A NAME that there is not, also beside one that there is, or an empty one',
    ...['', 'pet.combed', 'pet.added&NAME=pet.combed'],
  ],
  sort: WRONG_SORTS,
  cursor: [
    'A NAME that is none, of another list, or that was not handed out',
    ...['x', 'AAAAAAAAABRk2Rs', 'AAAAAAAAAAAAAAAAAAAAAAAA'],
  ],
}
const FILTER_IDS: Record<string, string> = { petId: 'pet-filter', orderId: 'order-filter' }

export const eventRefusals: readonly PromiseRow[] = [
  ...Object.entries(WRONG).map(([name, values]) =>
    refusedValues('store', `events.list.${FILTER_IDS[name] ?? name}`, 'listEvents', [EVENTS, name], values),
  ),
  row('events.list.newest.wait', 'wait and sort=newest together: 400 invalid_parameter.')
    .from(parameter('listEvents', 'sort'), LISTED)
    .check(answers(`GET ${EVENTS}?sort=newest&wait=1`, 400, 'invalid_parameter')),
  row('events.list.cursor.filter', 'A cursor marks a place in the feed: limit and filters may change.')
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
      const target = nextOf(await probe.read(EVENTS))
      ;(await follow(probe, `${target}&from=now`)).expectError(400, 'invalid_parameter')
    }),
]
