// Level `store`: places in the feed of events: links, where to begin, waiting, filters and cursors.

import { type JsonObject, parseJson } from '../../../contract/src/json.ts'
import { type Answer, sameValue, textOf } from '../answer.ts'
import { absentId, eventually, STATUSES, seeded } from '../fixtures.ts'
import { newPetId, orderBody, place } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { Unjudged } from '../request.ts'
import { history } from './events.ts'
import { after } from './reservations.ts'
import { follow, linkOf } from './shared/pages.ts'
import { refusedValues, WRONG_IDS, WRONG_LIMITS, WRONG_SORTS, type WrongValues } from './shared/parameters.ts'
import type { PromiseRow } from './shared/promise.ts'
import { answers, documented, header, operation, parameter, reading, rowsOf, writing } from './shared/rows.ts'

const row = rowsOf('store')
const PATH = '/store/events'
const WALKED_PAGES_MAX = 50
const LISTED = reading('events.list.success')
const HISTORY = writing('events.list.success', 'orders.return.success', 'orders.cancel.success')

/** Where a page says to go on. */
const nextOf = (page: Answer): string => {
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
    page = (await follow(probe, nextOf(page))).expectStatus(200)
    all.push(...page.objects())
  }
  if (page.array().length > 0) throw new Unjudged('Too much has happened to be read.')
  return all
}

const idsOf = (all: readonly JsonObject[]) => all.map((event) => textOf(event.get('id'))).join()

/** That the inventory is what the last events say, where nobody writes meanwhile. */
async function inventoryOfEvents(probe: Probe): Promise<void> {
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
      throw again.broken(`${status}: ${count}, as the events say`, `${status}: ${textOf(again.object().get(status))}`)
  }
}

export const eventCursors: readonly PromiseRow[] = [
  row('events.list.next', 'Link has rel="next" on every page, also on an empty one.')
    .from(header('NextEventsLink'), LISTED)
    .check(async (probe) => {
      for (const query of QUERIES) nextOf((await probe.get(PATH + query)).expectStatus(200))
    }),
  row('events.list.next.parameters', 'The target is relative; it repeats limit and filters, and neither from nor wait.')
    .from(header('NextEventsLink'), reading('events.list.next'))
    .check(async (probe) => {
      const query = 'limit=3&petId=5&orderId=6'
      const page = (await probe.get(`${PATH}?${query}&from=beginning&wait=0`)).expectStatus(200)
      const expected = `${probe.target.baseUrl.pathname}${PATH}?${query}&cursor=`
      const [target, cursor] = nextOf(page).split('cursor=')
      if (`${target}cursor=` !== expected || !cursor || cursor.includes('&'))
        throw page.broken(`${expected}…`, nextOf(page))
    }),
  row('events.list.next.follow', 'Along the links each event comes once.')
    .from(operation('listEvents', 'description'), writing('events.list.happened', 'events.list.next.parameters'))
    .check(async (probe) => {
      const { petId, answer, events } = await history(probe)
      const all = await walked(probe, (await probe.get(`${PATH}?petId=${petId}&limit=4`)).expectStatus(200))
      if (idsOf(all) !== idsOf(events))
        throw answer.broken(`ids ${idsOf(events)}`, `along the links: ids ${idsOf(all)}`)
    }),
  row('events.list.next.later', 'What happens later is behind the place where a reader stands.')
    .from(operation('listEvents', 'description'), writing('events.list.happened', 'events.list.next'))
    .check(async (probe) => {
      const page = (await probe.get(`${PATH}?from=now&limit=100`)).expectStatus(200)
      const petId = await newPetId(probe)
      const later = await walked(probe, (await follow(probe, nextOf(page))).expectStatus(200))
      if (!later.some((event) => textOf(event.get('petId')) === petId))
        throw page.broken(`an event of pet ${petId} behind it`, `${later.length} events of others`)
    }),
  row('events.list.from.now', 'from=now begins behind the last event.')
    .from(parameter('listEvents', 'from'), writing('events.list.happened'))
    .check(async (probe) => {
      const { petId } = await history(probe)
      for (const from of ['now', encodeURIComponent(await after(probe, 3_600_000))]) {
        const page = (await probe.get(`${PATH}?petId=${petId}&from=${from}`)).expectStatus(200)
        if (page.array().length > 0) throw page.broken('[]', page.text)
      }
    }),
  row('events.list.from.time', 'from with a time begins at the first event that is not earlier.')
    .from(parameter('listEvents', 'from'), writing('events.list.happened'))
    .check(async (probe) => {
      const { petId, events } = await history(probe)
      const at = textOf(events[4]?.get('at'))
      const page = (await probe.get(`${PATH}?petId=${petId}&limit=100&from=${encodeURIComponent(at)}`)).expectStatus(
        200,
      )
      const expected = events.filter((event) => textOf(event.get('at')) >= at)
      if (idsOf(page.objects()) !== idsOf(expected))
        throw page.broken(`ids ${idsOf(expected)}`, `ids ${idsOf(page.objects())}`)
    }),
  row('events.list.from.beginning', 'from=beginning is the same as no from.')
    .from(parameter('listEvents', 'from'), LISTED)
    .check(async (probe) => {
      await seeded(probe)
      const [plain, page] = [await probe.get(`${PATH}?limit=3`), await probe.get(`${PATH}?limit=3&from=beginning`)]
      if (plain.array().length === 3 && page.expectStatus(200).text !== plain.text)
        throw page.broken(plain.text, page.text)
    }),
  row('events.list.pet-filter', 'With petId, only the events of this pet; [] when no pet has it.')
    .from(parameter('listEvents', 'petId'), HISTORY)
    .check(async (probe) => {
      const { petId, answer, events } = await history(probe)
      for (const event of events) answer.expectMember(event, 'petId', parseJson(petId))
      const none = (await probe.get(`${PATH}?petId=${absentId()}`)).expectStatus(200)
      if (none.array().length > 0) throw none.broken('[]', none.text)
    }),
  row('events.list.order-filter', 'With orderId, only the events of this order; [] when no order has it.')
    .from(parameter('listEvents', 'orderId'), writing('events.list.happened'))
    .check(async (probe) => {
      const { second, events } = await history(probe)
      const page = (await probe.get(`${PATH}?orderId=${second}`)).expectStatus(200)
      if (idsOf(page.objects()) !== idsOf(events.slice(4)))
        throw page.broken(`ids ${idsOf(events.slice(4))}`, `ids ${idsOf(page.objects())}`)
      for (const query of [`orderId=${absentId()}`, `orderId=${second}&petId=${absentId()}`]) {
        const none = (await probe.get(`${PATH}?${query}`)).expectStatus(200)
        if (none.array().length > 0) throw none.broken('[]', none.text)
      }
    }),
  row('events.list.type', 'With type, only the events of this type; given several times, of any of them.')
    .from(parameter('listEvents', 'type'), writing('events.list.happened', 'events.list.pet-filter'))
    .check(async (probe) => {
      const { petId, events } = await history(probe)
      for (const types of [['order.placed'], ['pet.added', 'order.returned']]) {
        const query = types.map((type) => `type=${type}`).join('&')
        const page = (await probe.get(`${PATH}?petId=${petId}&limit=100&${query}`)).expectStatus(200)
        const expected = events.filter((event) => types.includes(textOf(event.get('type'))))
        if (idsOf(page.objects()) !== idsOf(expected))
          throw page.broken(`ids ${idsOf(expected)}`, `ids ${idsOf(page.objects())}`)
      }
    }),
  row('events.list.to', 'to ends before the first event that is not earlier.')
    .from(parameter('listEvents', 'to'), writing('events.list.happened', 'events.list.pet-filter'))
    .check(async (probe) => {
      const { petId, events } = await history(probe)
      const at = textOf(events[4]?.get('at'))
      const page = (await probe.get(`${PATH}?petId=${petId}&limit=100&to=${encodeURIComponent(at)}`)).expectStatus(200)
      const expected = events.filter((event) => textOf(event.get('at')) < at)
      if (idsOf(page.objects()) !== idsOf(expected))
        throw page.broken(`ids ${idsOf(expected)}`, `ids ${idsOf(page.objects())}`)
    }),
  row('events.list.newest', 'sort=newest goes from the last event back, also along the links.')
    .from(
      parameter('listEvents', 'sort'),
      writing('events.list.happened', 'events.list.pet-filter', 'events.list.next'),
    )
    .check(async (probe) => {
      const { petId, events } = await history(probe)
      const start = (await probe.get(`${PATH}?petId=${petId}&limit=4&sort=newest`)).expectStatus(200)
      const all = await walked(probe, start)
      if (idsOf(all) !== idsOf(events.toReversed()))
        throw start.broken(`ids ${idsOf(events.toReversed())}`, `along the links: ids ${idsOf(all)}`)
    }),
  row('events.list.wait', 'With wait, an empty page comes only after that time.')
    .from(parameter('listEvents', 'wait'), LISTED)
    .check(async (probe) => {
      const startedAt = performance.now()
      const page = (await probe.get(`${PATH}?from=now&wait=1&petId=${absentId()}`)).expectStatus(200)
      const ms = Math.round(performance.now() - startedAt)
      if (page.array().length === 0 && ms < 900) throw page.broken('an empty page after 1 second', `one after ${ms} ms`)
    }),
  row('events.list.wait.woken', 'With wait, an event comes as soon as it has happened.')
    .from(parameter('listEvents', 'wait'), writing('events.list.happened', 'events.list.wait'))
    .check(async (probe) => {
      const seconds = Math.floor(Math.min(30, probe.target.timeoutMs / 1000 - 2))
      if (seconds < 3) throw new Unjudged('The time for one request is too short to wait.')
      if (probe.isRateLimited) throw new Unjudged('The server allows too few requests at the same time.')
      const petId = await newPetId(probe)
      // Behind this place it is found whichever request comes first.
      const behind = nextOf(await probe.get(`${PATH}?from=now&petId=${petId}`))
      const waiting = follow(probe, `${behind}&wait=${seconds}`)
      await Bun.sleep(300)
      ;(await place(probe, orderBody(petId))).expectStatus(201)
      const page = (await waiting).expectStatus(200)
      if (page.array().length === 0) throw page.broken('the event', `[] after ${seconds} seconds`)
    }),
  row('events.list.head', 'HEAD answers as GET does, without the body.')
    .from('RFC 9110, section 9.3.2', LISTED)
    .check(async (probe) => {
      const plain = await probe.get(PATH)
      const answer = (await probe.ask(`HEAD ${PATH}`)).expectStatus(200).expectNoBody()
      for (const name of ['Content-Type', 'Cache-Control']) answer.expectHeader(name, plain.header(name))
      answer.expectHeader('Link', /rel="next"/)
    }),
  row('events.list.read-only', 'A read-only key reads events.')
    .from(documented('Keys', 'Scope'), { needs: ['read-only key'], after: ['events.list.success'] })
    .check(answers(`GET ${PATH}`, 200, undefined, { key: 'read-only' })),
  row('events.list.inventory', 'The last events of all pets, counted by petStatus, are the inventory.')
    .from(operation('listEvents', 'description'), { after: ['events.list.next', 'inventory.get.success'], alone: true })
    .check((probe) => eventually(() => inventoryOfEvents(probe))),
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

const WRONG_ENDS: WrongValues = {
  empty: ['', 'An empty to', 'text'],
  text: ['now', 'A to that is no time'],
  'no-offset': ['2026-11-21T18:00:00', 'A to without an offset', 'text'],
  twice: ['2026-11-21T18:00:00Z&NAME=2026-11-21T18:00:00Z', 'to given twice'],
}

const WRONG_TYPES: WrongValues = {
  empty: ['', 'An empty type', 'unknown'],
  unknown: ['pet.combed', 'A type that there is not'],
  'one-unknown': ['pet.added&NAME=pet.combed', 'A type that there is not, beside one that there is', 'unknown'],
}

const WRONG_CURSORS: WrongValues = {
  invalid: ['x', 'A cursor that is none'],
  'other-list': ['AAAAAAAAABRk2Rs', 'A cursor of another list', 'invalid'],
  'made-up': ['AAAAAAAAAAAAAAAAAAAAAAAA', 'A cursor that was not handed out', 'invalid'],
}

export const wrong = (end: string, name: string, values: WrongValues) =>
  refusedValues('store', `events.list.${end}`, 'listEvents', [PATH, name], values)

export const eventRefusals: readonly PromiseRow[] = [
  ...wrong('limit', 'limit', WRONG_LIMITS),
  ...wrong('pet-filter', 'petId', WRONG_IDS),
  ...wrong('order-filter', 'orderId', WRONG_IDS),
  ...wrong('wait', 'wait', WRONG_WAITS),
  ...wrong('from', 'from', WRONG_PLACES),
  ...wrong('to', 'to', WRONG_ENDS),
  ...wrong('type', 'type', WRONG_TYPES),
  ...wrong('sort', 'sort', WRONG_SORTS),
  ...wrong('cursor', 'cursor', WRONG_CURSORS),
  row('events.list.newest.wait', 'wait and sort=newest together: 400 invalid_parameter.')
    .from(parameter('listEvents', 'sort'), reading('events.list.success'))
    .check(answers(`GET ${PATH}?sort=newest&wait=1`, 400, 'invalid_parameter')),
  row('events.list.cursor.filter', 'A cursor marks a place in the feed: limit and filters may change.')
    .from(
      parameter('listEvents', 'cursor'),
      writing('events.list.happened', 'events.list.next.parameters', 'events.list.order-filter'),
    )
    .check(async (probe) => {
      const { petId, events } = await history(probe)
      const start = (await probe.get(`${PATH}?petId=${petId}&limit=1`)).expectStatus(200)
      const [, cursor] = nextOf(start).split('cursor=')
      const page = (
        await probe.get(`${PATH}?orderId=${textOf(events[1]?.get('orderId'))}&limit=50&cursor=${cursor}`)
      ).expectStatus(200)
      const expected = events.slice(1, 4)
      if (idsOf(page.objects()) !== idsOf(expected))
        throw page.broken(`ids ${idsOf(expected)}`, `ids ${idsOf(page.objects())}`)
    }),
  row('events.list.cursor.from', 'cursor and from together: 400 invalid_parameter.')
    .from(parameter('listEvents', 'cursor'), reading('events.list.next.parameters'))
    .check(async (probe) => {
      const target = nextOf((await probe.get(PATH)).expectStatus(200))
      ;(await follow(probe, `${target}&from=now`)).expectError(400, 'invalid_parameter')
    }),
]
