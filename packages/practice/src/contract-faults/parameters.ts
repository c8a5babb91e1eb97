// Faults in how wrong query parameters are refused, in every list alike: what must be refused is clamped, read in part or ignored.

import { at, type ContractFaults, parameter, under } from './shared/builders.ts'

/** By the end of the id: the wrong value, and the one that it is taken for; without that, the parameter is ignored. */
type Wrong = Readonly<Record<string, readonly [wrong: RegExp, right?: string]>>

const LIMITS: Wrong = {
  zero: [/^0$/, '1'],
  'too-large': [/^101$/, '100'],
  huge: [/^9{20}$/, '100'],
  empty: [/^$/],
  text: [/^[a-z]+$/],
  negative: [/^-/, '1'],
  plus: [/^[+]5$/, '5'],
  'leading-zero': [/^05$/, '5'],
  fraction: [/^5\.0$/, '5'],
  exponent: [/^1e1$/, '10'],
  space: [/^5 $/, '5'],
  twice: [/,/, '5'],
}
const STATUSES: Wrong = { unknown: [/^[a-z]+$/], empty: [/^$/], case: [/^[A-Z]/], twice: [/,/] }
const SORTS: Wrong = { unknown: [/^(?!newest$|oldest$)[a-z]+$/], empty: [/^$/], twice: [/,/, 'newest'] }
const SEARCHES: Wrong = {
  empty: [/^$/],
  'too-long': [/^.{256}/],
  'no-word': [/^[^\p{L}\p{N}]+$/u],
  'too-many-words': [/^(?:\S+ ){8}/],
  twice: [/,/],
}
const IDS: Wrong = {
  text: [/^[a-z]+$/],
  empty: [/^$/],
  fraction: [/^1\.0$/, '1'],
  range: [/^\d{19}$/],
  twice: [/,/, '1'],
}
const WAITS: Wrong = { 'too-long': [/^31$/], negative: [/^-/], text: [/^[a-z]+$/], twice: [/,/] }
const PLACES: Wrong = {
  empty: [/^$/],
  text: [/^(?!now$|beginning$)[a-z]+$/],
  date: [/^\d+-\d+-\d+$/],
  'no-offset': [/T\d+:\d+:\d+$/],
  'no-day': [/-02-30T/],
  twice: [/,/],
}
const ENDS: Wrong = { empty: [/^$/], text: [/^[a-z]+$/], 'no-offset': [/T\d+:\d+:\d+$/], twice: [/,/] }
const TYPES: Wrong = { empty: [/^$/], unknown: [/^pet\.combed$/], 'one-unknown': [/,pet\.combed$/] }
const CURSORS: Wrong = { invalid: [/^.$/], empty: [/^$/], twice: [/,/] }
const FEED_CURSORS: Wrong = { invalid: [/^.$/], 'other-list': [/^[\w-]{15}$/], 'made-up': [/^[\w-]{24}$/] }

const LIST_PARAMETERS = { limit: LIMITS, status: STATUSES, sort: SORTS, search: SEARCHES, cursor: CURSORS }
const EVENTS = 'GET /store/events'

function taking(operation: string, name: string, wrong: Wrong): ContractFaults {
  const faults = Object.entries(wrong).map(([end, [value, right]]) => [
    end,
    at(operation, 400).resending(parameter(name, value, right)),
  ])
  return Object.fromEntries(faults)
}

function ofList(id: string, operation: string): ContractFaults {
  const all = Object.entries(LIST_PARAMETERS).map(([name, wrong]) =>
    under(`${id}.${name}`, taking(operation, name, wrong)),
  )
  return Object.assign({}, ...all)
}

export const PARAMETER_FAULTS: ContractFaults = {
  ...ofList('pets.list', 'GET /pets'),
  ...under('pets.list.category', taking('GET /pets', 'categoryId', IDS)),
  ...ofList('orders.list', 'GET /store/orders'),
  ...under('orders.list.pet', taking('GET /store/orders', 'petId', IDS)),
  ...under('events.list.limit', taking(EVENTS, 'limit', LIMITS)),
  ...under('events.list.pet-filter', taking(EVENTS, 'petId', IDS)),
  ...under('events.list.order-filter', taking(EVENTS, 'orderId', IDS)),
  ...under('events.list.wait', taking(EVENTS, 'wait', WAITS)),
  ...under('events.list.from', taking(EVENTS, 'from', PLACES)),
  ...under('events.list.to', taking(EVENTS, 'to', ENDS)),
  ...under('events.list.type', taking(EVENTS, 'type', TYPES)),
  ...under('events.list.sort', taking(EVENTS, 'sort', SORTS)),
  ...under('events.list.cursor', taking(EVENTS, 'cursor', FEED_CURSORS)),
}
