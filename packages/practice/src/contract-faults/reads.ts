// Faults in reads: lists, searches and conditional requests.

import type { Json } from '../../../contract/src/json.ts'
import type { ClientRequest } from '../proxy.ts'
import { header, items } from './shared/answer-changes.ts'
import { type ContractFault, type ContractFaults, faultsAt, hasNext, under } from './shared/faults.ts'
import { frozen } from './shared/memory.ts'
import { EVENTS, INVENTORY, LIST, listRequests, ONE, ORDER, ORDERS } from './shared/operations.ts'
import { hasCursor, hasHeader, parametersOf, type When } from './shared/requests.ts'
import { textOf } from './shared/values.ts'

const KNOWN = ['limit', 'status', 'cursor', 'search', 'sort', 'categoryId', 'petId']

/** `filter` is the numeric filter, with its name in ids. */
function ofList(operation: string, filter: { name: string; id: string }): ContractFaults {
  const { request: asking, refusing } = faultsAt(operation)
  const { answer } = faultsAt(operation, 200)
  return {
    order: answer.items((all) => all.toReversed()),
    next: answer.header('Link'),
    'next.none': faultsAt(operation, 200, (_, response) => !hasNext(response)).onResponse((response, request) =>
      header('Link', `<${request.target.replace(/\?.*/, '')}?cursor=x>; rel="next"`)(response, request),
    ),
    'next.follow': faultsAt(operation, 200, hasCursor).answer.items((all) => all.slice(1)),
    prev: answer.header('Link', (link) => link.replace('rel="prev"', 'rel="previous"')),
    'newest.follow': faultsAt(
      operation,
      200,
      (request) => hasCursor(request) && request.target.includes('sort=newest'),
    ).answer.items((all) => all.slice(1)),
    'sort.newest': asking.parameter('sort', /^newest$/),
    'sort.oldest': asking.parameter('sort', /^oldest$/, 'newest'),
    [filter.id]: asking.parameter(filter.name, /./),
    filters: asking.query((given) => given.has(filter.name) && given.delete('status')),
    'cursor.other': faultsAt(
      operation,
      400,
      (request) => hasCursor(request) && parametersOf(request).has('sort'),
    ).again.parameter('cursor', /./),
    'cursor.limit': refusing((request) => hasCursor(request) && parametersOf(request).get('limit') === '5'),
    'parameters.unknown': refusing((request) =>
      [...parametersOf(request).keys()].some((name) => !KNOWN.includes(name)),
    ),
    'parameters.encoded': refusing(({ target }) => /=%3\d/.test(target)),
    'search.longest': refusing((request) => (parametersOf(request).get('search')?.length ?? 0) === 255),
  }
}

/** The parameters of each list, by the start of the id. */
const LISTS: Record<string, readonly [operation: string, names: readonly string[]]> = {
  'pets.list': [LIST, ['limit', 'status', 'sort', 'search', 'cursor', 'categoryId']],
  'orders.list': [ORDERS, ['limit', 'status', 'sort', 'search', 'cursor', 'petId']],
  'events.list': [EVENTS, ['limit', 'petId', 'orderId', 'wait', 'from', 'to', 'type', 'sort', 'cursor']],
}
/** The ids that do not have the parameter's name. */
const ID_OF: Record<string, string> = {
  'pets.list.categoryId': 'pets.list.category',
  'orders.list.petId': 'orders.list.pet',
  'events.list.petId': 'events.list.pet-filter',
  'events.list.orderId': 'events.list.order-filter',
}

/** Ignores an invalid value if no other parameter is invalid. */
function ignoringWrong(operation: string, name: string): ContractFault {
  const isAlone = new RegExp(`^(?:${name}(?:,|$))+$`)
  return faultsAt(operation, 400, (request) => isAlone.test([...parametersOf(request).keys()].join())).again.query(
    (parameters) => parameters.delete(name),
  )
}

const PARAMETERS: ContractFaults = Object.fromEntries(
  Object.entries(LISTS).flatMap(([list, [operation, names]]) =>
    names.map((name) => {
      const id = `${list}.${name}`
      return [`${ID_OF[id] ?? id}.wrong`, ignoringWrong(operation, name)]
    }),
  ),
)

const wordsOf = (request: ClientRequest) => parametersOf(request).get('search') ?? ''
const searches =
  (words: RegExp): When =>
  (request) =>
    words.test(wordsOf(request))
const findingNothing = (words: RegExp): ContractFault => faultsAt(LIST, 200, searches(words)).answer.items(() => [])

/** Finds orders whose reference has all words. */
const inReference: ContractFault = faultsAt(ORDERS, 200, searches(/./)).onResponse((response, request) => {
  const words = wordsOf(request).toLowerCase().split(' ')
  const has = (order: Json) =>
    order instanceof Map && words.every((word) => textOf(order.get('reference')).includes(word))
  return items((orders) => orders.filter(has))(response, request)
})

const SEARCHES: ContractFaults = {
  'pets.list.search.letters': listRequests.parameter('search', /^leg$/, 'łeg'),
  'pets.list.search': listRequests.parameter('search', /./),
  'pets.list.search.words': findingNothing(/[A-Z]/),
  'pets.list.search.filters': listRequests.query(
    (parameters) => parameters.has('search') && parameters.delete('status'),
  ),
  'pets.list.search.links': faultsAt(LIST, 200).answer.header('Link', (link) => link.replace(/search=[^&>]*&/g, '')),
  'pets.list.search.fresh': frozen(LIST, searches(/./)),
  'pets.list.count': faultsAt(LIST, 200).answer.header('X-Total-Count', (count) => `${count}0`),
  'orders.list.pets': faultsAt(ORDERS).request.parameter('petIds', /./),
  'orders.list.search.reference': faultsAt(ORDERS).request.parameter('search', /./),
  'orders.list.search.pet-name': inReference,
}

/** Conditional requests (RFC 9110, 13), Cache-Control and HEAD. */
function ofRead(operation: string): ContractFaults {
  const { request, refusing } = faultsAt(operation)
  const { answer } = faultsAt(operation, 200)
  const head = operation.replace('GET', 'HEAD')
  return {
    etag: answer.header('ETag', () => `"${crypto.randomUUID()}"`),
    'cache-control': answer.header('Cache-Control', 'public, max-age=60'),
    head: faultsAt(head, 200).answer.header('ETag'),
    'if-none-match': request.header('If-None-Match'),
    'if-none-match.other': request.header('If-None-Match', () => '*'),
    'if-match': refusing(hasHeader('If-Match', /./), 412, 'precondition_failed'),
    'if-match.other': request.header('If-Match', () => '*'),
    'if-match.unchanged': faultsAt(operation, 304, hasHeader('If-Match', /\*/)).again.header('If-None-Match'),
    'not-modified.head': faultsAt(head).request.header('If-None-Match'),
    'not-modified': faultsAt(operation, 304).answer.text(() => '[]'),
  }
}

const CONDITIONS: ContractFaults = {
  ...under('pets.list', ofRead(LIST)),
  ...under('pets.get', ofRead(ONE)),
  ...under('orders.list', ofRead(ORDERS)),
  ...under('orders.get', ofRead(ORDER)),
  ...under('inventory.get', ofRead(INVENTORY)),
}

export const READ_FAULTS: ContractFaults = {
  ...under('pets.list', ofList(LIST, { name: 'categoryId', id: 'category' })),
  ...under('orders.list', ofList(ORDERS, { name: 'petId', id: 'pet' })),
  ...PARAMETERS,
  ...SEARCHES,
  ...CONDITIONS,
}
