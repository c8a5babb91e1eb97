// Lies about what every operation that reads promises: its links and order, where it is a list, and conditional requests (RFC 9110, 13).

import {
  at,
  type ChangeAsked,
  errorAnswer,
  header,
  headerText,
  items,
  type Lie,
  type Lies,
  parameter,
  parametersOf,
  query,
  sentHeader,
  text,
  under,
  type When,
} from '../lie-builders.ts'
import { hasCursor, hasHeader, hasNext, INVENTORY, isUnknown, LIST, ONE, ORDER, ORDERS } from './words.ts'

const KNOWN = ['limit', 'status', 'cursor', 'search', 'sort', 'categoryId', 'petId']
const BACK = `; rel="prev"`

/** `filter` is the one by a number, and its name in ids. */
function ofList(operation: string, filter: { name: string; id: string }): Lies {
  const asking = (change: ChangeAsked): Lie => at(operation).asking(change)
  const ignoring = (name: string, value: RegExp): Lie => asking(parameter(name, value, undefined))
  const linking = (change: (link: string) => string): Lie => at(operation, 200).answering(headerText('Link', change))
  const isFiltered: When = (asked) => parametersOf(asked).has(filter.name)
  /** Goes on although the cursor is refused for this reason. */
  const goingOn = (...beside: string[]): Lie =>
    at(
      operation,
      400,
      (asked) => [...parametersOf(asked).keys()].sort().join() === [...beside, 'cursor'].sort().join(),
    ).askingAgain(parameter('cursor', /^[\w-]{15}$/, undefined))
  return {
    order: at(operation, 200).answering(items((all) => all.toReversed())),
    next: at(operation, 200).answering(header('Link', undefined)),
    'next.none': at(operation, 200, (_, answered) => !hasNext(answered)).answering((answered, asked) =>
      header('Link', `<${asked.target.replace(/\?.*/, '')}?cursor=x>; rel="next"`)(answered, asked),
    ),
    'next.relative': linking((link) => link.replace('<', '<http://petstore.example')),
    'next.parameters': linking((link) => link.replace(/limit=\d+&/, '')),
    'next.follow': at(operation, 200, hasCursor).answering(items((all) => all.slice(1))),
    prev: linking((link) => link.replace('rel="prev"', 'rel="previous"')),
    'prev.none': at(operation, 200, (asked, answered) => !hasCursor(asked) && hasNext(answered)).answering(
      headerText('Link', (link) => `${link}, ${link.replace(/;.*/, BACK)}`),
    ),
    'sort.newest': ignoring('sort', /^newest$/),
    'sort.oldest': asking(parameter('sort', /^oldest$/, 'newest')),
    [filter.id]: ignoring(filter.name, /./),
    [`${filter.id}.none`]: at(operation, 200, (asked, { body }) => isFiltered(asked) && body.length === 2).answering(
      () => errorAnswer(404, 'not_found'),
    ),
    filters: asking(query((given) => given.has(filter.name) && given.delete('status'))),
    'cursor.changed': goingOn(filter.name),
    'cursor.other-filter': goingOn(filter.name, 'status'),
    'cursor.other-order': goingOn(filter.name, 'sort'),
    'cursor.limit': at(operation).refusing(
      (asked) => hasCursor(asked) && parametersOf(asked).get('limit') === '5',
      400,
      'invalid_parameter',
    ),
    'parameters.unknown': at(operation).refusing(
      (asked) => [...parametersOf(asked).keys()].some(isUnknown(KNOWN)),
      400,
      'invalid_parameter',
    ),
    'parameters.encoded': at(operation).refusing(({ target }) => /=%3\d/.test(target), 400, 'invalid_parameter'),
    'search.longest': at(operation).refusing(
      (asked) => (parametersOf(asked).get('search')?.length ?? 0) === 255,
      400,
      'invalid_parameter',
    ),
  }
}

function ofConditions(operation: string): Lies {
  const tags = (name: string, change: (tags: string) => string | undefined): Lie =>
    at(operation).asking(sentHeader(name, change))
  return {
    etag: at(operation, 200).answering((answered, asked) =>
      header('ETag', `"${crypto.randomUUID()}"`)(answered, asked),
    ),
    'cache-control': at(operation, 200).answering(header('Cache-Control', 'public, max-age=60')),
    head: at(operation.replace('GET', 'HEAD'), 200).answering(header('ETag', undefined)),
    'if-none-match': tags('If-None-Match', () => undefined),
    'if-none-match.weak': tags('If-None-Match', (tags) => (tags.startsWith('W/') ? undefined : tags)),
    'if-none-match.list': tags('If-None-Match', (tags) => (tags.includes(',') ? undefined : tags)),
    'if-none-match.any': tags('If-None-Match', (tags) => (tags === '*' ? undefined : tags)),
    'if-none-match.other': tags('If-None-Match', () => '*'),
    'if-match': at(operation).refusing(hasHeader('If-Match', /./), 412, 'precondition_failed'),
    'if-match.other': tags('If-Match', () => '*'),
    'if-match.weak': tags('If-Match', (tags) => tags.replace('W/', '')),
    'if-match.unchanged': at(operation, 304, hasHeader('If-Match', /\*/)).askingAgain(
      sentHeader('If-None-Match', () => undefined),
    ),
    'not-modified.headers': at(operation, 304).answering(header('Cache-Control', undefined)),
    'not-modified.body': at(operation, 304).answering(text(() => '[]')),
  }
}

export const READ_LIES: Lies = {
  ...under('pets.list', { ...ofList(LIST, { name: 'categoryId', id: 'category' }), ...ofConditions(LIST) }),
  ...under('pets.get', ofConditions(ONE)),
  ...under('orders.list', { ...ofList(ORDERS, { name: 'petId', id: 'pet' }), ...ofConditions(ORDERS) }),
  ...under('orders.get', ofConditions(ORDER)),
  ...under('inventory.get', ofConditions(INVENTORY)),
}
