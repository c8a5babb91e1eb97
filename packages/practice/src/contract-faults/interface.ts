// Faults in the promises of the level `interface`, and in all errors.

import { type Json, stringifyJson } from '../../../contract/src/json.ts'
import { type ContractFault, type ContractFaults, errorAnswer, faultsAt, jsonAnswer } from './shared/faults.ts'
import { forgetting, isSimilar, withFirstKey } from './shared/memory.ts'
import {
  CREATE,
  createRefusals,
  createRequests,
  createResponses,
  getMisses,
  getResponses,
  LIST,
  listRequests,
  listResponses,
  ONE,
  PETS,
  refusingToAdd,
  STATUSES,
} from './shared/operations.ts'
import { hasKey, hasParameter, isFiltered, withoutKey } from './shared/requests.ts'
import { is, isFraction, isMissing, isNumber, isText, number, objectOf, rounded } from './shared/values.ts'

const KEYS: ContractFaults = {
  'auth.missing.list': withFirstKey(LIST, 401, withoutKey),
  'auth.missing.get': faultsAt(ONE, 401, withoutKey).answer.error(403),
  'auth.missing.create': withFirstKey(CREATE, 401, withoutKey),
  'auth.invalid.list': faultsAt(LIST, 401, hasKey).answer.error(403),
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

const anyError = faultsAt('*', 'any', (_, { status }) => status >= 400).answer

const ERRORS: ContractFaults = {
  'errors.members': anyError.put('details', []),
  'answers.no-store': anyError.header('Cache-Control'),
  'errors.brackets': faultsAt(LIST).onRequest((request) => ({
    ...request,
    target: request.target.replace('[]=', '='),
  })),
  'errors.headers': anyError.header('X-Request-Id'),
  'errors.codes': faultsAt(CREATE, 401).answer.put('code', 'no_key'),
  'errors.not-found.code': getMisses.put('code', 'pet_not_found'),
  'errors.unknown-path': faultsAt(
    '*',
    404,
    ({ target }) => !/[/](?:pets|store)(?![\w-])|p%65ts/i.test(target),
  ).onResponse(() => jsonAnswer(200, [])),
  'errors.message.parameters': faultsAt(LIST, 400).answer.firstSentence(),
  'errors.message.fields': createRefusals.firstSentence(),
  'errors.retry-after': refusingOnce,
  'errors.rate-limit': faultsAt(LIST).answer.header('RateLimit', '100'),
  'errors.unknown-path.store': faultsAt('GET /store/*', 404).onResponse(() => jsonAnswer(200, [])),
  'errors.401.content-type': faultsAt('*', 401).answer.header('Content-Type', 'text/plain'),
  'errors.401.code': faultsAt('*', 401).answer.drop('code'),
  'errors.401.message': faultsAt('*', 401).answer.put('message', null),
  'errors.401.status': faultsAt('*', 401).answer.put('status', '401'),
  'errors.404.content-type': getMisses.header('Content-Type', 'text/html'),
  'errors.404.code': getMisses.put('code', number('404')),
  'errors.404.message': getMisses.drop('message'),
  'errors.404.status': getMisses.put('status', number('400')),
  'errors.400.content-type': createRefusals.header('Content-Type', 'text/html'),
  'errors.400.code': createRefusals.put('code', null),
  'errors.400.message': createRefusals.rewrite('message', (message) => [message]),
  'errors.400.status': createRefusals.drop('status'),
}

const LISTS: ContractFaults = {
  'pets.list.success': listResponses.status(206),
  'pets.list.content-type': listResponses.header('Content-Type', 'application/json; charset=iso-8859-1'),
  'pets.list.array': listResponses.json((pets) => new Map([['pets', pets]])),
  'pets.list.item.id': listResponses.rewrite('id', (id) => id),
  'pets.list.item.name': listResponses.drop('name'),
  'pets.list.item.category-id': listResponses.put('categoryId', number('7.5')),
  'pets.list.item.status': listResponses.rewrite('status', (status) => status.toUpperCase()),
  'pets.list.ids.unique': listResponses.items((pets) =>
    pets.length > 1 ? [...pets.slice(0, -1), pets[0] ?? null] : pets,
  ),
  'pets.list.limit.default': listRequests.parameter('limit', /^$/, '10'),
  'pets.list.limit.minimum': listRequests.parameter('limit', /^1$/, '2'),
  'pets.list.limit.between': listRequests.parameter('limit', /^([2-9]|[1-9]\d)$/),
  'pets.list.limit.maximum': faultsAt(LIST).refusing(hasParameter('limit', '100')),
  'pets.list.limit.others': listRequests.parameter('limit', /^50$/, '500'),
  'pets.list.status.available': listRequests.parameter('status', /^available$/),
  'pets.list.status.pending': listRequests.parameter('status', /^pending$/, 'sold'),
  'pets.list.status.sold': faultsAt(LIST).refusing(hasParameter('status', 'sold')),
  'pets.list.status.with-limit': listRequests.query(
    (parameters) => parameters.get('status') && parameters.delete('limit'),
  ),
  'pets.list.status.complete': faultsAt(LIST, 200, isFiltered).answer.items((pets) => pets.slice(1)),
}

const ONES: ContractFaults = {
  'pets.get.success': getResponses.status(203),
  'pets.get.content-type': getResponses.header('Content-Type'),
  'pets.get.id': getResponses.rewrite('id', (id) => number(BigInt(id) + 1n)),
  'pets.get.name': getResponses.rewrite('name', (name) => `${name}!`),
  'pets.get.category-id': getResponses.rewrite('categoryId', (digits) => number(BigInt(digits) ^ 1n)),
  'pets.get.status': getResponses.put('status', 'lost'),
  'pets.get.not-found': faultsAt(ONE, 404).onResponse(() => jsonAnswer(200, null)),
  'pets.get.not-found.int64': faultsAt(ONE).refusing(({ target }) => target.includes('9223372036854775807')),
}

const gone = () => errorAnswer(404, 'not_found')

const ADDED: ContractFaults = {
  'pets.create.success': createResponses.status(200),
  'pets.create.content-type': createResponses.header('Content-Type', 'text/plain; charset=utf-8'),
  'pets.create.id': createResponses.drop('id'),
  'pets.create.id.unique': createResponses.put('id', number('1')),
  'pets.create.name': createResponses.rewrite('name', (name) => name.toUpperCase()),
  'pets.create.category-id': createResponses.rewrite('categoryId', (digits) => number(BigInt(digits) - 1n)),
  'pets.create.status.available': createResponses.replace('status', is('available'), 'pending'),
  'pets.create.status.pending': createRequests.replace('status', is('pending'), 'available'),
  'pets.create.status.sold': refusingToAdd((request) => objectOf(request).get('status') === 'sold'),
  'pets.create.status.omitted': refusingToAdd(
    (request) => objectOf(request).has('name') && !objectOf(request).has('status'),
  ),
  'pets.create.name.unicode': createRequests.rewrite('name', (name) =>
    name.replace(/[\u0370-\u03ff\u4e00-\u9fff]/g, '?'),
  ),
  'pets.create.name.escapes': createRequests.rewrite('name', (name) => name.replace(/\\/g, '')),
  'pets.create.int64.largest': createResponses.rewrite(
    'categoryId',
    near('9223372036854775807', '9223372036854775000'),
  ),
  'pets.create.int64.smallest': createResponses.rewrite(
    'categoryId',
    near('-9223372036854775808', '-9223372036854775000'),
  ),
  'pets.create.int64.beyond-53-bits': faultsAt(PETS).answer.rewrite('categoryId', rounded),
  'pets.create.readable': forgetting(ONE, () => true, gone),
  'pets.create.listed': forgetting(LIST, (request) => !isFiltered(request)),
  'pets.create.filtered': forgetting(LIST, isFiltered),
}

/** Adds refused pets that have a name. */
const addingRefused = faultsAt(CREATE, 400).answering(async (response, request, pass) => {
  const name = objectOf(request).get('name')
  if (name) await pass({ ...request, body: Buffer.from(stringifyJson({ name, categoryId: 7 })) })
  return response
})

const REFUSED: ContractFaults = {
  'pets.create.refused.name-missing': createRequests.replace('name', isMissing, 'Rex'),
  'pets.create.refused.category-id-missing': createRequests.replace('categoryId', isMissing, number('0')),
  'pets.create.refused.empty-object': addingInstead(/^\s*\{\s*\}\s*$/),
  'pets.create.refused.name-number': createRequests.replace('name', isNumber, 'Rex'),
  'pets.create.refused.name-null': createRequests.replace('name', is(null), 'null'),
  'pets.create.refused.name-type': createRequests.replace('name', Array.isArray, 'Rex'),
  'pets.create.refused.category-id-type': createRequests.replace('categoryId', Array.isArray, number('7')),
  'pets.create.refused.status-type': createRequests.replace('status', Array.isArray),
  'pets.create.refused.body-type': addingInstead(/^\s*null\s*$/),
  'pets.create.refused.category-id-text': createRequests.replace('categoryId', isText, number('7')),
  'pets.create.refused.category-id-fraction': createRequests.replace('categoryId', isFraction, number('1')),
  'pets.create.refused.category-id-null': createRequests.replace('categoryId', is(null), number('0')),
  'pets.create.refused.status-unknown': createRequests.replace(
    'status',
    (status) => isText(status) && !STATUSES.includes(status),
  ),
  'pets.create.refused.status-number': createRequests.replace('status', isNumber),
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
  return createRequests.body((text) => (wrong.test(text) ? '{"name":"petstore verify","categoryId":7}' : text))
}

export const INTERFACE_FAULTS: ContractFaults = { ...KEYS, ...ERRORS, ...LISTS, ...ONES, ...ADDED, ...REFUSED }
