// What is lost at the border of pages, and what is kept after it was deleted.

import { at, errorAnswer, jsonAnswer } from '../../../packages/practice/src/contract-faults/shared/faults.ts'
import * as on from '../../../packages/practice/src/contract-faults/shared/operations.ts'
import { hasCursor, isOf, withKey } from '../../../packages/practice/src/contract-faults/shared/requests.ts'
import { headerOf, withHeader } from '../../../packages/practice/src/messages.ts'
import type { ClientRequest, ServiceResponse } from '../../../packages/practice/src/proxy.ts'
import { entityTag } from '../../../packages/service/src/http/response/conditions.ts'
import {
  answered,
  type Body,
  current,
  type Faults,
  idOf,
  isDone,
  isRead,
  json,
  keyOf,
  linkOf,
  remembered,
  shifted,
  tagged,
  target,
  withBody,
} from './fault.ts'

const LISTS = `${on.LIST}|${on.ORDERS}`
const isNewest = ({ target }: ClientRequest) => /sort=newest/.test(target)

const linking = (change: (links: string[], request: ClientRequest) => string[]) =>
  at(LISTS, 200).onResponse((response, request) => {
    const links = linkOf(response)
      .split(/, (?=<)/)
      .filter((link) => link !== '')
    return {
      ...response,
      headers: withHeader(response.headers, 'Link', change(links, request).join(', ') || undefined),
    }
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

/** Shows deleted pets, as they were last seen, in the answers with this status to these requests. */
const showing = (
  operations: string,
  status: number,
  show: (response: ServiceResponse, gone: ReadonlyMap<number, Body>, request: ClientRequest) => ServiceResponse,
) =>
  remembered('*', () => {
    const gone = new Map<number, Body>()
    return async (request, pass) => {
      const last = isOf(request, on.DELETE) ? await current(request, pass) : undefined
      const response = await pass(request)
      if (response.status === 204 && last?.status === 200) gone.set(idOf(request), json(last))
      return isOf(request, operations) && response.status === status ? show(response, gone, request) : response
    }
  })

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
  'a deletion that takes the replay with it': showing('*', 201, (response, gone) => {
    const isReplay = headerOf(response.headers, 'Idempotency-Replayed') !== undefined
    return isReplay && gone.has(json(response).id) ? errorAnswer(404, 'not_found') : response
  }),
  'a revoked key that goes on': () => {
    let last: string | undefined
    return async (request, pass) => {
      const response = await pass(request)
      if (isDone(response)) last = keyOf(request)
      return response.status === 401 && isRead(request) && last !== undefined ? pass(withKey(request, last)) : response
    }
  },
}
