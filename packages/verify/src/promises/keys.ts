// Level `pets`: what this project promises about keys and the order of checks, beyond the interface document.

import { BEGINNING } from '../curl.ts'
import { absentId, petBody } from '../fixtures.ts'
import { somePetId } from '../pet-lists.ts'
import { JSON_TYPE } from '../probe.ts'
import { INVALID_KEY, WITHOUT_KEY } from './shared/key-rows.ts'
import { answers, type Check, contract, documented, header, reading, response, rowsOf, writing } from './shared/rows.ts'

const row = rowsOf('pets')
const CREDENTIAL = documented('Keys', 'The credential')
const UNAUTHORIZED = contract('components', 'responses', 'Unauthorized')
const ORDER = contract('info', 'description')
const KNOWN = reading('auth.missing.list')
const NO_KEY = WITHOUT_KEY.missing

/** Sends GET /pets with these values of Authorization, in which KEY becomes the key. */
const withKey = (status: number, ...values: (string | readonly string[])[]): Check => {
  return async (probe) => {
    for (const value of values) {
      const authorization = [value].flat().map((one) => one.replace('KEY', () => probe.target.keys.full))
      ;(await probe.ask('GET /pets', { authorization })).expectStatus(status)
    }
  }
}

export const keyPromises = [
  row('auth.code.missing', 'A missing key: 401 missing_api_key, and WWW-Authenticate without an error.')
    .from([UNAUTHORIZED, header('WWW-Authenticate')], reading('errors.401.code'))
    .check(async (probe) =>
      (await probe.ask('GET /pets', NO_KEY))
        .expectError(401, 'missing_api_key')
        .expectHeader('WWW-Authenticate', 'Bearer realm="petstore"'),
    ),
  row('auth.code.invalid', 'An invalid key: 401 invalid_api_key, with invalid_token and without the key in the text.')
    .from([UNAUTHORIZED, 'RFC 6750, section 3'], reading('errors.401.code', 'auth.invalid.list'))
    .check(async (probe) => {
      const answer = (await probe.ask('GET /pets', WITHOUT_KEY.invalid))
        .expectError(401, 'invalid_api_key')
        .expectHeader('WWW-Authenticate', 'Bearer realm="petstore", error="invalid_token"')
      answer.expect(!answer.text.includes(INVALID_KEY.slice(7)), 'a message without the key', answer.text)
    }),
  row('auth.key.case', 'API keys are case-sensitive: one that starts in capitals returns 401.')
    .from(CREDENTIAL, reading('auth.invalid.list'))
    .check(async (probe) => {
      const key = probe.target.keys.full
      const other = key.slice(0, BEGINNING).toUpperCase() + key.slice(BEGINNING)
      if (other === key) throw probe.unjudged('The API key does not start with lowercase letters.')
      await withKey(401, `Bearer ${other}`)(probe)
    }),
  row('auth.scheme', 'The scheme Bearer is case-insensitive, and several spaces can follow it.')
    .from(['RFC 9110, section 11.1', 'RFC 9110, section 11.4'])
    .check(withKey(200, 'bEARER KEY', 'Bearer   KEY')),
  row('auth.scheme.other', 'A key with another scheme, or without one, returns 401.')
    .from(CREDENTIAL, KNOWN)
    .check(withKey(401, 'Basic KEY', 'KEY')),
  row('auth.header.twice', 'Two Authorization headers return 401.')
    .from(CREDENTIAL, KNOWN)
    .check(withKey(401, ['Bearer KEY', 'Bearer KEY'])),
  row('auth.elsewhere', 'A key in the query, in X-API-Key or in a cookie returns 401.')
    .from(contract('components', 'securitySchemes', 'apiKey'), KNOWN)
    .check(async (probe) => {
      const key = probe.target.keys.full
      const query = `api_key=${encodeURIComponent(key)}&access_token=${encodeURIComponent(key)}`
      const cookie = { Cookie: `key=${key}; api_key=${key}; Authorization=${key}` }
      ;(await probe.get(`/pets?${query}`, {}, NO_KEY)).expectStatus(401)
      for (const headers of [{ 'X-API-Key': key }, cookie])
        (await probe.ask('GET /pets', { ...NO_KEY, headers })).expectStatus(401)
    }),
  row('keys.read-only.read', 'A read-only key can read: GET /pets and GET /pets/{petId} return 200.')
    .from(documented('Keys', 'Scope'), { needs: ['read-only key'], premises: ['pets.get.success'] })
    .check(async (probe) => {
      for (const path of ['/pets', `/pets/${await somePetId(probe)}`])
        (await probe.ask(`GET ${path}`, { key: 'read-only' })).expectStatus(200)
    }),
  row('keys.read-only.create', 'POST /pets: A read-only key cannot create a pet: 403 read_only_key.')
    .from(response('createPet', 403), { needs: ['read-only key', 'write'] })
    .check(async (probe) => {
      ;(await probe.post('/pets', petBody(), { key: 'read-only' })).expectError(403, 'read_only_key')
    }),
  row('checks.not-found-before-preconditions', 'GET /pets/{petId}: 404 takes precedence over a failed precondition.')
    .from(ORDER, reading('errors.not-found.code', 'pets.get.if-match.other'))
    .check(async (probe) =>
      (await probe.get(`/pets/${absentId()}`, { 'If-Match': '"x"' })).expectError(404, 'not_found'),
    ),
  row('checks.path-before-key', 'GET /petstore-verify: An unknown path returns 404, even without a key.')
    .from(ORDER)
    .check(answers('GET /petstore-verify', 404, 'not_found', NO_KEY)),
  row('checks.method-before-key', 'PUT /pets: A method that the path does not have returns 405, even without a key.')
    .from(ORDER, { needs: ['write'] })
    .check(answers('PUT /pets', 405, 'method_not_allowed', NO_KEY)),
  row('checks.key-before-parameters', 'GET /pets: An invalid parameter without a key returns 401.')
    .from(ORDER, KNOWN)
    .check(answers('GET /pets?limit=0', 401, undefined, NO_KEY)),
  row('checks.key-before-body', 'POST /pets: An invalid body without a key returns 401.')
    .from(ORDER, writing('auth.missing.create'))
    .check(answers('POST /pets', 401, undefined, { ...NO_KEY, headers: JSON_TYPE, body: '{' })),
  row('checks.media-type-before-body', 'POST /pets: An invalid body with a wrong media type returns 415.')
    .from(ORDER, writing('pets.create.media-type.other'))
    .check(answers('POST /pets', 415, undefined, { headers: { 'Content-Type': 'text/plain' }, body: '{' })),
  row('checks.parameters-before-preconditions', 'GET /pets: An invalid parameter and a failed precondition: 400.')
    .from(ORDER, reading('pets.list.limit.wrong', 'pets.list.if-match.other'))
    .check(answers('GET /pets?limit=0', 400, 'invalid_parameter', { headers: { 'If-Match': '"x"' } })),
]
