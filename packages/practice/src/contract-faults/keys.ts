// Faults in API keys, the order of checks, errors, methods and paths.

import { headerOf } from '../messages.ts'
import {
  at,
  both,
  type ContractFaults,
  errorAnswer,
  hasKey,
  header,
  jsonAnswer,
  put,
  rewrite,
  sentHeader,
  status,
  withKey,
} from './shared/builders.ts'
import { refusingOnce, refusingOthers, withFirstKey } from './shared/memory.ts'
import {
  addressed,
  CREATE,
  credentials,
  echoKey,
  error,
  firstSentence,
  hasHeader,
  isError,
  isJson,
  LIST,
  missed,
  ONE,
  refused,
  takingKeyFrom,
  withoutKey,
} from './shared/operations.ts'

const KEYS: ContractFaults = {
  'auth.code.missing': at('*', 401, withoutKey).onResponse(put('code', 'invalid_api_key')),
  'auth.code.invalid': at('*', 401, hasKey).onResponse(echoKey),
  'auth.key.case': credentials((value) => value.replace('PETS_', 'pets_')),
  'auth.scheme': credentials((value) => (/^bearer /i.test(value) && !/^Bearer/.test(value) ? undefined : value)),
  'auth.scheme.other': credentials((value) => value.replace(/^\w+ /, 'Bearer ')),
  'auth.header.twice': at('*').onRequest((request) => withKey(request, headerOf(request.headers, 'Authorization'))),
  'auth.elsewhere': takingKeyFrom(({ target }) => target),
  'keys.read-only.read': refusingOthers(LIST),
  'keys.read-only.create': withFirstKey(CREATE, 403),
}

const CHECKS: ContractFaults = {
  'checks.not-found-before-preconditions': at(ONE, 404, hasHeader('If-Match', /./)).onResponse(error(412)),
  'checks.path-before-key': at('*', 404, withoutKey).onResponse(() => errorAnswer(401, 'missing_api_key')),
  'checks.method-before-key': at('*', 405, withoutKey).onResponse(() => errorAnswer(401, 'missing_api_key')),
  'checks.key-before-parameters': withFirstKey(LIST, 401, withoutKey, 400),
  'checks.key-before-body': withFirstKey(CREATE, 401, withoutKey, 400),
  'checks.media-type-before-body': at(CREATE, 415, ({ body }) => !isJson(body)).resending(
    sentHeader('Content-Type', () => 'application/json'),
  ),
  'checks.parameters-before-preconditions': at(LIST).refusing(
    hasHeader('If-Match', /"(x|nothing|other|no)/),
    412,
    'precondition_failed',
  ),
  'errors.members': at('*', 'any', isError).onResponse(put('details', [])),
  'errors.headers': at('*', 'any', isError).onResponse(header('X-Request-Id', undefined)),
  'errors.codes': at(CREATE, 401).onResponse(put('code', 'no_key')),
  'errors.not-found.code': missed(put('code', 'pet_not_found')),
  'errors.unknown-path': at('*', 404, ({ target }) => !/[/](?:pets|store)(?![\w-])|p%65ts/i.test(target)).onResponse(
    () => jsonAnswer(200, []),
  ),
  'errors.message.parameters': at(LIST, 400).onResponse(rewrite('message', firstSentence)),
  'errors.message.fields': refused(rewrite('message', firstSentence)),
  'errors.retry-after': refusingOnce,
  'errors.rate-limit': at(LIST).onResponse(header('RateLimit', '100')),
  'errors.unknown-path.store': at('GET /store/*', 404).onResponse(() => jsonAnswer(200, [])),
}

const METHODS: ContractFaults = {
  'methods.options.list': at('OPTIONS /pets', 204).onResponse(header('Allow', undefined)),
  'methods.options.get': at('OPTIONS /pets/*').refusing(withoutKey, 401, 'missing_api_key'),
  'methods.other.list': at('* /pets', 405).onResponse(both(error(404), put('code', 'not_found'))),
  'methods.other.get': at('* /pets/*', 405).onResponse(header('Allow', undefined)),
  'methods.head.errors': at('HEAD /pets/*', 404).onResponse(status(200)),
  'paths.trailing-slash': addressed((path) => path.replace(/\/$/, '')),
  'paths.double-slash': addressed((path) => path.replace('//', '/')),
  'paths.case': addressed((path) => path.toLowerCase()),
  'paths.dot-segments': addressed((path) => path.replace('/./', '/')),
  'paths.encoded-letters': addressed((path) => path.replace(/%65/g, 'e')),
  'paths.encoded-digits': at(ONE).refusing(({ target }) => target.includes('%'), 404, 'not_found'),
}

export const KEY_FAULTS: ContractFaults = { ...KEYS, ...CHECKS, ...METHODS }
