// Lies about the feed of events.

import type { Json } from '../../../contract/src/json.ts'
import {
  at,
  type Change,
  drop,
  each,
  header,
  headerText,
  items,
  json,
  type Lie,
  type Lies,
  parameter,
  put,
  replacing,
  rewrite,
} from '../lie-builders.ts'
import type { Asked } from '../proxy.ts'
import { refusingOthers } from './memory.ts'
import { EVENTS, hasCursor, isNumber, number } from './words.ts'

const told = (change: Change): Lie => at(EVENTS, 200).answering(change)
const ignoring = (name: string, value: RegExp): Lie => at(EVENTS).asking(parameter(name, value, undefined))
/** The events of all pets, not of one. */
const ofAll = (asked: Asked) => !/(?:petId|orderId)=/.test(asked.target)
const none = items(() => [])
const isOfType = (type: string) => (event: Json) => event instanceof Map && event.get('type') === type

export const EVENT_LIES: Lies = {
  'events.list.success': told(json((events) => new Map([['events', events]]))),
  'events.list.cache-control': told(header('Cache-Control', 'private, no-cache')),
  'events.list.item.id': told(rewrite('id', (id) => id)),
  'events.list.item.type': told(drop('type')),
  'events.list.item.at': told(rewrite('at', (time) => time.replace(/\.\d+/, ''))),
  'events.list.item.pet-id': told(drop('petId')),
  'events.list.order': told(items((events) => events.toReversed())),
  'events.list.limit': at(EVENTS).asking(parameter('limit', /^[1-9]\d?$/, '100')),
  'events.list.happened': told(items((events) => events.filter((event) => !isOfType('order.returned')(event)))),
  'events.list.pet-status': told(rewrite('petStatus', (status) => (status === 'pending' ? 'available' : status))),
  'events.list.order-status': told(rewrite('orderStatus', () => 'open')),
  'events.list.order-id': told(each(replacing('orderId', isNumber, number(7_000_000)))),
  'events.list.pet': told(drop('pet')),
  'events.list.by': told(drop('by')),
  'events.list.at': told(rewrite('at', (time) => time.replace(/^\d+/, '2020'))),
  'events.list.expired': told(rewrite('type', (type) => (type === 'order.expired' ? 'order.cancelled' : type))),
  'events.list.next': told(header('Link', undefined)),
  'events.list.next.parameters': told(headerText('Link', (link) => link.replace(/limit=\d+&/, ''))),
  'events.list.next.follow': at(EVENTS, 200, hasCursor).answering(items((events) => events.slice(1))),
  'events.list.next.later': at(EVENTS, 200, (asked) => hasCursor(asked) && ofAll(asked)).answering(none),
  'events.list.constant': told((answered, asked) => put('read', new Date().toISOString())(answered, asked)),
  'events.list.inventory': at(EVENTS, 200, ofAll).answering(
    items((events) => events.filter((event) => !isOfType('pet.added')(event))),
  ),
  'events.list.from.beginning': at(EVENTS).asking(parameter('from', /^beginning$/, 'now')),
  'events.list.cursor.filter': at(EVENTS).refusing(
    (asked) => hasCursor(asked) && /orderId=/.test(asked.target),
    400,
    'invalid_parameter',
  ),
  'events.list.cursor.from': at(EVENTS, 400, hasCursor).askingAgain(parameter('from', /^now$/, undefined)),
  'events.list.from.now': ignoring('from', /^now$/),
  'events.list.from.time': ignoring('from', /^\d/),
  'events.list.pet-filter': ignoring('petId', /./),
  'events.list.order-filter': ignoring('orderId', /./),
  'events.list.type': at(EVENTS).asking(parameter('type', /^order\.placed$/, undefined)),
  'events.list.to': ignoring('to', /^[^,]*Z$/),
  'events.list.newest': at(EVENTS, 200).askingAgain(parameter('sort', /^newest$/, undefined)),
  'events.list.newest.wait': at(EVENTS, 400, ({ target }) => /sort=newest&wait=/.test(target)).askingAgain(
    parameter('wait', /./, undefined),
  ),
  'events.list.wait': ignoring('wait', /./),
  'events.list.wait.woken': at(EVENTS, 200, ({ target }) => /wait=[1-9]/.test(target)).answering(none),
  'events.list.head': at('HEAD /store/events').refusing(() => true, 405, 'method_not_allowed'),
  'events.list.read-only': refusingOthers(EVENTS),
}
