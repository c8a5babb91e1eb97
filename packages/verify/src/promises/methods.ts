// OPTIONS, unsupported methods, and exact matching of paths.

import { document } from '../../../contract/src/contract.ts'
import type { Answer } from '../answer.ts'
import { absentId } from '../fixtures.ts'
import { somePetId } from '../pet-lists.ts'
import type { RequestOptions } from '../probe.ts'
import type { Level, PromiseRow } from './shared/promise.ts'
import { answers, documented, reading, rowsOf } from './shared/rows.ts'

const row = rowsOf('pets')
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Rows for OPTIONS and for unsupported methods. `template` is a path of the contract. */
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
    answer.expect(allow === allowed, `Allow: ${allowed}`, `Allow: ${allow}`)
  }
  return [
    row(`methods.options.${name}`, `OPTIONS ${template}: 204 with Allow, even without a key.`)
      .from(documented('Errors', 'Other methods and paths'))
      .check(async (probe) => expectAllow((await probe.ask(`OPTIONS ${path}`, { key: 'none' })).expectStatus(204))),
    row(`methods.other.${name}`, `${template}: An unsupported method returns 405 method_not_allowed with Allow.`)
      .from(documented('Errors', 'Other methods and paths'), { needs: ['write'] })
      .check(async (probe) => {
        for (const method of METHODS.filter((one) => !own.includes(one))) {
          const answer = await probe.ask(`${method} ${path}`)
          expectAllow(answer.expectError(405, 'method_not_allowed'))
        }
      }),
  ]
}

const PATHS: Record<string, readonly [string, string]> = {
  'trailing-slash': ['/pets/', 'A trailing slash makes a different path'],
  'double-slash': ['//pets', 'A double slash makes a different path'],
  case: ['/Pets', 'Capital letters make a different path'],
  'dot-segments': ['/./pets', 'A dot segment makes a different path'],
  'encoded-letters': ['/p%65ts', 'An encoded letter makes a different path'],
}

export const pathPromises: readonly PromiseRow[] = [
  ...methodRows('pets', 'list', '/pets'),
  ...methodRows('pets', 'get', '/pets/{petId}'),
  row('methods.head.errors', 'HEAD fails like GET: without a key, with an invalid limit, for an unknown pet or path.')
    .from(
      'RFC 9110, section 9.3.2',
      reading(
        'pets.list.head',
        'errors.unknown-path',
        'pets.list.limit.wrong',
        'auth.missing.list',
        'pets.get.not-found',
      ),
    )
    .check(async (probe) => {
      const request: readonly (readonly [string, RequestOptions])[] = [
        ['/pets', { key: 'none' }],
        [`/pets/${await somePetId(probe).catch(() => '1')}`, { key: 'none' }],
        ['/pets?limit=0', {}],
        [`/pets/${absentId()}`, {}],
        ['/petstore-verify', {}],
      ]
      for (const [path, options] of request) {
        const { status } = await probe.ask(`GET ${path}`, options)
        ;(await probe.ask(`HEAD ${path}`, options)).expectStatus(status).expectText('')
      }
    }),
  ...Object.entries(PATHS).map(([name, [path, words]]) =>
    row(`paths.${name}`, `GET ${path}: ${words}: 404.`)
      .from(documented('Errors', 'Other methods and paths'), reading('errors.unknown-path'))
      .check(answers(`GET ${path}`, 404, undefined, { mayRedirect: true })),
  ),
  row('paths.encoded-digits', 'GET /pets/{petId}: Percent-encoded digits are valid in an id.')
    .from(documented('Errors', 'Other methods and paths'), reading('pets.get.success'))
    .check(async (probe) => {
      const id = await somePetId(probe)
      const encoded = [...id].map((digit) => `%${digit.charCodeAt(0).toString(16)}`).join('')
      await probe.read(`/pets/${encoded}`)
    }),
]
