// Faults in API keys and in the order of checks.

import { headerOf } from '../messages.ts'
import { at, type ContractFaults, errorAnswer, hasKey, put, sentHeader, withKey } from './shared/builders.ts'
import { refusingOthers, withFirstKey } from './shared/memory.ts'
import {
  CREATE,
  credentials,
  echoKey,
  error,
  hasHeader,
  isJson,
  LIST,
  ONE,
  takingKeyFrom,
  withoutKey,
} from './shared/operations.ts'

export const KEY_FAULTS: ContractFaults = {
  'auth.code.missing': at('*', 401, withoutKey).onResponse(put('code', 'invalid_api_key')),
  'auth.code.invalid': at('*', 401, hasKey).onResponse(echoKey),
  'auth.key.case': credentials((value) => value.replace('PETS_', 'pets_')),
  'auth.scheme': credentials((value) => (/^bearer /i.test(value) && !/^Bearer/.test(value) ? undefined : value)),
  'auth.scheme.other': credentials((value) => value.replace(/^\w+ /, 'Bearer ')),
  'auth.header.twice': at('*').onRequest((request) => withKey(request, headerOf(request.headers, 'Authorization'))),
  'auth.elsewhere': takingKeyFrom(({ target }) => target),
  'keys.read-only.read': refusingOthers(LIST),
  'keys.read-only.create': withFirstKey(CREATE, 403),
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
}
