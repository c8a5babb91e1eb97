// Faults in API keys and in the order of checks.

import { headerOf } from '../messages.ts'
import { type Change, put } from './shared/answer-changes.ts'
import { at, type ContractFaults, errorAnswer } from './shared/faults.ts'
import { refusingOthers, withFirstKey } from './shared/memory.ts'
import { CREATE, LIST, ONE } from './shared/operations.ts'
import type { RequestChange } from './shared/request-changes.ts'
import { hasHeader, hasKey, withKey, withoutKey } from './shared/requests.ts'
import { isJson } from './shared/values.ts'

const echoingKey: Change = (response, request) =>
  put('message', `${headerOf(request.headers, 'Authorization')} is unknown.`)(response, request)
const takingKeyFromQuery: RequestChange = (request) => {
  const [key] = /pets_(?:live|test)_\w+/.exec(request.target) ?? []
  return key ? withKey(request, `Bearer ${key}`) : request
}

export const KEY_FAULTS: ContractFaults = {
  'auth.code.missing': at('*', 401, withoutKey).answer.put('code', 'invalid_api_key'),
  'auth.code.invalid': at('*', 401, hasKey).onResponse(echoingKey),
  'auth.key.case': at('*').request.header('Authorization', (value) => value.replace('PETS_', 'pets_')),
  'auth.scheme': at('*').request.header('Authorization', (value) =>
    /^bearer /i.test(value) && !/^Bearer/.test(value) ? undefined : value,
  ),
  'auth.scheme.other': at('*').request.header('Authorization', (value) => value.replace(/^\w+ /, 'Bearer ')),
  'auth.header.twice': at('*').onRequest((request) => withKey(request, headerOf(request.headers, 'Authorization'))),
  'auth.elsewhere': at('*').onRequest(takingKeyFromQuery),
  'keys.read-only.read': refusingOthers(LIST),
  'keys.read-only.create': withFirstKey(CREATE, 403),
  'checks.not-found-before-preconditions': at(ONE, 404, hasHeader('If-Match', /./)).answer.error(412),
  'checks.path-before-key': at('*', 404, withoutKey).onResponse(() => errorAnswer(401, 'missing_api_key')),
  'checks.method-before-key': at('*', 405, withoutKey).onResponse(() => errorAnswer(401, 'missing_api_key')),
  'checks.key-before-parameters': withFirstKey(LIST, 401, withoutKey, 400),
  'checks.key-before-body': withFirstKey(CREATE, 401, withoutKey, 400),
  'checks.media-type-before-body': at(CREATE, 415, ({ body }) => !isJson(body)).again.header(
    'Content-Type',
    () => 'application/json',
  ),
  'checks.parameters-before-preconditions': at(LIST).refusing(
    hasHeader('If-Match', /"(x|nothing|other|no)/),
    412,
    'precondition_failed',
  ),
}
