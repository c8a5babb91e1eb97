// Faults in the promises of the level `interface`, in keys and errors, and in the matching of methods and paths.

import { document } from '../../../contract/src/contract.ts'
import { stringifyJson } from '../../../contract/src/json.ts'
import { headerOf } from '../../../verify/src/headers.ts'
import { nameOfPath } from '../../../verify/src/wrong-values.ts'
import type { ClientRequest, ServiceResponse } from '../proxy.ts'
import * as change from './shared/changes.ts'
import * as faults from './shared/faults.ts'
import { forgetting, isSimilar, refusingOthers, withFirstKey } from './shared/memory.ts'
import { CREATE, INVENTORY, LIST, ONE, PETS } from './shared/operations.ts'
import { hasHeader, hasKey, hasParameter, isFiltered, withKey, withoutKey } from './shared/requests.ts'
import { is, isJson, number, objectOf, rounded } from './shared/values.ts'

const KEYED = Object.entries({ list: LIST, get: ONE, create: CREATE }).flatMap(([name, on]) => [
  [`auth.missing.${name}`, withFirstKey(on, 401, withoutKey)],
  [`auth.invalid.${name}`, withFirstKey(on, 401, hasKey)],
  [`auth.similar.${name}`, withFirstKey(on, 401, isSimilar)],
])

const echoingKey: change.Change = (response, request) =>
  change.put('message', `${headerOf(request.headers, 'Authorization')} is unknown.`)(response)
const takingKeyFromQuery: change.RequestChange = (request) => {
  const [key] = /pets_(?:live|test)_\w+/.exec(request.target) ?? []
  return key ? withKey(request, `Bearer ${key}`) : request
}
const plainScheme = (value: string) => (/^bearer /i.test(value) && !/^Bearer/.test(value) ? undefined : value)
const hasIfMatch = hasHeader('If-Match', /./)
const asJson = change.header('Content-Type', () => 'application/json')
const missingKey = () => faults.errorAnswer('missing_api_key')

const KEYS: faults.ContractFaults = {
  ...Object.fromEntries(KEYED),
  'auth.code.missing': { on: '*', status: 401, when: withoutKey, answer: change.put('code', 'invalid_api_key') },
  'auth.code.invalid': { on: '*', status: 401, when: hasKey, answer: echoingKey },
  ...faults.sending('*', {
    'auth.key.case': change.header('Authorization', (value) => value.replace('PETS_', 'pets_')),
    'auth.scheme': change.header('Authorization', plainScheme),
    'auth.scheme.other': change.header('Authorization', (value) => value.replace(/^\w+ /, 'Bearer ')),
    'auth.header.twice': (request) => withKey(request, headerOf(request.headers, 'Authorization')),
    'auth.elsewhere': takingKeyFromQuery,
  }),
  'keys.read-only.read': refusingOthers(LIST),
  'keys.read-only.create': withFirstKey(CREATE, 403),
  'keys.read-only.store': refusingOthers(INVENTORY),
  'checks.not-found-before-preconditions': { on: ONE, status: 404, when: hasIfMatch, answer: change.error(412) },
  'checks.path-before-key': { on: '*', status: 404, when: withoutKey, answer: missingKey },
  'checks.method-before-key': { on: '*', status: 405, when: withoutKey, answer: missingKey },
  'checks.key-before-parameters': withFirstKey(LIST, 401, withoutKey, 400),
  'checks.key-before-body': withFirstKey(CREATE, 401, withoutKey, 400),
  'checks.media-type-before-body': { on: CREATE, status: 415, when: ({ body }) => !isJson(body), again: asJson },
  ...faults.refusing(LIST, 'precondition_failed', {
    'checks.parameters-before-preconditions': hasHeader('If-Match', /"(x|nothing|other|no)/),
  }),
}

const METHODS = Object.keys(document.paths).flatMap((template) => {
  const path = template.replaceAll(/\{\w+\}/g, '*')
  const name = nameOfPath(template)
  return [
    [`methods.options.${name}`, { on: `OPTIONS ${path}`, status: 204, answer: change.header('Allow') }],
    [`methods.other.${name}`, { on: `* ${path}`, status: 405, answer: change.error(404) }],
  ]
})

const PATHS: faults.ContractFaults = {
  ...Object.fromEntries(METHODS),
  ...faults.answering('HEAD /pets/*', 404, { 'methods.head.errors': change.status(200) }),
  ...faults.sending('*', {
    'paths.trailing-slash': change.path((path) => path.replace(/\/$/, '')),
    'paths.double-slash': change.path((path) => path.replace('//', '/')),
    'paths.case': change.path((path) => path.toLowerCase()),
    'paths.dot-segments': change.path((path) => path.replace('/./', '/')),
    'paths.encoded-letters': change.path((path) => path.replace(/%65/g, 'e')),
  }),
  ...faults.refusing(ONE, 'not_found', { 'paths.encoded-digits': ({ target }) => target.includes('%') }),
}

/** Returns 429 once, without Retry-After. */
const refusingOnce: faults.ContractFault = () => {
  let count = 0
  return async (request, pass) => (++count === 5 ? faults.errorAnswer('rate_limited') : pass(request))
}

const isError = (_: ClientRequest, { status }: ServiceResponse) => status >= 400
/** The members and the type of errors with this status. */
const errorsOf = (on: string, status: number): faults.ContractFaults =>
  faults.answering(on, status, {
    [`errors.${status}.content-type`]: change.header('Content-Type'),
    [`errors.${status}.code`]: change.drop('code'),
    [`errors.${status}.message`]: change.drop('message'),
    [`errors.${status}.status`]: change.drop('status'),
  })

const ERRORS: faults.ContractFaults = {
  ...errorsOf('*', 401),
  ...errorsOf(ONE, 404),
  ...errorsOf(CREATE, 400),
  'errors.members': { on: '*', when: isError, answer: change.put('details', []) },
  'errors.headers': { on: '*', when: isError, answer: change.header('X-Request-Id') },
  'answers.no-store': { on: '*', when: isError, answer: change.header('Cache-Control') },
  ...faults.answering(CREATE, 401, { 'errors.codes': change.put('code', 'no_key') }),
  ...faults.answering(ONE, 404, { 'errors.not-found.code': change.put('code', 'pet_not_found') }),
  'errors.unknown-path': {
    on: '*',
    status: 404,
    when: ({ target }) => !/[/](?:pets|store)(?![\w-])|p%65ts/i.test(target),
    answer: () => faults.jsonAnswer(200, []),
  },
  ...faults.answering('GET /store/*', 404, { 'errors.unknown-path.store': () => faults.jsonAnswer(200, []) }),
  ...faults.answering(LIST, 400, { 'errors.message.parameters': change.firstSentence() }),
  ...faults.answering(CREATE, 400, { 'errors.message.fields': change.firstSentence() }),
  ...faults.answering(LIST, undefined, { 'errors.rate-limit': change.header('RateLimit', '100') }),
  'errors.retry-after': refusingOnce,
}

const LISTS: faults.ContractFaults = {
  ...faults.answering(LIST, 200, {
    'content-type': change.header('Content-Type', 'application/json; charset=iso-8859-1'),
    array: change.json((pets) => new Map([['pets', pets]])),
    'item.id': change.rewrite('id', (id) => id),
    'item.name': change.drop('name'),
    'item.category-id': change.put('categoryId', number('7.5')),
    'item.status': change.rewrite('status', (status) => status.toUpperCase()),
    'ids.unique': change.items((pets) => (pets.length > 1 ? [...pets.slice(0, -1), pets[0] ?? null] : pets)),
  }),
  ...faults.sending(LIST, {
    'limit.default': change.parameter('limit', /^$/, '10'),
    'limit.minimum': change.parameter('limit', /^1$/, '2'),
    'limit.between': change.parameter('limit', /^([2-9]|[1-9]\d)$/),
    'limit.others': change.parameter('limit', /^50$/, '500'),
    'status.with-limit': change.query((parameters) => parameters.get('status') && parameters.delete('limit')),
  }),
  ...faults.refusing(LIST, 'invalid_parameter', { 'limit.maximum': hasParameter('limit', '100') }),
  'status.complete': { on: LIST, status: 200, when: isFiltered, answer: change.items((pets) => pets.slice(1)) },
}

const ONES: faults.ContractFaults = {
  ...faults.answering(ONE, 200, {
    'content-type': change.header('Content-Type'),
    id: change.rewrite('id', (id) => number(BigInt(id) + 1n)),
    name: change.rewrite('name', (name) => `${name}!`),
    'category-id': change.rewrite('categoryId', (digits) => number(BigInt(digits) ^ 1n)),
    status: change.put('status', 'lost'),
  }),
  ...faults.refusing(ONE, 'invalid_parameter', {
    'not-found.int64': ({ target }) => target.includes('9223372036854775807'),
  }),
}

const near = (exact: string, other: string) => (digits: string) => number(digits === exact ? other : digits)
const always = () => true
const isSold = (request: { body: Buffer }) => objectOf(request).get('status') === 'sold'

const ADDED: faults.ContractFaults = {
  ...faults.answering(CREATE, 201, {
    'content-type': change.header('Content-Type'),
    id: change.drop('id'),
    'id.unique': change.put('id', number('1')),
    name: change.rewrite('name', (name) => name.toUpperCase()),
    'category-id': change.rewrite('categoryId', (digits) => number(BigInt(digits) - 1n)),
    'status.available': change.replace('status', is('available'), 'pending'),
    'int64.largest': change.rewrite('categoryId', near('9223372036854775807', '9223372036854775000')),
    'int64.smallest': change.rewrite('categoryId', near('-9223372036854775808', '-9223372036854775000')),
  }),
  ...faults.sending(CREATE, {
    'status.pending': change.replace('status', is('pending'), 'available'),
    'name.unicode': change.rewriteText('name', (name) => name.replace(/[\u0370-\u03ff\u4e00-\u9fff]/g, '?')),
    'name.escapes': change.rewriteText('name', (name) => name.replace(/\\/g, '')),
  }),
  ...faults.refusing(CREATE, 'invalid_pet', {
    'status.sold': isSold,
    'status.omitted': (request) => objectOf(request).has('name') && !objectOf(request).has('status'),
  }),
  ...faults.answering(PETS, undefined, { 'int64.beyond-53-bits': change.rewrite('categoryId', rounded) }),
  readable: forgetting(ONE, always, () => faults.errorAnswer('not_found')),
  listed: forgetting(LIST, (request) => !isFiltered(request)),
  filtered: forgetting(LIST, isFiltered),
}

/** Adds a valid pet if the body matches. */
const addingInstead = (wrong: RegExp) =>
  change.text((text) => (wrong.test(text) ? '{"name":"petstore verify","categoryId":7}' : text))

const REFUSED: faults.ContractFaults = {
  ...faults.sending(CREATE, {
    'empty-object': addingInstead(/^\s*\{\s*\}\s*$/),
    'body-type': addingInstead(/^\s*null\s*$/),
    'no-object': addingInstead(/^\s*\[/),
  }),
  ...faults.refusing(CREATE, 'internal', {
    'no-body': ({ body }) => body.length === 0,
    'no-json': ({ body }) => /,\s*$/.test(`${body}`),
  }),
  // Adds rejected pets that have a name.
  'not-added': {
    on: CREATE,
    status: 400,
    answer: async (response, request, pass) => {
      const name = objectOf(request).get('name')
      if (name) await pass({ ...request, body: Buffer.from(stringifyJson({ name, categoryId: 7 })) })
      return response
    },
  },
}

export const INTERFACE_FAULTS: faults.ContractFaults = {
  ...KEYS,
  ...PATHS,
  ...ERRORS,
  ...faults.under('pets.list', LISTS),
  ...faults.under('pets.get', ONES),
  ...faults.under('pets.create', ADDED),
  ...faults.under('pets.create.refused', REFUSED),
}
