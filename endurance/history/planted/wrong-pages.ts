// Planted faults of lists and of the feed: rows that are lost between pages, deleted pets in responses, and wrong events, orders and times.

import {
  behaviourOf,
  type ContractFault,
  errorAnswer,
  type Fault,
  jsonAnswer,
} from '../../../packages/practice/src/contract-faults/shared/faults.ts'
import * as on from '../../../packages/practice/src/contract-faults/shared/operations.ts'
import { hasCursor, isOf } from '../../../packages/practice/src/contract-faults/shared/requests.ts'
import type { ClientRequest, ServiceResponse } from '../../../packages/practice/src/proxy.ts'
import { entityTag } from '../../../packages/service/src/http/response/conditions.ts'
import { withHeader } from '../../../packages/verify/src/messages.ts'
import {
  answered,
  type Body,
  current,
  ending,
  everyRow,
  type Faults,
  idOf,
  isRead,
  isReplay,
  json,
  linkOf,
  shifted,
  tagged,
  target,
  withBody,
  withLastKey,
} from './fault.ts'

const LISTS = `${on.LIST}|${on.ORDERS}`
const isNewest = ({ target }: ClientRequest) => /sort=newest/.test(target)

const linking = (change: (links: string[], request: ClientRequest) => string[]): Fault => ({
  on: LISTS,
  status: 200,
  answer: (response, request) => {
    const links = linkOf(response).match(/<[^>]*>[^,]*/g) ?? []
    const headers = withHeader(response.headers, 'Link', change(links, request).join(', ') || undefined)
    return { ...response, headers }
  },
})
const unlinked = (rel: string) => linking((links) => links.filter((link) => !link.includes(`rel="${rel}"`)))
const rows = (operations: string, when: (request: ClientRequest) => boolean, change: (rows: Body[]) => Body[]) =>
  answered(operations, (body, request) => (when(request) ? change(body) : body))
const withoutFirst = (all: Body[]) => all.slice(1)
const withoutLast = (all: Body[]) => all.slice(0, -1)

export const BORDERS: Faults = {
  'a cursor one too far': rows(LISTS, hasCursor, withoutFirst),
  'the last row of a page is missing': answered(on.LIST, (body, request) =>
    body.length > 4 && !hasCursor(request) ? withoutLast(body) : body,
  ),
  'a link where nothing follows': linking((links, { target }) => [
    `<${target}&cursor=AAAA>; rel="next"`,
    ...links.filter((link) => !/next/.test(link)),
  ]),
  'no link to the next page': unlinked('next'),
  'no link to the page before': unlinked('prev'),
  'a place in the feed one too far': rows(on.EVENTS, hasCursor, withoutFirst),
  'the last event of a page is missing': answered(on.EVENTS, (body) => (body.length > 1 ? withoutLast(body) : body)),
  'a page in the wrong direction': rows(on.ORDERS, hasCursor, (all) => all.toReversed()),
  'a page longer than its limit': target(on.LIST, (path) => path.replace(/limit=(\d)(?=&|$)/, 'limit=1$1')),
  'the newest event is missing': rows(on.EVENTS, (one) => isNewest(one) && !hasCursor(one), withoutFirst),
  'a place in the feed one too far back': rows(on.EVENTS, (one) => isNewest(one) && hasCursor(one), withoutFirst),
  'the event at the end that was asked for': target(on.EVENTS, (path) =>
    path.replace(/&to=([^&]+)/, (_, to: string) => `&to=${encodeURIComponent(shifted(decodeURIComponent(to), 100))}`),
  ),
  'a feed that begins one too late': rows(on.EVENTS, ({ target }) => /from=2/.test(target), withoutFirst),
}

/** Shows deleted pets in the responses with this status to these operations. */
function showing(
  operations: string,
  status: number,
  show: (response: ServiceResponse, gone: ReadonlyMap<number, Body>, request: ClientRequest) => ServiceResponse,
): ContractFault {
  return () => {
    const gone = new Map<number, Body>()
    return async (request, pass) => {
      const last = isOf(request, on.DELETE) ? await current(request, pass) : undefined
      const response = await pass(request)
      if (response.status === 204 && last?.status === 200) gone.set(idOf(request), json(last))
      return isOf(request, operations) && response.status === status ? show(response, gone, request) : response
    }
  }
}

export const KEPT: Faults = {
  'a deleted pet that is read': showing(on.ONE, 404, (response, gone, request) => {
    const pet = gone.get(idOf(request))
    return pet ? tagged(withBody(jsonAnswer(200, {}), pet), entityTag(JSON.stringify(pet))) : response
  }),
  'a deleted pet that is found': showing(on.LIST, 200, (response, gone, request) => {
    const word = /search=(\w+)/.exec(request.target)?.[1]
    const found = word && !hasCursor(request) ? [...gone.values()].filter(({ name }) => name.startsWith(word)) : []
    if (found.length === 0) return response
    const sign = isNewest(request) ? -1 : 1
    const all: Body[] = [...json(response), ...found].sort((one, other) => sign * (one.id - other.id))
    return withBody(response, all.slice(0, Number(/limit=(\d+)/.exec(request.target)?.[1])))
  }),
  'a deleted pet that is listed': showing(on.LIST, 200, (response, gone, request) => {
    const pet = [...gone.values()].at(-1)
    const isMeant = pet && request.target.endsWith('/pets?limit=5&sort=newest')
    return isMeant ? withBody(response, [pet, ...json(response).slice(0, 4)]) : response
  }),
  'deletions that the inventory does not follow': showing(on.INVENTORY, 200, (response, gone) => {
    const counts = json(response)
    return withBody(response, { ...counts, sold: counts.sold + gone.size })
  }),
  'a deletion that takes the replay with it': showing('*', 201, (response, gone) =>
    isReplay(response) && gone.has(json(response).id) ? errorAnswer('not_found') : response,
  ),
  'a revoked key that goes on': withLastKey(401, isRead),
}

const events = (change: (rows: Body[]) => Body[]) => answered(on.EVENTS, change)
const withoutEvent = (type: string) => events((rows) => rows.filter((row) => row.type !== type))
const asking = (wrong: RegExp, right = '') => target(on.EVENTS, (path) => path.replace(wrong, right))
/** Changes a page of the feed. `all` has the events of earlier pages. */
const known = (change: (rows: Body[], all: Map<number, Body>) => Body[]): ContractFault => {
  return () => {
    const all = new Map<number, Body>()
    return behaviourOf(answered(on.EVENTS, (rows) => change(rows, all)))
  }
}

const asNow = (what: string, of: string) =>
  known((rows, latest) => {
    for (const row of rows) if (row[what]) latest.set(row[of], row[what])
    return rows.map((row) => (row[what] ? { ...row, [what]: latest.get(row[of]) } : row))
  })

export const ORDER: Faults = {
  /** Two adjacent events swap everything but their ids. */
  'two events in the wrong order': known((rows, all) => {
    for (const row of rows) all.set(row.id, row)
    const other = (id: number) => all.get(id % 2 === 0 ? id + 1 : id - 1)
    return rows.map((row) => (other(row.id) && /pet\./.test(row.type) ? { ...other(row.id), id: row.id } : row))
  }),
  'renames that no event tells': withoutEvent('pet.changed'),
  'deletions that no event tells': withoutEvent('pet.deleted'),
  'expiries that no event tells': withoutEvent('order.expired'),
  'changes of orders that no event tells': withoutEvent('order.changed'),
  'an event that is told twice': events((rows) => (rows.length > 1 ? [...rows.slice(0, -1), ...rows.slice(-2)] : rows)),
  'the status of the pet before it was sold': events((rows) =>
    rows.map((row) => (row.type === 'order.completed' ? { ...row, petStatus: 'pending' } : row)),
  ),
  'a pet that is told as it is now': asNow('pet', 'petId'),
  'the terms of an order as they are now': asNow('terms', 'orderId'),
  'a type of events that is ignored': asking(/&type=[\w.]+/g),
  'of two types of events the first': asking(/(&type=[\w.]+)&type=[\w.]+/, '$1'),
  'events after the end that was asked for': asking(/&to=[^&]+/),
  'the newest events in the order of the oldest': asking(/&sort=newest/),
  'changes in the name of another key': events((rows) => rows.map((row) => (row.by ? { ...row, by: 'first' } : row))),
}

export const TIMES: Faults = {
  'a completion dated before its order': everyRow((row) => {
    const name = row.at ? 'at' : 'changedAt'
    return (row.orderStatus ?? row.status) === 'completed' ? { ...row, [name]: shifted(row[name], -3_600_000) } : row
  }),
  'a clock that is 300 ms behind': everyRow((row) => {
    const names = ['at', 'placedAt', 'changedAt'].filter((name) => row[name])
    return { ...row, ...Object.fromEntries(names.map((name) => [name, shifted(row[name], -300)])) }
  }),
  'the time of an order when it was placed': everyRow((row) =>
    row.placedAt ? { ...row, changedAt: row.placedAt } : row,
  ),
  'events of another time than their orders': events((rows) => rows.map((row) => ({ ...row, at: shifted(row.at, 1) }))),
  'ends without milliseconds': everyRow((row) =>
    row.expiresAt ? { ...row, expiresAt: `${row.expiresAt.slice(0, 19)}.000Z` } : row,
  ),
  'an expiry before its end': everyRow(ending(60_000)),
}
