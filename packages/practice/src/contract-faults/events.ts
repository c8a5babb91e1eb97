// Faults in the feed of events.

import type { Json } from '../../../contract/src/json.ts'
import type { ClientRequest } from '../proxy.ts'
import {
  at,
  type Change,
  type ContractFault,
  type ContractFaults,
  drop,
  header,
  items,
  json,
  parameter,
  put,
  rewrite,
} from './shared/builders.ts'
import { EVENTS, hasCursor } from './shared/operations.ts'

const inFeed = (change: Change): ContractFault => at(EVENTS, 200).onResponse(change)
const ignoring = (name: string, value: RegExp): ContractFault => at(EVENTS).onRequest(parameter(name, value, undefined))
/** The events of all pets, not of one. */
const ofAll = (request: ClientRequest) => !/(?:petId|orderId)=/.test(request.target)
const none = items(() => [])
const isOfType = (type: string) => (event: Json) => event instanceof Map && event.get('type') === type

export const EVENT_FAULTS: ContractFaults = {
  'events.list.success': inFeed(json((events) => new Map([['events', events]]))),
  'events.list.cache-control': inFeed(header('Cache-Control', 'private, no-cache')),
  'events.list.item': inFeed(drop('petId')),
  'events.list.order': inFeed(items((events) => events.toReversed())),
  'events.list.limit': at(EVENTS).onRequest(parameter('limit', /^[1-9]\d?$/, '100')),
  'events.list.happened': inFeed(items((events) => events.filter((event) => !isOfType('order.returned')(event)))),
  'events.list.says': inFeed(drop('by')),
  'events.list.expired': inFeed(rewrite('type', (type) => (type === 'order.expired' ? 'order.cancelled' : type))),
  'events.list.next': inFeed(header('Link', undefined)),
  'events.list.next.follow': at(EVENTS, 200, hasCursor).onResponse(items((events) => events.slice(1))),
  'events.list.next.later': at(EVENTS, 200, (request) => hasCursor(request) && ofAll(request)).onResponse(none),
  'events.list.constant': inFeed((response, request) => put('read', new Date().toISOString())(response, request)),
  'events.list.inventory': at(EVENTS, 200, ofAll).onResponse(
    items((events) => events.filter((event) => !isOfType('pet.added')(event))),
  ),
  'events.list.from.beginning': at(EVENTS).onRequest(parameter('from', /^beginning$/, 'now')),
  'events.list.cursor.filter': at(EVENTS).refusing(
    (request) => hasCursor(request) && /orderId=/.test(request.target),
    400,
    'invalid_parameter',
  ),
  'events.list.cursor.from': at(EVENTS, 400, hasCursor).resending(parameter('from', /^now$/, undefined)),
  'events.list.from.now': ignoring('from', /^now$/),
  'events.list.from.time': ignoring('from', /^\d/),
  'events.list.pet-filter': ignoring('petId', /./),
  'events.list.order-filter': ignoring('orderId', /./),
  'events.list.type': at(EVENTS).onRequest(parameter('type', /^order\.placed$/, undefined)),
  'events.list.newest': at(EVENTS, 200).resending(parameter('sort', /^newest$/, undefined)),
  'events.list.newest.wait': at(EVENTS, 400, ({ target }) => /sort=newest&wait=/.test(target)).resending(
    parameter('wait', /./, undefined),
  ),
  'events.list.wait': ignoring('wait', /./),
  'events.list.wait.woken': at(EVENTS, 200, ({ target }) => /wait=[1-9]/.test(target)).onResponse(none),
  'events.list.head': at('HEAD /store/events').refusing(() => true, 405, 'method_not_allowed'),
}
