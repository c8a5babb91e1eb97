// Faults in what every operation that reads promises: its links and order, where it is a list, and conditional requests (RFC 9110, 13).

import {
  at,
  type ContractFault,
  type ContractFaults,
  header,
  headerText,
  items,
  parameter,
  parametersOf,
  query,
  type RequestChange,
  sentHeader,
  text,
  under,
} from './shared/builders.ts'
import { hasCursor, hasHeader, hasNext, INVENTORY, isUnknown, LIST, ONE, ORDER, ORDERS } from './shared/operations.ts'

const KNOWN = ['limit', 'status', 'cursor', 'search', 'sort', 'categoryId', 'petId']

/** `filter` is the one by a number, and its name in ids. */
function ofList(operation: string, filter: { name: string; id: string }): ContractFaults {
  const asking = (change: RequestChange): ContractFault => at(operation).onRequest(change)
  const ignoring = (name: string, value: RegExp): ContractFault => asking(parameter(name, value, undefined))
  const linking = (change: (link: string) => string): ContractFault =>
    at(operation, 200).onResponse(headerText('Link', change))
  return {
    order: at(operation, 200).onResponse(items((all) => all.toReversed())),
    next: at(operation, 200).onResponse(header('Link', undefined)),
    'next.none': at(operation, 200, (_, response) => !hasNext(response)).onResponse((response, request) =>
      header('Link', `<${request.target.replace(/\?.*/, '')}?cursor=x>; rel="next"`)(response, request),
    ),
    'next.follow': at(operation, 200, hasCursor).onResponse(items((all) => all.slice(1))),
    prev: linking((link) => link.replace('rel="prev"', 'rel="previous"')),
    'newest.follow': at(
      operation,
      200,
      (request) => hasCursor(request) && request.target.includes('sort=newest'),
    ).onResponse(items((all) => all.slice(1))),
    'sort.newest': ignoring('sort', /^newest$/),
    'sort.oldest': asking(parameter('sort', /^oldest$/, 'newest')),
    [filter.id]: ignoring(filter.name, /./),
    filters: asking(query((given) => given.has(filter.name) && given.delete('status'))),
    'cursor.other': at(operation, 400, (request) => hasCursor(request) && parametersOf(request).has('sort')).resending(
      parameter('cursor', /./, undefined),
    ),
    'cursor.limit': at(operation).refusing(
      (request) => hasCursor(request) && parametersOf(request).get('limit') === '5',
      400,
      'invalid_parameter',
    ),
    'parameters.unknown': at(operation).refusing(
      (request) => [...parametersOf(request).keys()].some(isUnknown(KNOWN)),
      400,
      'invalid_parameter',
    ),
    'parameters.encoded': at(operation).refusing(({ target }) => /=%3\d/.test(target), 400, 'invalid_parameter'),
    'search.longest': at(operation).refusing(
      (request) => (parametersOf(request).get('search')?.length ?? 0) === 255,
      400,
      'invalid_parameter',
    ),
  }
}

function ofConditions(operation: string): ContractFaults {
  const tags = (name: string, change: (tags: string) => string | undefined): ContractFault =>
    at(operation).onRequest(sentHeader(name, change))
  return {
    etag: at(operation, 200).onResponse((response, request) =>
      header('ETag', `"${crypto.randomUUID()}"`)(response, request),
    ),
    'cache-control': at(operation, 200).onResponse(header('Cache-Control', 'public, max-age=60')),
    head: at(operation.replace('GET', 'HEAD'), 200).onResponse(header('ETag', undefined)),
    'if-none-match': tags('If-None-Match', () => undefined),
    'if-none-match.other': tags('If-None-Match', () => '*'),
    'if-match': at(operation).refusing(hasHeader('If-Match', /./), 412, 'precondition_failed'),
    'if-match.other': tags('If-Match', () => '*'),
    'if-match.unchanged': at(operation, 304, hasHeader('If-Match', /\*/)).resending(
      sentHeader('If-None-Match', () => undefined),
    ),
    'not-modified.head': at(operation.replace('GET', 'HEAD')).onRequest(sentHeader('If-None-Match', () => undefined)),
    'not-modified': at(operation, 304).onResponse(text(() => '[]')),
  }
}

export const LIST_FAULTS: ContractFaults = {
  ...under('pets.list', { ...ofList(LIST, { name: 'categoryId', id: 'category' }), ...ofConditions(LIST) }),
  ...under('pets.get', ofConditions(ONE)),
  ...under('orders.list', { ...ofList(ORDERS, { name: 'petId', id: 'pet' }), ...ofConditions(ORDERS) }),
  ...under('orders.get', ofConditions(ORDER)),
  ...under('inventory.get', ofConditions(INVENTORY)),
}
