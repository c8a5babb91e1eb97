// Lies about the feed of events.

import type { Json } from '../../json/json.ts'
import {
  admitting,
  at,
  type Change,
  drop,
  each,
  header,
  headerText,
  items,
  json,
  type Lies,
  parameter,
  replacing,
  rewrite,
  type Told,
} from '../tell.ts'
import { refusingOthers } from './memory.ts'
import { hasCursor, isNumber, number, withoutKey } from './words.ts'

const EVENTS = 'GET /store/events'
const told = (change: Change): Told => at(EVENTS, 200).answering(change)
const ignoring = (name: string, value: RegExp): Told => at(EVENTS).asking(parameter(name, value, undefined))
const accepting = (name: string): Told => at(EVENTS, 400).askingAgain(parameter(name, /^/, undefined))
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
  'events.list.from.now': ignoring('from', /^now$/),
  'events.list.from.time': ignoring('from', /^\d/),
  'events.list.pet-filter': ignoring('petId', /./),
  'events.list.order-filter': ignoring('orderId', /./),
  'events.list.wait': ignoring('wait', /./),
  'events.list.head': at('HEAD /store/events').refusing(() => true, 405, 'method_not_allowed'),
  'events.list.read-only': refusingOthers(EVENTS),
  'events.list.limit.too-large': accepting('limit'),
  'events.list.pet-filter.text': accepting('petId'),
  'events.list.wait.too-long': accepting('wait'),
  'events.list.from.text': accepting('from'),
  'events.list.cursor.invalid': accepting('cursor'),
  'auth.missing.events': admitting(EVENTS, withoutKey),
  'methods.options.events': at('OPTIONS /store/events', 204).answering(header('Allow', undefined)),
}
