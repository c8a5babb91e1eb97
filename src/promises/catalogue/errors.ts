// Level `pets`: what every error has, as this project adds it to what the interface document says.

import { document } from '../../contract/contract.ts'
import { type Answer, number } from '../answer.ts'
import { Unjudged } from '../asked.ts'
import { absentId } from '../fixtures.ts'
import type { Asking, Probe } from '../probe.ts'
import type { PromiseRow } from '../promise.ts'
import { answers, type Check, contract, documented, header, rowsOf, schema, writing } from './rows.ts'

const row = rowsOf('pets')

const NO_KEY: Asking = { key: 'none' }

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

export const errorPromises: readonly PromiseRow[] = [
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
