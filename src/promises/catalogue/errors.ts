// Level `pets`: keys, errors, methods and paths, as this project has them beside what the interface document says.

import { document } from '../../contract/contract.ts'
import { type Answer, number } from '../answer.ts'
import { Unjudged } from '../asked.ts'
import { absentId, petBody, somePetId } from '../fixtures.ts'
import { type Asking, JSON_TYPE, type Probe } from '../probe.ts'
import type { Level, PromiseRow } from '../promise.ts'
import { INVALID_KEY } from './interface-reads.ts'
import {
  answers,
  type Check,
  contract,
  documented,
  header,
  operation,
  refuses,
  rowsOf,
  schema,
  writing,
} from './rows.ts'

const row = rowsOf('pets')
const CREDENTIAL = documented('Keys', 'The credential')
const KNOWN = { after: ['auth.missing.list'] }
const INVALID = { after: ['auth.invalid.list'] }

const withKey =
  (status: number, asking: (key: string) => Asking & { path?: string }): Check =>
  async (probe) => {
    const { path = '/pets', ...rest } = asking(probe.target.keys.full)
    ;(await probe.ask(`GET ${path}`, rest)).expectStatus(status)
  }
const challenge = (asking: Asking, expected: string): Check => {
  return async (probe) => {
    ;(await probe.ask('GET /pets', asking)).expectStatus(401).expectHeader('WWW-Authenticate', expected)
  }
}

const keys = [
  row(
    'auth.code.missing',
    'The code for a missing key is missing_api_key.',
    contract('components', 'responses', 'Unauthorized'),
    answers('GET /pets', 401, 'missing_api_key', { key: 'none' }),
    { after: ['errors.401.code'] },
  ),
  row(
    'auth.code.invalid',
    'The code for an invalid key is invalid_api_key.',
    contract('components', 'responses', 'Unauthorized'),
    answers('GET /pets', 401, 'invalid_api_key', { authorization: [INVALID_KEY] }),
    { after: ['errors.401.code', 'auth.invalid.list'] },
  ),
  row(
    'auth.challenge.missing',
    'A 401 for a missing key has the challenge of RFC 6750, without an error.',
    header('WWW-Authenticate'),
    challenge({ key: 'none' }, 'Bearer realm="petstore"'),
    KNOWN,
  ),
  row(
    'auth.challenge.invalid',
    'A 401 for an invalid key has the challenge with error="invalid_token".',
    'RFC 6750, section 3',
    challenge({ authorization: [INVALID_KEY] }, 'Bearer realm="petstore", error="invalid_token"'),
    INVALID,
  ),
  row(
    'auth.echo',
    'A 401 does not repeat the key that was sent.',
    documented('Errors', '`message`'),
    async (probe) => {
      const answer = (await probe.ask('GET /pets', { authorization: [INVALID_KEY] })).expectStatus(401)
      if (answer.text.includes(INVALID_KEY.slice(7))) throw answer.broken('a message without the key', answer.text)
    },
    INVALID,
  ),
  row(
    'auth.scheme.case',
    'The scheme Bearer may be written in any letters.',
    'RFC 9110, section 11.1',
    withKey(200, (key) => ({ authorization: [`bEARER ${key}`] })),
  ),
  row(
    'auth.scheme.spaces',
    'Several spaces may stand after the scheme.',
    'RFC 9110, section 11.4',
    withKey(200, (key) => ({ authorization: [`Bearer   ${key}`] })),
  ),
  row(
    'auth.scheme.other',
    'A key under another scheme is not read: 401.',
    CREDENTIAL,
    withKey(401, (key) => ({ authorization: [`Basic ${key}`] })),
    KNOWN,
  ),
  row(
    'auth.scheme.none',
    'A key without a scheme is not read: 401.',
    CREDENTIAL,
    withKey(401, (key) => ({ authorization: [key] })),
    KNOWN,
  ),
  row(
    'auth.header.twice',
    'Two Authorization headers: 401.',
    CREDENTIAL,
    withKey(401, (key) => ({ authorization: [`Bearer ${key}`, `Bearer ${key}`] })),
    KNOWN,
  ),
  row(
    'auth.elsewhere.query',
    'A key in the query is not read: 401.',
    contract('components', 'securitySchemes', 'apiKey'),
    withKey(401, (key) => ({
      key: 'none',
      path: `/pets?api_key=${encodeURIComponent(key)}&access_token=${encodeURIComponent(key)}`,
    })),
    KNOWN,
  ),
  row(
    'auth.elsewhere.header',
    'A key in X-API-Key is not read: 401.',
    contract('components', 'securitySchemes', 'apiKey'),
    withKey(401, (key) => ({ key: 'none', headers: { 'X-API-Key': key } })),
    KNOWN,
  ),
  row(
    'auth.elsewhere.cookie',
    'A key in a cookie is not read: 401.',
    contract('components', 'securitySchemes', 'apiKey'),
    withKey(401, (key) => ({ key: 'none', headers: { Cookie: `key=${key}; api_key=${key}; Authorization=${key}` } })),
    KNOWN,
  ),
  row(
    'keys.read-only.list',
    'A read-only key lists pets.',
    documented('Keys', 'Scope'),
    answers('GET /pets', 200, undefined, { key: 'read-only' }),
    { needs: ['read-only key'] },
  ),
  row(
    'keys.read-only.get',
    'A read-only key fetches a pet.',
    documented('Keys', 'Scope'),
    async (probe) => {
      ;(await probe.ask(`GET /pets/${await somePetId(probe)}`, { key: 'read-only' })).expectStatus(200)
    },
    { needs: ['read-only key'], after: ['pets.get.success'] },
  ),
  row(
    'keys.read-only.create',
    'A read-only key adds no pet: 403 read_only_key.',
    operation('createPet', 'responses', '403'),
    refuses((probe) => probe.post('/pets', petBody(), { key: 'read-only' }), 403, 'read_only_key'),
    { needs: ['read-only key', 'write'] },
  ),
]

const ORDER = contract('info', 'description')
const NO_KEY: Asking = { key: 'none' }

const order = [
  row(
    'checks.not-found-before-preconditions',
    'A pet that cannot be found, asked with a false precondition, is 404.',
    ORDER,
    async (probe) => {
      ;(await probe.get(`/pets/${absentId()}`, { 'If-Match': '"x"' })).expectError(404, 'not_found')
    },
    { after: ['errors.not-found.code', 'pets.get.if-match.other'] },
  ),
  row(
    'checks.path-before-key',
    'An unknown path is 404 without a key, too.',
    ORDER,
    answers('GET /petstore-verify', 404, 'not_found', NO_KEY),
  ),
  row(
    'checks.method-before-key',
    'A method that a path does not have is 405 without a key, too.',
    ORDER,
    answers('PUT /pets', 405, 'method_not_allowed', NO_KEY),
    { needs: ['write'] },
  ),
  row(
    'checks.key-before-parameters',
    'A wrong parameter without a key is 401.',
    ORDER,
    answers('GET /pets?limit=0', 401, undefined, NO_KEY),
    { after: ['auth.missing.list'] },
  ),
  row(
    'checks.key-before-body',
    'A wrong body without a key is 401.',
    ORDER,
    answers('POST /pets', 401, undefined, { ...NO_KEY, headers: JSON_TYPE, body: '{' }),
    writing('auth.missing.create'),
  ),
  row(
    'checks.media-type-before-body',
    'A broken body of a wrong media type is 415.',
    ORDER,
    answers('POST /pets', 415, undefined, { headers: { 'Content-Type': 'text/plain' }, body: '{' }),
    writing('pets.create.media-type.other'),
  ),
  row(
    'checks.parameters-before-preconditions',
    'A wrong parameter with a false precondition is 400.',
    ORDER,
    answers('GET /pets?limit=0', 400, 'invalid_parameter', { headers: { 'If-Match': '"x"' } }),
    { after: ['pets.list.limit.zero', 'pets.list.if-match.other'] },
  ),
]

/** Every error that any check has met, and a few that every server has. */
const everyError =
  (expect: (answer: Answer) => void): Check =>
  async (probe) => {
    await probe.shared('a few errors', async (own) => {
      for (const [line, asking] of [
        ['GET /pets', NO_KEY],
        [`GET /pets/${absentId()}`, {}],
        ['GET /pets?limit=0', {}],
        ['GET /petstore-verify', {}],
      ] as const)
        await own.ask(line, asking)
    })
    // What a check has found wrong is told there.
    const errors = probe.seen.filter(
      ({ status, asked, faulted }) => status >= 400 && asked.method !== 'HEAD' && !faulted,
    )
    for (const answer of errors) expect(answer)
  }

/** The codes that the contract states at this response; undefined where it has no such response. */
function codesOf({ asked: { method, path }, status }: Answer): readonly string[] | undefined {
  const [target = ''] = path.split('?')
  const template = Object.keys(document.paths).find((one) =>
    new RegExp(`^${one.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target),
  )
  const declared = document.paths[template ?? '']?.[method.toLowerCase()]?.responses[status]
  const name = declared && '$ref' in declared ? declared.$ref.split('/').at(-1) : undefined
  const response = name === undefined ? declared : document.components.responses[name]
  return response && 'x-error-codes' in response ? response['x-error-codes'] : undefined
}

const LAST = { after: ['errors.401.content-type', 'errors.404.content-type'], alone: true }

const errors = [
  row(
    'errors.members',
    'Every error has exactly code, message and status.',
    contract('components', 'schemas', 'Error'),
    everyError((answer) => {
      const names = [...answer.object().keys()].sort().join(', ')
      if (names !== 'code, message, status') throw answer.broken('code, message, status', names)
    }),
    LAST,
  ),
  row(
    'errors.content-type',
    'Every error is application/json, without parameters.',
    documented('Errors', 'Body'),
    everyError((answer) => {
      answer.expectHeader('Content-Type', 'application/json')
    }),
    LAST,
  ),
  row(
    'errors.request-id',
    'Every error has X-Request-Id.',
    header('RequestId'),
    everyError((answer) => {
      answer.expectHeader('X-Request-Id', /./)
    }),
    LAST,
  ),
  row(
    'errors.status',
    'In every error status is the HTTP status.',
    schema('Error', 'status'),
    everyError((answer) => answer.expectMember(answer.object(), 'status', number(answer.status))),
    { ...LAST, after: [...LAST.after, 'errors.401.status', 'errors.404.status'] },
  ),
  row(
    'errors.codes',
    'Every error has a code that the contract states at its response.',
    schema('Error', 'code'),
    everyError((answer) => {
      const codes = codesOf(answer)
      const code = answer.object().get('code')
      if (codes && !codes.includes(String(code))) throw answer.broken(`code: ${codes.join(' or ')}`, `code: ${code}`)
    }),
    { ...LAST, after: [...LAST.after, 'errors.401.code', 'errors.404.code'] },
  ),
  row(
    'errors.retry-after',
    'Every 429 and every 503 has Retry-After, in seconds.',
    header('RetryAfter'),
    async (probe) => {
      const refused = probe.seen.filter(({ status }) => status === 429 || status === 503)
      if (refused.length === 0) throw new Unjudged('None came.')
      for (const answer of refused) answer.expectHeader('Retry-After', /^[1-9][0-9]*$/)
    },
    { alone: true },
  ),
  row(
    'errors.not-found.code',
    'The code of a pet that cannot be found is not_found.',
    contract('components', 'responses', 'NotFound'),
    async (probe) => {
      ;(await probe.get(`/pets/${absentId()}`)).expectError(404, 'not_found')
    },
    { after: ['errors.404.code'] },
  ),
  row(
    'errors.unknown-path',
    'An unknown path: 404 not_found.',
    documented('Errors', 'Other methods and paths'),
    answers('GET /petstore-verify', 404, 'not_found', { mayRedirect: true }),
  ),
  row(
    'errors.message.parameters',
    'The message names every wrong parameter.',
    contract('components', 'schemas', 'Error', 'properties', 'message'),
    naming((probe) => probe.get('/pets?limit=0&status=gone'), 'limit', 'status'),
    { after: ['pets.list.limit.zero', 'pets.list.status.unknown'] },
  ),
  row(
    'errors.message.fields',
    'The message names every wrong field.',
    contract('components', 'schemas', 'Error', 'properties', 'message'),
    naming((probe) => probe.post('/pets', '{"status":1}'), 'name', 'categoryId', 'status'),
    writing('pets.create.refused.code'),
  ),
]

/** That the message of the 400 names each of these. */
export function naming(ask: (probe: Probe) => Promise<Answer>, ...names: string[]): Check {
  return async (probe) => {
    const answer = (await ask(probe)).expectStatus(400)
    const message = String(answer.object().get('message'))
    const lost = names.find((name) => !message.includes(name))
    if (lost !== undefined) throw answer.broken(`a message that names ${lost}`, message)
  }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** OPTIONS, and the methods that a path does not have. `template` is the contract's. */
export function methodRows(level: Level, name: string, template: string): PromiseRow[] {
  const row = rowsOf(level)
  const path = template.replace(/\{\w+\}/, absentId())
  const own = Object.keys(document.paths[template] ?? {}).map((method) => method.toUpperCase())
  const allowed = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ')
  const expectAllow = (answer: Answer) => {
    const allow = (answer.header('Allow') ?? '')
      .split(/\s*,\s*/)
      .sort()
      .join(', ')
    if (allow !== allowed) throw answer.broken(`Allow: ${allowed}`, `Allow: ${allow}`)
  }
  return [
    row(
      `methods.options.${name}`,
      `OPTIONS ${template}: 204 with Allow, without a key.`,
      documented('Errors', 'Other methods and paths'),
      async (probe) => {
        expectAllow((await probe.ask(`OPTIONS ${path}`, { key: 'none' })).expectStatus(204))
      },
    ),
    row(
      `methods.other.${name}`,
      `A method that ${template} does not have: 405 method_not_allowed with Allow.`,
      documented('Errors', 'Other methods and paths'),
      async (probe) => {
        for (const method of METHODS.filter((one) => !own.includes(one))) {
          const answer = await probe.ask(`${method} ${path}`)
          expectAllow(answer.expectError(405, 'method_not_allowed'))
        }
      },
      { needs: ['write'] },
    ),
  ]
}

const PATHS: Record<string, readonly [string, string]> = {
  'trailing-slash': ['/pets/', 'A slash at the end makes another path'],
  'double-slash': ['//pets', 'A double slash makes another path'],
  case: ['/Pets', 'Other letters make another path'],
  'dot-segments': ['/./pets', 'A dot segment makes another path'],
  'encoded-letters': ['/p%65ts', 'An encoded letter makes another path'],
}

const paths = [
  ...methodRows('pets', 'list', '/pets'),
  ...methodRows('pets', 'get', '/pets/{petId}'),
  ...Object.entries(PATHS).map(([name, [path, words]]) =>
    row(
      `paths.${name}`,
      `${words}: 404.`,
      documented('Errors', 'Other methods and paths'),
      answers(`GET ${path}`, 404, undefined, { mayRedirect: true }),
      { after: ['errors.unknown-path'] },
    ),
  ),
  row(
    'paths.encoded-digits',
    'Encoded digits of an id are digits.',
    documented('Errors', 'Other methods and paths'),
    async (probe) => {
      const id = await somePetId(probe)
      const encoded = [...id].map((digit) => `%${digit.charCodeAt(0).toString(16)}`).join('')
      ;(await probe.get(`/pets/${encoded}`)).expectStatus(200)
    },
    { after: ['pets.get.success'] },
  ),
]

export const errorPromises: readonly PromiseRow[] = [...keys, ...order, ...errors, ...paths]
