// Faults in the promises of the level `interface`, and in all errors.

import { type Json, stringifyJson } from '../../../contract/src/json.ts'
import { at, type ContractFault, type ContractFaults, errorAnswer, jsonAnswer } from './shared/faults.ts'
import { forgetting, isSimilar, withFirstKey } from './shared/memory.ts'
import {
  added,
  adding,
  CREATE,
  got,
  LIST,
  listed,
  listing,
  missed,
  ONE,
  PETS,
  refused,
  refusingToAdd,
  STATUSES,
} from './shared/operations.ts'
import { hasKey, hasParameter, isFiltered, withoutKey } from './shared/requests.ts'
import { is, isFraction, isMissing, isNumber, isText, number, objectOf, rounded } from './shared/values.ts'

const KEYS: ContractFaults = {
  'auth.missing.list': withFirstKey(LIST, 401, withoutKey),
  'auth.missing.get': at(ONE, 401, withoutKey).answer.error(403),
  'auth.missing.create': withFirstKey(CREATE, 401, withoutKey),
  'auth.invalid.list': at(LIST, 401, hasKey).answer.error(403),
  'auth.invalid.get': withFirstKey(ONE, 401, hasKey),
  'auth.invalid.create': withFirstKey(CREATE, 401, hasKey),
  'auth.similar.list': withFirstKey('*', 401, isSimilar),
  'auth.similar.get': withFirstKey(ONE, 401, isSimilar),
  'auth.similar.create': withFirstKey(CREATE, 401, isSimilar),
}

/** Returns 429 once, without Retry-After. */
const refusingOnce: ContractFault = () => {
  let count = 0
  return async (request, pass) => (++count === 5 ? errorAnswer(429, 'rate_limited') : pass(request))
}

const anyError = at('*', 'any', (_, { status }) => status >= 400).answer

const ERRORS: ContractFaults = {
  'errors.members': anyError.put('details', []),
  'errors.headers': anyError.header('X-Request-Id'),
  'errors.codes': at(CREATE, 401).answer.put('code', 'no_key'),
  'errors.not-found.code': missed.put('code', 'pet_not_found'),
  'errors.unknown-path': at('*', 404, ({ target }) => !/[/](?:pets|store)(?![\w-])|p%65ts/i.test(target)).onResponse(
    () => jsonAnswer(200, []),
  ),
  'errors.message.parameters': at(LIST, 400).answer.firstSentence(),
  'errors.message.fields': refused.firstSentence(),
  'errors.retry-after': refusingOnce,
  'errors.rate-limit': at(LIST).answer.header('RateLimit', '100'),
  'errors.unknown-path.store': at('GET /store/*', 404).onResponse(() => jsonAnswer(200, [])),
  'errors.401.content-type': at('*', 401).answer.header('Content-Type', 'text/plain'),
  'errors.401.code': at('*', 401).answer.drop('code'),
  'errors.401.message': at('*', 401).answer.put('message', null),
  'errors.401.status': at('*', 401).answer.put('status', '401'),
  'errors.404.content-type': missed.header('Content-Type', 'text/html'),
  'errors.404.code': missed.put('code', number('404')),
  'errors.404.message': missed.drop('message'),
  'errors.404.status': missed.put('status', number('400')),
  'errors.400.content-type': refused.header('Content-Type', 'text/html'),
  'errors.400.code': refused.put('code', null),
  'errors.400.message': refused.rewrite('message', (message) => [message]),
  'errors.400.status': refused.drop('status'),
}

const LISTS: ContractFaults = {
  'pets.list.success': listed.status(206),
  'pets.list.content-type': listed.header('Content-Type', 'application/json; charset=iso-8859-1'),
  'pets.list.array': listed.json((pets) => new Map([['pets', pets]])),
  'pets.list.item.id': listed.rewrite('id', (id) => id),
  'pets.list.item.name': listed.drop('name'),
  'pets.list.item.category-id': listed.put('categoryId', number('7.5')),
  'pets.list.item.status': listed.rewrite('status', (status) => status.toUpperCase()),
  'pets.list.ids.unique': listed.items((pets) => (pets.length > 1 ? [...pets.slice(0, -1), pets[0] ?? null] : pets)),
  'pets.list.limit.default': listing.parameter('limit', /^$/, '10'),
  'pets.list.limit.minimum': listing.parameter('limit', /^1$/, '2'),
  'pets.list.limit.between': listing.parameter('limit', /^([2-9]|[1-9]\d)$/),
  'pets.list.limit.maximum': at(LIST).refusing(hasParameter('limit', '100')),
  'pets.list.limit.others': listing.parameter('limit', /^50$/, '500'),
  'pets.list.status.available': listing.parameter('status', /^available$/),
  'pets.list.status.pending': listing.parameter('status', /^pending$/, 'sold'),
  'pets.list.status.sold': at(LIST).refusing(hasParameter('status', 'sold')),
  'pets.list.status.with-limit': listing.query((parameters) => parameters.get('status') && parameters.delete('limit')),
  'pets.list.status.complete': at(LIST, 200, isFiltered).answer.items((pets) => pets.slice(1)),
}

const ONES: ContractFaults = {
  'pets.get.success': got.status(203),
  'pets.get.content-type': got.header('Content-Type'),
  'pets.get.id': got.rewrite('id', (id) => number(BigInt(id) + 1n)),
  'pets.get.name': got.rewrite('name', (name) => `${name}!`),
  'pets.get.category-id': got.rewrite('categoryId', (digits) => number(BigInt(digits) ^ 1n)),
  'pets.get.status': got.put('status', 'lost'),
  'pets.get.not-found': at(ONE, 404).onResponse(() => jsonAnswer(200, null)),
  'pets.get.not-found.int64': at(ONE).refusing(({ target }) => target.includes('9223372036854775807')),
}

const gone = () => errorAnswer(404, 'not_found')

const ADDED: ContractFaults = {
  'pets.create.success': added.status(200),
  'pets.create.content-type': added.header('Content-Type', 'text/plain; charset=utf-8'),
  'pets.create.id': added.drop('id'),
  'pets.create.id.unique': added.put('id', number('1')),
  'pets.create.name': added.rewrite('name', (name) => name.toUpperCase()),
  'pets.create.category-id': added.rewrite('categoryId', (digits) => number(BigInt(digits) - 1n)),
  'pets.create.status.available': added.replace('status', is('available'), 'pending'),
  'pets.create.status.pending': adding.replace('status', is('pending'), 'available'),
  'pets.create.status.sold': refusingToAdd((request) => objectOf(request).get('status') === 'sold'),
  'pets.create.status.omitted': refusingToAdd(
    (request) => objectOf(request).has('name') && !objectOf(request).has('status'),
  ),
  'pets.create.name.unicode': adding.rewrite('name', (name) => name.replace(/[\u0370-\u03ff\u4e00-\u9fff]/g, '?')),
  'pets.create.name.escapes': adding.rewrite('name', (name) => name.replace(/\\/g, '')),
  'pets.create.int64.largest': added.rewrite('categoryId', near('9223372036854775807', '9223372036854775000')),
  'pets.create.int64.smallest': added.rewrite('categoryId', near('-9223372036854775808', '-9223372036854775000')),
  'pets.create.int64.beyond-53-bits': at(PETS).answer.rewrite('categoryId', rounded),
  'pets.create.readable': forgetting(ONE, () => true, gone),
  'pets.create.listed': forgetting(LIST, (request) => !isFiltered(request)),
  'pets.create.filtered': forgetting(LIST, isFiltered),
}

/** Adds refused pets that have a name. */
const addingRefused = at(CREATE, 400).answering(async (response, request, pass) => {
  const name = objectOf(request).get('name')
  if (name) await pass({ ...request, body: Buffer.from(stringifyJson({ name, categoryId: 7 })) })
  return response
})

const REFUSED: ContractFaults = {
  'pets.create.refused.name-missing': adding.replace('name', isMissing, 'Rex'),
  'pets.create.refused.category-id-missing': adding.replace('categoryId', isMissing, number('0')),
  'pets.create.refused.empty-object': addingInstead(/^\s*\{\s*\}\s*$/),
  'pets.create.refused.name-number': adding.replace('name', isNumber, 'Rex'),
  'pets.create.refused.name-null': adding.replace('name', is(null), 'null'),
  'pets.create.refused.name-type': adding.replace('name', Array.isArray, 'Rex'),
  'pets.create.refused.category-id-type': adding.replace('categoryId', Array.isArray, number('7')),
  'pets.create.refused.status-type': adding.replace('status', Array.isArray),
  'pets.create.refused.body-type': addingInstead(/^\s*null\s*$/),
  'pets.create.refused.category-id-text': adding.replace('categoryId', isText, number('7')),
  'pets.create.refused.category-id-fraction': adding.replace('categoryId', isFraction, number('1')),
  'pets.create.refused.category-id-null': adding.replace('categoryId', is(null), number('0')),
  'pets.create.refused.status-unknown': adding.replace(
    'status',
    (status) => isText(status) && !STATUSES.includes(status),
  ),
  'pets.create.refused.status-number': adding.replace('status', isNumber),
  'pets.create.refused.no-body': refusingToAdd(({ body }) => body.length === 0, 500, 'internal'),
  'pets.create.refused.no-json': refusingToAdd(({ body }) => /,\s*$/.test(body.toString()), 500, 'internal'),
  'pets.create.refused.no-object': addingInstead(/^\s*\[/),
  'pets.create.refused.not-added': addingRefused,
}

function near(exact: string, other: string): (digits: string) => Json {
  return (digits) => number(digits === exact ? other : digits)
}

/** Adds a valid pet if the body matches. */
function addingInstead(wrong: RegExp): ContractFault {
  return adding.body((text) => (wrong.test(text) ? '{"name":"petstore verify","categoryId":7}' : text))
}

export const INTERFACE_FAULTS: ContractFaults = { ...KEYS, ...ERRORS, ...LISTS, ...ONES, ...ADDED, ...REFUSED }
