// Level `pets`: keys, and the order of checks, as this project has them beside what the interface document says.

import { BEGINNING } from '../curl.ts'
import { absentId, petBody, somePetId } from '../fixtures.ts'
import { JSON_TYPE, type RequestOptions } from '../probe.ts'
import { INVALID_KEY } from './interface-keys.ts'
import type { PromiseRow } from './shared/promise.ts'
import {
  answers,
  type Check,
  contract,
  documented,
  header,
  reading,
  refuses,
  response,
  rowsOf,
  writing,
} from './shared/rows.ts'

const row = rowsOf('pets')
const CREDENTIAL = documented('Keys', 'The credential')
const KNOWN = reading('auth.missing.list')
const INVALID = reading('auth.invalid.list')

const withKey =
  (status: number, options: (key: string) => RequestOptions & { path?: string }): Check =>
  async (probe) => {
    const { path = '/pets', ...rest } = options(probe.target.keys.full)
    ;(await probe.ask(`GET ${path}`, rest)).expectStatus(status)
  }

const challenge = (options: RequestOptions, expected: string): Check => {
  return async (probe) =>
    (await probe.ask('GET /pets', options)).expectStatus(401).expectHeader('WWW-Authenticate', expected)
}

export const keyPromises: readonly PromiseRow[] = [
  row('auth.code.missing', 'The code for a missing key is missing_api_key.')
    .from(contract('components', 'responses', 'Unauthorized'), reading('errors.401.code'))
    .check(answers('GET /pets', 401, 'missing_api_key', { key: 'none' })),
  row('auth.code.invalid', 'The code for an invalid key is invalid_api_key.')
    .from(contract('components', 'responses', 'Unauthorized'), reading('errors.401.code', 'auth.invalid.list'))
    .check(answers('GET /pets', 401, 'invalid_api_key', { authorization: [INVALID_KEY] })),
  row('auth.challenge.missing', 'A 401 for a missing key has the challenge of RFC 6750, without an error.')
    .from(header('WWW-Authenticate'), KNOWN)
    .check(challenge({ key: 'none' }, 'Bearer realm="petstore"')),
  row('auth.challenge.invalid', 'A 401 for an invalid key has the challenge with error="invalid_token".')
    .from('RFC 6750, section 3', INVALID)
    .check(challenge({ authorization: [INVALID_KEY] }, 'Bearer realm="petstore", error="invalid_token"')),
  row('auth.echo', 'A 401 does not repeat the key that was sent.')
    .from(documented('Errors', '`message`'), INVALID)
    .check(async (probe) => {
      const answer = (await probe.ask('GET /pets', { authorization: [INVALID_KEY] })).expectStatus(401)
      if (answer.text.includes(INVALID_KEY.slice(7))) throw answer.broken('a message without the key', answer.text)
    }),
  row('auth.key.case', 'An API key that begins in capital letters is not the same: 401.')
    .from(CREDENTIAL, INVALID)
    .check(
      withKey(401, (key) => ({
        authorization: [`Bearer ${key.slice(0, BEGINNING).toUpperCase()}${key.slice(BEGINNING)}`],
      })),
    ),
  row('auth.scheme.case', 'The scheme Bearer may be written in any letters.')
    .from('RFC 9110, section 11.1')
    .check(withKey(200, (key) => ({ authorization: [`bEARER ${key}`] }))),
  row('auth.scheme.spaces', 'Several spaces may stand after the scheme.')
    .from('RFC 9110, section 11.4')
    .check(withKey(200, (key) => ({ authorization: [`Bearer   ${key}`] }))),
  row('auth.scheme.other', 'A key under another scheme is not read: 401.')
    .from(CREDENTIAL, KNOWN)
    .check(withKey(401, (key) => ({ authorization: [`Basic ${key}`] }))),
  row('auth.scheme.none', 'A key without a scheme is not read: 401.')
    .from(CREDENTIAL, KNOWN)
    .check(withKey(401, (key) => ({ authorization: [key] }))),
  row('auth.header.twice', 'Two Authorization headers: 401.')
    .from(CREDENTIAL, KNOWN)
    .check(withKey(401, (key) => ({ authorization: [`Bearer ${key}`, `Bearer ${key}`] }))),
  row('auth.elsewhere.query', 'A key in the query is not read: 401.')
    .from(contract('components', 'securitySchemes', 'apiKey'), KNOWN)
    .check(
      withKey(401, (key) => ({
        key: 'none',
        path: `/pets?api_key=${encodeURIComponent(key)}&access_token=${encodeURIComponent(key)}`,
      })),
    ),
  row('auth.elsewhere.header', 'A key in X-API-Key is not read: 401.')
    .from(contract('components', 'securitySchemes', 'apiKey'), KNOWN)
    .check(withKey(401, (key) => ({ key: 'none', headers: { 'X-API-Key': key } }))),
  row('auth.elsewhere.cookie', 'A key in a cookie is not read: 401.')
    .from(contract('components', 'securitySchemes', 'apiKey'), KNOWN)
    .check(
      withKey(401, (key) => ({ key: 'none', headers: { Cookie: `key=${key}; api_key=${key}; Authorization=${key}` } })),
    ),
  row('keys.read-only.list', 'A read-only key lists pets.')
    .from(documented('Keys', 'Scope'), { needs: ['read-only key'] })
    .check(answers('GET /pets', 200, undefined, { key: 'read-only' })),
  row('keys.read-only.get', 'A read-only key fetches a pet.')
    .from(documented('Keys', 'Scope'), { needs: ['read-only key'], after: ['pets.get.success'] })
    .check(async (probe) =>
      (await probe.ask(`GET /pets/${await somePetId(probe)}`, { key: 'read-only' })).expectStatus(200),
    ),
  row('keys.read-only.create', 'A read-only key adds no pet: 403 read_only_key.')
    .from(response('createPet', 403), { needs: ['read-only key', 'write'] })
    .check(refuses((probe) => probe.post('/pets', petBody(), { key: 'read-only' }), 403, 'read_only_key')),
]

const ORDER = contract('info', 'description')
const NO_KEY: RequestOptions = { key: 'none' }

export const checkOrder: readonly PromiseRow[] = [
  row('checks.not-found-before-preconditions', 'A pet that cannot be found, asked with a false precondition, is 404.')
    .from(ORDER, reading('errors.not-found.code', 'pets.get.if-match.other'))
    .check(async (probe) =>
      (await probe.get(`/pets/${absentId()}`, { 'If-Match': '"x"' })).expectError(404, 'not_found'),
    ),
  row('checks.path-before-key', 'GET /petstore-verify: An unknown path is 404 without a key, too.')
    .from(ORDER)
    .check(answers('GET /petstore-verify', 404, 'not_found', NO_KEY)),
  row('checks.method-before-key', 'PUT /pets: A method that the path does not have is 405 without a key, too.')
    .from(ORDER, { needs: ['write'] })
    .check(answers('PUT /pets', 405, 'method_not_allowed', NO_KEY)),
  row('checks.key-before-parameters', 'A wrong parameter without a key is 401.')
    .from(ORDER, reading('auth.missing.list'))
    .check(answers('GET /pets?limit=0', 401, undefined, NO_KEY)),
  row('checks.key-before-body', 'A wrong body without a key is 401.')
    .from(ORDER, writing('auth.missing.create'))
    .check(answers('POST /pets', 401, undefined, { ...NO_KEY, headers: JSON_TYPE, body: '{' })),
  row('checks.media-type-before-body', 'A broken body of a wrong media type is 415.')
    .from(ORDER, writing('pets.create.media-type.other'))
    .check(answers('POST /pets', 415, undefined, { headers: { 'Content-Type': 'text/plain' }, body: '{' })),
  row('checks.parameters-before-preconditions', 'A wrong parameter with a false precondition is 400.')
    .from(ORDER, reading('pets.list.limit.zero', 'pets.list.if-match.other'))
    .check(answers('GET /pets?limit=0', 400, 'invalid_parameter', { headers: { 'If-Match': '"x"' } })),
]
