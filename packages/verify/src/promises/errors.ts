// Level `pets`: errors, and the comparison of every response of an examination with the contract.

import { document } from '../../../contract/src/contract.ts'
import type { Header, Reference, Response } from '../../../contract/src/openapi.ts'
import { compileSchema, compileTextSchema } from '../../../contract/src/schema.ts'
import { type Answer, number } from '../answer.ts'
import { absentId } from '../fixtures.ts'
import { JSON_TYPE } from '../probe.ts'
import { type Check, contract, documented, header, reading, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('pets')
const { paths, components } = document
/** A gateway can return these, also for operations that do not declare them. */
const GATEWAY_STATUS_MIN = 500

/** Returns the contract's responses for a path and method of the contract. */
function declaredFor({ request: { method, path } }: Answer): Record<string, Reference | Response> | undefined {
  const [target = ''] = path.split('?')
  const matches = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target)
  const template = Object.keys(paths).find(matches) ?? ''
  return paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]?.responses
}

function resolved<Of>(value: Reference | Of | undefined, section: Record<string, Of>): Of | undefined {
  const $ref = value && (value as Reference).$ref
  return $ref ? section[$ref.split('/').at(-1) ?? ''] : (value as Of | undefined)
}

function responseOf(answer: Answer): Response | undefined {
  return resolved(declaredFor(answer)?.[answer.status], components.responses)
}

/** Expects the status, the media type and the headers to match the contract. */
function expectHeaders(answer: Answer, response: Response | undefined): void {
  const { status } = answer
  if (!response) return void answer.expect(status >= GATEWAY_STATUS_MIN, 'a status of the contract', `status ${status}`)
  for (const [name, given] of Object.entries(response.headers ?? {})) {
    const header = resolved<Header>(given, components.headers)
    const value = answer.header(name)
    if (value === undefined && header?.required) answer.expectHeader(name, /./)
    const problems: string[] = []
    if (value !== undefined && header) compileTextSchema(header.schema, components.schemas)(value, name, problems)
    answer.expect(problems.length === 0, `a valid ${name}`, problems.join(' '))
  }
  if (response.content && answer.request.method !== 'HEAD') answer.expectHeader('Content-Type', 'application/json')
}

/** Expects the body to match the schema of the contract. */
function expectBody(answer: Answer, response: Response | undefined): void {
  if (!response || answer.request.method === 'HEAD') return
  const schema = response.content?.['application/json']?.schema
  if (!schema) return void answer.expectText('')
  const problems: string[] = []
  compileSchema(schema, components.schemas)(answer.json(), 'The body', problems)
  answer.expect(problems.length === 0, "a body that matches the contract's schema", problems.join(' '))
}

function expectNoStore(answer: Answer, response: Response | undefined): void {
  const isOther = Object.keys(response?.headers ?? {}).includes('Cache-Control')
  if (response?.content && !isOther) answer.expectHeader('Cache-Control', 'no-store')
}

/** Expects the body of a response to match the contract. */
export function expectSchema(answer: Answer): void {
  expectBody(answer, responseOf(answer))
}

type Aspect = (answer: Answer, response: Response | undefined) => void
const isKnown = (answer: Answer) => declaredFor(answer) !== undefined
const isError = ({ status, request }: Answer) => status >= 400 && request.method !== 'HEAD'
const isLimited = (answer: Answer) => answer.header('RateLimit') !== undefined
const isLater = ({ status }: Answer) => status === 429 || status === 503

/** Checks each response of the examination so far that no other check has reported. */
const every =
  (isMeant: (answer: Answer) => boolean, expect: Aspect): Check =>
  async (probe) => {
    const all = probe.seen.filter((answer) => !answer.faulted && isMeant(answer))
    if (all.length === 0) throw probe.unjudged('There was no such response.')
    for (const answer of all) expect(answer, responseOf(answer))
  }

const TYPES = ['errors.401.content-type', 'errors.404.content-type']
/** Runs after the other checks, and after these premises. */
const last = (...premises: string[]) => ({ premises, alone: 'reads' }) as const

export const errorPromises = [
  row('errors.members', 'Every error has exactly code, message and status, and status is the HTTP status.')
    .from([schema('Error'), schema('Error', 'status')], last('errors.401.status', 'errors.404.status'))
    .check(
      every(isError, (answer) => {
        const names = [...answer.object().keys()].sort().join(', ')
        answer.expect(names === 'code, message, status', 'code, message, status', names)
        answer.expectMember('status', number(answer.status))
      }),
    ),
  row('errors.headers', 'Every error is exactly application/json and has X-Request-Id. A 401 has WWW-Authenticate.')
    .from([documented('Errors', 'Body'), header('RequestId'), header('WWW-Authenticate')], last(...TYPES))
    .check(
      every(isError, (answer, response) => {
        answer.expectHeader('Content-Type', 'application/json').expectHeader('X-Request-Id', /./)
        if (response) expectHeaders(answer, response)
      }),
    ),
  row('errors.codes', 'Every error has a code that the contract lists for its response.')
    .from(schema('Error', 'code'), last('errors.401.code', 'errors.404.code'))
    .check(
      every(isError, (answer, response) => {
        const { 'x-error-codes': codes } = response ?? {}
        const code = String(answer.object().get('code'))
        answer.expect(codes?.includes(code) ?? true, `code: ${codes?.join(' or ')}`, `code: ${code}`)
      }),
    ),
  row('errors.retry-after', 'Every 429 and every 503 has Retry-After, in seconds.')
    .from(header('RetryAfter'), last())
    .check(every(isLater, (answer) => answer.expectHeader('Retry-After', /^[1-9][0-9]*$/))),
  row('errors.rate-limit', 'RateLimit and RateLimit-Policy, if sent, give the limit, the rest and the reset time.')
    .from([header('RateLimit'), header('RateLimitPolicy')], last())
    .check(
      every(isLimited, (answer) => {
        answer.expectHeader('RateLimit', /^"[\w-]+";r=\d+;t=\d+$/)
        answer.expectHeader('RateLimit-Policy', /^"[\w-]+";q=\d+;w=\d+$/)
      }),
    ),
  row('answers.headers', 'Every response has a status, a media type and headers as in the contract.')
    .from(contract('components', 'headers'), last())
    .check(every(isKnown, expectHeaders)),
  row('answers.no-store', 'Every create, change and error with a body has Cache-Control: no-store.')
    .from(contract('info', 'description'), last('answers.headers'))
    .check(every(isKnown, expectNoStore)),
  row('answers.schema', "The body of every response matches the contract's schema, with exact 64-bit integers.")
    .from(contract('components', 'schemas'), last())
    .check(every(isKnown, expectBody)),
  row('errors.not-found.code', 'GET /pets/{petId}: The code for a pet that does not exist is not_found.')
    .from(contract('components', 'responses', 'NotFound'), reading('errors.404.code'))
    .check(async (probe) => (await probe.get(`/pets/${absentId()}`)).expectError(404, 'not_found')),
  row('errors.unknown-path', 'GET /petstore-verify, GET /pets/1/petstore-verify: Unknown paths return 404 not_found.')
    .from(documented('Errors', 'Other methods and paths'))
    .check(async (probe) => {
      for (const path of ['/petstore-verify', '/pets/1/petstore-verify']) {
        ;(await probe.ask(`GET ${path}`, { mayRedirect: true })).expectError(404, 'not_found')
      }
    }),
  row('errors.message.parameters', 'GET /pets: The message names every invalid parameter.')
    .from(schema('Error', 'message'), reading('pets.list.limit.wrong', 'pets.list.status.wrong'))
    .check(naming('GET /pets?limit=0&status=gone', undefined, 'limit', 'status')),
  row('errors.message.fields', 'POST /pets: The message names every invalid field.')
    .from(schema('Error', 'message'), writing('pets.create.refused.code'))
    .check(naming('POST /pets', '{"status":1}', 'name', 'categoryId', 'status')),
]

/** Expects a 400 whose message contains each name. */
export function naming(line: string, body: string | undefined, ...names: string[]): Check {
  return async (probe) => {
    ;(await probe.ask(line, { headers: JSON_TYPE, body })).expectStatus(400).expectNamed(...names)
  }
}
