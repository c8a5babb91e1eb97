// Level `pets`: compares every response of an examination with the contract: status, headers and body.

import { document } from '../../../contract/src/contract.ts'
import type { Header, Reference, Response, Schema } from '../../../contract/src/openapi.ts'
import { compileSchema, compileTextSchema, type TextValidator, type Validator } from '../../../contract/src/schema.ts'
import type { Answer } from '../answer.ts'
import type { PromiseRow } from './shared/promise.ts'
import { type Check, contract, rowsOf } from './shared/rows.ts'

const row = rowsOf('pets')
const { paths, components } = document
/** A gateway can return these, also for operations that do not declare them. */
const GATEWAY_STATUS_MIN = 500

/** What the contract says about a response. */
interface Declared {
  response: Response | undefined
  status: number
}

/** Returns the contract's response. Returns `undefined` for a path or method that the contract does not have. */
function declaredFor({ request: { method, path }, status }: Answer): Declared | undefined {
  const [target = ''] = path.split('?')
  const matches = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target)
  const template = Object.keys(paths).find(matches) ?? ''
  const operation = paths[template]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
  return operation && { status, response: resolved(operation.responses[status], components.responses) }
}

function resolved<Of>(value: Reference | Of | undefined, section: Record<string, Of>): Of | undefined {
  const $ref = value && (value as Reference).$ref
  return $ref ? section[$ref.split('/').at(-1) ?? ''] : (value as Of | undefined)
}

/** Returns the codes that the contract lists for this response, or `undefined` if it does not declare the response. */
export function codesOf(answer: Answer): readonly string[] | undefined {
  return declaredFor(answer)?.response?.['x-error-codes']
}

function compiled<Compiled>(compile: (schema: Schema, schemas: Record<string, Schema>) => Compiled) {
  const all = new Map<Schema, Compiled>()
  return (schema: Schema): Compiled => {
    const known = all.get(schema) ?? compile(schema, components.schemas)
    all.set(schema, known)
    return known
  }
}
const bodyValidator: (schema: Schema) => Validator = compiled(compileSchema)
const textValidator: (schema: Schema) => TextValidator = compiled(compileTextSchema)

function expectHeaders(answer: Answer, { response, status }: Declared): void {
  if (!response) return void answer.expect(status >= GATEWAY_STATUS_MIN, 'a status of the contract', `status ${status}`)
  for (const [name, given] of Object.entries(response.headers ?? {})) {
    const header = resolved<Header>(given, components.headers)
    const value = answer.header(name)
    if (value === undefined && header?.required) answer.expectHeader(name, /./)
    const problems: string[] = []
    if (value !== undefined && header) textValidator(header.schema)(value, name, problems)
    answer.expect(problems.length === 0, `a valid ${name}`, problems.join(' '))
  }
  if (response.content && answer.request.method !== 'HEAD') answer.expectHeader('Content-Type', 'application/json')
}

function expectBody(answer: Answer, { response }: Declared): void {
  if (!response || answer.request.method === 'HEAD') return
  const schema = response.content?.['application/json']?.schema
  if (!schema) return void answer.expectText('')
  const problems: string[] = []
  bodyValidator(schema)(answer.json(), 'The body', problems)
  answer.expect(problems.length === 0, "a body that matches the contract's schema", problems.join(' '))
}

function expectNoStore(answer: Answer, { response }: Declared): void {
  const isOther = Object.keys(response?.headers ?? {}).includes('Cache-Control')
  if (response?.content && !isOther) answer.expectHeader('Cache-Control', 'no-store')
}

/** Checks each response that no other check has reported. */
const everyAnswer =
  (expect: (answer: Answer, declared: Declared) => void): Check =>
  async ({ seen }) => {
    for (const answer of seen) {
      const declared = answer.faulted ? undefined : declaredFor(answer)
      if (declared) expect(answer, declared)
    }
  }

export const answerPromises: readonly PromiseRow[] = [
  row('answers.headers', 'Every response has a status, a media type and headers as in the contract.')
    .from(contract('components', 'headers'), { alone: 'reads' })
    .check(everyAnswer(expectHeaders)),
  row('answers.no-store', 'Every create, change and error with a body has Cache-Control: no-store.')
    .from(contract('info', 'description'), { premises: ['answers.headers'], alone: 'reads' })
    .check(everyAnswer(expectNoStore)),
  row('answers.schema', "The body of every response matches the contract's schema, with exact 64-bit integers.")
    .from(contract('components', 'schemas'), { alone: 'reads' })
    .check(everyAnswer(expectBody)),
]
