// Faults in API keys, the order of checks, methods and the matching of paths.

import { headerOf } from '../messages.ts'
import { type Change, put } from './shared/answer-changes.ts'
import { type ContractFaults, errorAnswer, faultsAt } from './shared/faults.ts'
import { refusingOthers, withFirstKey } from './shared/memory.ts'
import { CREATE, EVENTS, INVENTORY, LIST, ONE, ORDER, ORDERS, PLACE } from './shared/operations.ts'
import type { RequestChange } from './shared/request-changes.ts'
import { hasHeader, hasKey, withKey, withoutKey } from './shared/requests.ts'
import { isJson } from './shared/values.ts'

const echoingKey: Change = (response, request) =>
  put('message', `${headerOf(request.headers, 'Authorization')} is unknown.`)(response, request)
const takingKeyFromQuery: RequestChange = (request) => {
  const [key] = /pets_(?:live|test)_\w+/.exec(request.target) ?? []
  return key ? withKey(request, `Bearer ${key}`) : request
}

const KEYS: ContractFaults = {
  'auth.code.missing': faultsAt('*', 401, withoutKey).answer.put('code', 'invalid_api_key'),
  'auth.code.invalid': faultsAt('*', 401, hasKey).onResponse(echoingKey),
  'auth.key.case': faultsAt('*').request.header('Authorization', (value) => value.replace('PETS_', 'pets_')),
  'auth.scheme': faultsAt('*').request.header('Authorization', (value) =>
    /^bearer /i.test(value) && !/^Bearer/.test(value) ? undefined : value,
  ),
  'auth.scheme.other': faultsAt('*').request.header('Authorization', (value) => value.replace(/^\w+ /, 'Bearer ')),
  'auth.header.twice': faultsAt('*').onRequest((request) =>
    withKey(request, headerOf(request.headers, 'Authorization')),
  ),
  'auth.elsewhere': faultsAt('*').onRequest(takingKeyFromQuery),
  'keys.read-only.read': refusingOthers(LIST),
  'keys.read-only.create': withFirstKey(CREATE, 403),
  'checks.not-found-before-preconditions': faultsAt(ONE, 404, hasHeader('If-Match', /./)).answer.error(412),
  'checks.path-before-key': faultsAt('*', 404, withoutKey).onResponse(() => errorAnswer(401, 'missing_api_key')),
  'checks.method-before-key': faultsAt('*', 405, withoutKey).onResponse(() => errorAnswer(401, 'missing_api_key')),
  'checks.key-before-parameters': withFirstKey(LIST, 401, withoutKey, 400),
  'checks.key-before-body': withFirstKey(CREATE, 401, withoutKey, 400),
  'checks.media-type-before-body': faultsAt(CREATE, 415, ({ body }) => !isJson(body)).again.header(
    'Content-Type',
    () => 'application/json',
  ),
  'checks.parameters-before-preconditions': faultsAt(LIST).refusing(
    hasHeader('If-Match', /"(x|nothing|other|no)/),
    412,
    'precondition_failed',
  ),
}

const KEYED = {
  'orders.list': ORDERS,
  'orders.get': ORDER,
  'inventory.get': INVENTORY,
  'events.list': EVENTS,
  'orders.place': PLACE,
}
const PATHS = {
  orders: '/store/orders',
  order: '/store/orders/*',
  complete: '/store/orders/*/complete',
  return: '/store/orders/*/return',
  inventory: '/store/inventory',
  events: '/store/events',
}

const OF_STORE: ContractFaults = {
  ...Object.fromEntries(
    Object.entries(KEYED).map(([id, operation]) => [`${id}.no-key`, withFirstKey(operation, 401, withoutKey)]),
  ),
  'orders.place.read-only-key': withFirstKey(PLACE, 403),
  'keys.read-only.store': refusingOthers(INVENTORY),
  ...Object.fromEntries(
    Object.entries(PATHS).flatMap(([name, path]) => [
      [`methods.options.${name}`, faultsAt(`OPTIONS ${path}`, 204).answer.header('Allow')],
      [`methods.other.${name}`, faultsAt(`* ${path}`, 405).answer.error(404)],
    ]),
  ),
}

const METHODS: ContractFaults = {
  'methods.options.list': faultsAt('OPTIONS /pets', 204).answer.header('Allow'),
  'methods.options.get': faultsAt('OPTIONS /pets/*').refusing(withoutKey, 401, 'missing_api_key'),
  'methods.other.list': faultsAt('* /pets', 405).answer.error(404, 'not_found'),
  'methods.other.get': faultsAt('* /pets/*', 405).answer.header('Allow'),
  'methods.head.errors': faultsAt('HEAD /pets/*', 404).answer.status(200),
  'paths.trailing-slash': faultsAt('*').request.path((path) => path.replace(/\/$/, '')),
  'paths.double-slash': faultsAt('*').request.path((path) => path.replace('//', '/')),
  'paths.case': faultsAt('*').request.path((path) => path.toLowerCase()),
  'paths.dot-segments': faultsAt('*').request.path((path) => path.replace('/./', '/')),
  'paths.encoded-letters': faultsAt('*').request.path((path) => path.replace(/%65/g, 'e')),
  'paths.encoded-digits': faultsAt(ONE).refusing(({ target }) => target.includes('%'), 404, 'not_found'),
}

export const KEY_FAULTS: ContractFaults = { ...KEYS, ...OF_STORE, ...METHODS }
