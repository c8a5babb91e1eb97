// Lies about API keys, the order of checks, errors, methods and paths.

import {
  at,
  both,
  errorAnswer,
  hasKey,
  header,
  jsonAnswer,
  type Lies,
  put,
  rewrite,
  sentHeader,
  withKey,
} from '../lie-builders.ts'
import { headerOf } from '../messages.ts'
import { refusingOnce, refusingOthers, withFirstKey } from './memory.ts'
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
  number,
  ONE,
  refused,
  takingKeyFrom,
  withoutKey,
} from './words.ts'

const KEYS: Lies = {
  'auth.code.missing': at('*', 401, withoutKey).answering(put('code', 'invalid_api_key')),
  'auth.code.invalid': at('*', 401, hasKey).answering(put('code', 'missing_api_key')),
  'auth.challenge.missing': at('*', 401, withoutKey).answering(header('WWW-Authenticate', undefined)),
  'auth.challenge.invalid': at('*', 401).answering(header('WWW-Authenticate', 'Bearer realm="petstore"')),
  'auth.echo': at('*', 401, hasKey).answering(echoKey),
  'auth.scheme.case': credentials((value) => (/^bearer /i.test(value) && !/^Bearer/.test(value) ? undefined : value)),
  'auth.scheme.spaces': credentials((value) => (/^\w+ {2}/.test(value) ? undefined : value)),
  'auth.scheme.other': credentials((value) => value.replace(/^\w+ /, 'Bearer ')),
  'auth.scheme.none': credentials((value) => value.replace(/^(?=pets_\w+$)/, 'Bearer ')),
  'auth.header.twice': at('*').asking((asked) => withKey(asked, headerOf(asked.headers, 'Authorization'))),
  'auth.elsewhere.query': takingKeyFrom(({ target }) => target),
  'auth.elsewhere.header': takingKeyFrom(({ headers }) => headerOf(headers, 'X-API-Key')),
  'auth.elsewhere.cookie': takingKeyFrom(({ headers }) => headerOf(headers, 'Cookie')),
  'keys.read-only.list': refusingOthers(LIST),
  'keys.read-only.get': refusingOthers(ONE),
  'keys.read-only.create': withFirstKey(CREATE, 403),
}

const CHECKS: Lies = {
  'checks.not-found-before-preconditions': at(ONE, 404, hasHeader('If-Match', /./)).answering(error(412)),
  'checks.path-before-key': at('*', 404, withoutKey).answering(() => errorAnswer(401, 'missing_api_key')),
  'checks.method-before-key': at('*', 405, withoutKey).answering(() => errorAnswer(401, 'missing_api_key')),
  'checks.key-before-parameters': withFirstKey(LIST, 401, 400),
  'checks.key-before-body': withFirstKey(CREATE, 401, 400),
  'checks.media-type-before-body': at(CREATE, 415, ({ body }) => !isJson(body)).askingAgain(
    sentHeader('Content-Type', () => 'application/json'),
  ),
  'checks.parameters-before-preconditions': at(LIST).refusing(
    hasHeader('If-Match', /"(x|nothing|other|no)/),
    412,
    'precondition_failed',
  ),
  'errors.members': at('*', 'any', isError).answering(put('details', [])),
  'errors.content-type': at('*', 'any', isError).answering(header('Content-Type', 'application/json; charset=utf-8')),
  'errors.request-id': at('*', 'any', isError).answering(header('X-Request-Id', undefined)),
  'errors.status': at(LIST, 400).answering(put('status', number(500))),
  'errors.codes': at(CREATE, 401).answering(put('code', 'no_key')),
  'errors.not-found.code': missed(put('code', 'pet_not_found')),
  'errors.unknown-path': at('*', 404, ({ target }) => !/[/](?:pets|store)(?![\w-])|p%65ts/i.test(target)).answering(
    () => jsonAnswer(200, []),
  ),
  'errors.message.parameters': at(LIST, 400).answering(rewrite('message', firstSentence)),
  'errors.message.fields': refused(rewrite('message', firstSentence)),
  'errors.retry-after': refusingOnce,
}

const METHODS: Lies = {
  'methods.options.list': at('OPTIONS /pets', 204).answering(header('Allow', undefined)),
  'methods.options.get': at('OPTIONS /pets/*').refusing(withoutKey, 401, 'missing_api_key'),
  'methods.other.list': at('* /pets', 405).answering(both(error(404), put('code', 'not_found'))),
  'methods.other.get': at('* /pets/*', 405).answering(header('Allow', undefined)),
  'paths.trailing-slash': addressed((path) => path.replace(/\/$/, '')),
  'paths.double-slash': addressed((path) => path.replace('//', '/')),
  'paths.case': addressed((path) => path.toLowerCase()),
  'paths.dot-segments': addressed((path) => path.replace('/./', '/')),
  'paths.encoded-letters': addressed((path) => path.replace(/%65/g, 'e')),
  'paths.encoded-digits': at(ONE).refusing(({ target }) => target.includes('%'), 404, 'not_found'),
}

export const KEY_LIES: Lies = { ...KEYS, ...CHECKS, ...METHODS }
