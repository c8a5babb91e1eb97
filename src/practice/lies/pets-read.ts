// Lies about lists of pets, their pages, conditional requests, and the pet that is fetched.

import {
  at,
  both,
  errorAnswer,
  header,
  headerText,
  items,
  type Lies,
  parameter,
  parametersOf,
  query,
  sentHeader,
  text,
  type When,
} from '../tell.ts'
import { keepingTags } from './memory.ts'
import {
  got,
  hasCursor,
  hasHeader,
  hasNext,
  isUnknown,
  LIST,
  listed,
  listing,
  missed,
  ONE,
  once,
  path,
} from './words.ts'

const LISTS: Lies = {
  'pets.list.order': listed(items((pets) => pets.toReversed())),
  'pets.list.next': listed(header('Link', undefined)),
  'pets.list.next.none': at(LIST, 200, (_, answered) => !hasNext(answered)).answering(
    header('Link', '</v1/pets?cursor=x>; rel="next"'),
  ),
  'pets.list.next.relative': listed(headerText('Link', (link) => link.replace('<', '<http://petstore.example'))),
  'pets.list.next.parameters': listed(headerText('Link', (link) => link.replace(/limit=\d+&/, ''))),
  'pets.list.next.follow': at(LIST, 200, hasCursor).answering(items((pets) => pets.slice(1))),
  'pets.list.prev': listed(headerText('Link', (link) => link.replace('rel="prev"', 'rel="previous"'))),
  'pets.list.prev.none': at(LIST, 200, (asked, answered) => !hasCursor(asked) && hasNext(answered)).answering(
    headerText('Link', (link) => `${link}, </v1/pets?cursor=x>; rel="prev"`),
  ),
  'pets.list.sort.newest': listing(parameter('sort', /^newest$/, undefined)),
  'pets.list.sort.unknown': at(LIST, 400).askingAgain(parameter('sort', /^[a-z]+$/, undefined)),
  'pets.list.category': listing(parameter('categoryId', /./, undefined)),
  'pets.list.category.none': at(LIST, 200, (asked, { body }) => hasCategory(asked) && body.length === 2).answering(() =>
    errorAnswer(404, 'not_found'),
  ),
  'pets.list.category.text': at(LIST, 400).askingAgain(parameter('categoryId', /^[a-z]+$/, undefined)),
  'pets.list.cursor.other-order': at(LIST, 400, hasCursor).askingAgain(parameter('sort', /^newest$/, undefined)),
  'pets.list.cursor.invalid': at(LIST, 400).askingAgain(parameter('cursor', /^[^,]+$/, undefined)),
  'pets.list.cursor.empty': at(LIST, 400).askingAgain(parameter('cursor', /^$/, undefined)),
  'pets.list.cursor.twice': at(LIST, 400).askingAgain(once('cursor')),
  'pets.list.limit.zero': listing(parameter('limit', /^0$/, '1')),
  'pets.list.limit.too-large': listing(parameter('limit', /^101$/, '100')),
  'pets.list.limit.huge': listing(parameter('limit', /^9{20}$/, '100')),
  'pets.list.limit.empty': at(LIST, 400).askingAgain(parameter('limit', /^$/, undefined)),
  'pets.list.limit.text': listing(parameter('limit', /^[a-z]+$/, undefined)),
  'pets.list.limit.negative': listing(parameter('limit', /^-/, '1')),
  'pets.list.limit.plus': listing(parameter('limit', /^[+ ]5$/, '5')),
  'pets.list.limit.leading-zero': listing(parameter('limit', /^05$/, '5')),
  'pets.list.limit.fraction': listing(parameter('limit', /^5\.0$/, '5')),
  'pets.list.limit.exponent': listing(parameter('limit', /^1e1$/, '10')),
  'pets.list.limit.twice': listing(once('limit')),
  'pets.list.status.unknown': listing(parameter('status', /^(?!available$|pending$|sold$)[a-z]+$/, undefined)),
  'pets.list.status.empty': at(LIST, 400).askingAgain(parameter('status', /^$/, undefined)),
  'pets.list.status.case': listing(
    query((given) => given.has('status') && given.set('status', given.get('status')?.toLowerCase() ?? '')),
  ),
  'pets.list.status.twice': listing(once('status')),
  'pets.list.parameters.unknown': at(LIST).refusing(
    (asked) => [...parametersOf(asked).keys()].some(isUnknown(KNOWN)),
    400,
    'invalid_parameter',
  ),
  'pets.list.parameters.encoded': at(LIST).refusing(({ target }) => target.includes('%'), 400, 'invalid_parameter'),
}
const hasCategory: When = (asked) => parametersOf(asked).has('categoryId')
const KNOWN = ['limit', 'status', 'cursor', 'search', 'sort', 'categoryId']

const CONDITIONS: Lies = {
  'pets.list.etag': listed((answered, asked) => header('ETag', `"${crypto.randomUUID()}"`)(answered, asked)),
  'pets.list.etag.changes': keepingTags(LIST),
  'pets.list.cache-control': listed(header('Cache-Control', 'public, max-age=60')),
  'pets.list.if-none-match': listing(sentHeader('If-None-Match', () => undefined)),
  'pets.list.if-none-match.weak': listing(
    sentHeader('If-None-Match', (tags) => (tags.startsWith('W/') ? undefined : tags)),
  ),
  'pets.list.if-none-match.list': listing(
    sentHeader('If-None-Match', (tags) => (tags.includes(',') ? undefined : tags)),
  ),
  'pets.list.if-none-match.any': listing(sentHeader('If-None-Match', (tags) => (tags === '*' ? undefined : tags))),
  'pets.list.if-none-match.other': listing(sentHeader('If-None-Match', () => '*')),
  'pets.list.not-modified.headers': at(LIST, 304).answering(header('ETag', undefined)),
  'pets.list.not-modified.body': at(LIST, 304).answering(text(() => '[]')),
  'pets.list.if-match': at(LIST).refusing(hasHeader('If-Match', /./), 412, 'precondition_failed'),
  'pets.list.if-match.other': listing(sentHeader('If-Match', () => '*')),
  'pets.list.if-match.weak': listing(sentHeader('If-Match', (tags) => tags.replace('W/', ''))),
  'pets.list.head': at('HEAD /pets', 200).answering(header('ETag', undefined)),
  'pets.get.etag': got(header('ETag', undefined)),
  'pets.get.cache-control': got(header('Cache-Control', undefined)),
  'pets.get.if-none-match': at(ONE).asking(sentHeader('If-None-Match', () => undefined)),
  'pets.get.not-modified.headers': at(ONE, 304).answering(header('Cache-Control', undefined)),
  'pets.get.if-match.other': at(ONE).asking(sentHeader('If-Match', () => undefined)),
  'pets.get.head': at('HEAD /pets/*').refusing(() => true, 405, 'method_not_allowed'),
}

const ONES: Lies = {
  'pets.get.no-id.text': at(ONE).refusing(({ target }) => /\/[a-z]+$/.test(target), 400, 'invalid_parameter'),
  'pets.get.no-id.range': at(ONE).refusing(
    ({ target }) => /\/-?\d{19,}$/.test(target) && !target.endsWith('07'),
    400,
    'invalid_parameter',
  ),
  'pets.get.no-id.spelling': at(ONE).asking(path((before) => before.replace(/\/0+(?=\d)/, '/'))),
  'pets.get.deprecation': got(header('Deprecation', 'true')),
  'pets.get.sunset': got(header('Sunset', 'Fri, 06 Dec 2030 00:00:00 GMT')),
  'pets.get.link.successor': got(headerText('Link', (link) => link.replace('successor-version', 'next'))),
  'pets.get.link.deprecation': got(headerText('Link', (link) => link.replace(/, <[^>]*>; rel="deprecation".*$/, ''))),
  'pets.get.deprecation.not-found': missed(both(header('Deprecation', undefined), header('Sunset', undefined))),
}

export const PETS_READ_LIES: Lies = { ...LISTS, ...CONDITIONS, ...ONES }
