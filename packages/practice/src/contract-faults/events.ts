// Faults in the feed of events.

import type { Json } from '../../../contract/src/json.ts'
import type { ClientRequest } from '../proxy.ts'
import { type ContractFaults, faultsAt } from './shared/faults.ts'
import { EVENTS } from './shared/operations.ts'
import { hasCursor, parametersOf } from './shared/requests.ts'

const inFeed = faultsAt(EVENTS, 200).answer
const asking = faultsAt(EVENTS).request
/** Whether the request is for the events of all pets. */
const ofAll = (request: ClientRequest) => !/(?:petId|orderId)=/.test(request.target)
const none = () => []
const isOfType = (type: string) => (event: Json) => event instanceof Map && event.get('type') === type

export const EVENT_FAULTS: ContractFaults = {
  'events.list.success': inFeed.json((events) => new Map([['events', events]])),
  'events.list.cache-control': inFeed.header('Cache-Control', 'private, no-cache'),
  'events.list.item': inFeed.drop('petId'),
  'events.list.order': inFeed.items((events) => events.toReversed()),
  'events.list.limit': asking.parameter('limit', /^[1-9]\d?$/, '100'),
  'events.list.happened': inFeed.items((events) => events.filter((event) => !isOfType('order.returned')(event))),
  'events.list.says': inFeed.drop('by'),
  'events.list.expired': inFeed.rewrite('type', (type) => (type === 'order.expired' ? 'order.cancelled' : type)),
  'events.list.next': inFeed.header('Link'),
  'events.list.next.follow': faultsAt(EVENTS, 200, hasCursor).answer.items((events) => events.slice(1)),
  'events.list.next.later': faultsAt(EVENTS, 200, (request) => hasCursor(request) && ofAll(request)).answer.items(none),
  'events.list.constant': inFeed.each((event) => event.set('read', new Date().toISOString())),
  'events.list.inventory': faultsAt(EVENTS, 200, ofAll).answer.items((events) =>
    events.filter((event) => !isOfType('pet.added')(event)),
  ),
  'events.list.from.beginning': asking.parameter('from', /^beginning$/, 'now'),
  'events.list.cursor.filter': faultsAt(EVENTS).refusing(
    (request) => hasCursor(request) && /orderId=/.test(request.target),
  ),
  'events.list.cursor.from': faultsAt(EVENTS, 400, hasCursor).again.parameter('from', /^now$/),
  'events.list.from.now': asking.parameter('from', /^now$/),
  'events.list.from.time': asking.parameter('from', /^\d/),
  'events.list.pet-filter': asking.parameter('petId', /./),
  'events.list.order-filter': asking.parameter('orderId', /./),
  'events.list.type': asking.parameter('type', /^order\.placed$/),
  'events.list.newest': faultsAt(EVENTS, 200).again.parameter('sort', /^newest$/),
  'events.list.newest.wait': faultsAt(EVENTS, 400, ({ target }) => /sort=newest&wait=/.test(target)).again.parameter(
    'wait',
    /./,
    undefined,
  ),
  'events.list.wait': asking.parameter('wait', /./),
  'events.list.wait.woken': faultsAt(EVENTS, 200, ({ target }) => /wait=[1-9]/.test(target)).answer.items(none),
  'events.list.head.wait': faultsAt('HEAD /store/events', 200).answering(async (response, { target }) => {
    await Bun.sleep(1000 * Number(parametersOf({ target }).get('wait')))
    return response
  }),
  'events.list.head': faultsAt('HEAD /store/events').refusing(() => true, 405, 'method_not_allowed'),
}
