// Checks an answer against openapi.yaml: its status is declared, its headers and its body match their schemas. The schemas
// are compiled by ajv, not by the service's own compiler, so that a mistake there shows.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020'
import document from '../../openapi.yaml'
import { headers as contract } from '../../packages/contract/src/contract.ts'
import type { Response as Declared, Header, Operation, Reference } from '../../packages/contract/src/openapi.ts'
import type { Answer } from './service.ts'

/** The names of all headers of the contract's responses. */
const HEADERS = contract.responses

const ajv = new Ajv2020({
  // That would compile the schema of schemas in each file that checks an answer; openapi.test.ts has a linter for the document.
  validateSchema: false,
  formats: {
    int32: { type: 'number', validate: (n: number) => n >= -(2 ** 31) && n < 2 ** 31 },
    // JSON.parse has rounded the largest int64 to 2^63. The scenarios compare large ids as text.
    int64: { type: 'number', validate: (n: number) => n >= -(2 ** 63) && n <= 2 ** 63 },
    'date-time': isInstant,
    date: (text: string) => isInstant(`${text}T00:00:00.000Z`),
  },
})
// Any other keyword that ajv does not know throws: its strict mode.
ajv.addVocabulary([...Object.keys(document), ...keywordsOf(document).filter((keyword) => keyword.startsWith('x-'))])
ajv.addSchema(document, 'openapi.yaml')

/** Stricter than RFC 3339: the service answers in UTC with milliseconds. */
export function isInstant(text: string): boolean {
  return Date.parse(text) >= 0 && new Date(text).toISOString() === text
}

/** A message with # for each number: the ids and bounds in it may be others. */
export function shapeOf(message: string): string {
  return message.replaceAll(/\d+(?:\.\d+)?/g, '#')
}

/**
 * Throws an Error that names the first thing about the answer that the contract does not allow. Returns the name of the
 * answer, `operationId status`, and `code` for an error; undefined where the contract has no such operation,
 * and for an error to HEAD, which does not say its code.
 */
export function checkAgainstContract(method: string, path: string, answer: Answer): string | undefined {
  const found = operationAt(method === 'HEAD' ? 'GET' : method, path)
  if (!found) return undefined
  const { operationId, responses } = found.operation
  const name = `${operationId} ${answer.status}`
  const declared = responses[answer.status]
  if (!declared) throw new Error(`${operationId} does not declare ${answer.status}: ${answer.text}`)
  const response = resolve<Declared>(declared, [...found.at, 'responses', String(answer.status)])
  checkHeaders(name, response, answer)
  checkSentHeaders(name, response.value, found.operation.deprecated === true, answer)
  if (method === 'HEAD') return answer.status < 400 ? name : undefined
  if (!response.value.content) {
    if (answer.text !== '') throw new Error(`${name} must have no body: ${answer.text}`)
    return name
  }
  if (answer.headers.get('Content-Type') !== 'application/json') throw new Error(`${name} must be application/json`)
  const problems = problemsOf([...response.at, 'content', 'application/json', 'schema'], JSON.parse(answer.text))
  if (problems) throw new Error(`${name}: ${problems} ${answer.text}`)
  if (answer.status < 400) return name
  const { code } = JSON.parse(answer.text)
  if (!response.value['x-error-codes']?.includes(code)) throw new Error(`${name} does not state the code ${code}`)
  return `${name} ${code}`
}

/** Every `operationId status` of the contract, of an error with each `code`. */
export function declaredAnswers(): string[] {
  return Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, declared]) => {
        const codes = resolve<Declared>(declared, []).value['x-error-codes']
        return codes ? codes.map((code) => `${operationId} ${status} ${code}`) : `${operationId} ${status}`
      }),
    ),
  )
}

/** The messages of all errors that the contract shows as examples. */
export function exampleMessages(node: unknown = document): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { code, message, status } = node as Record<string, unknown>
  if (typeof code === 'string' && typeof message === 'string' && typeof status === 'number') return [message]
  return Object.values(node).flatMap(exampleMessages)
}

/** What ajv finds wrong with the value under the schema at this place of the contract; undefined for nothing. */
function problemsOf(at: readonly string[], value: unknown): string | undefined {
  const validate = validatorAt(`openapi.yaml#/${at.map(escapePointer).join('/')}`)
  return validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'it' })
}

const validators = new Map<string, ValidateFunction>()

function validatorAt($ref: string): ValidateFunction {
  const validator = validators.get($ref) ?? ajv.compile({ $ref })
  validators.set($ref, validator)
  return validator
}

/** On many responses, as the contract's descriptions say once. */
const ON_MANY = ['Cache-Control', 'RateLimit', 'RateLimit-Policy']
/** On every response of a deprecated operation, as its description says: those that it shares with others do not declare them. */
const OF_DEPRECATED = ['Deprecation', 'Sunset', 'Link']
const SHARED = [401, 429, 500, 503, 412]

/** What a response has of the headers that the contract knows, it declares. */
function checkSentHeaders(name: string, { headers = {} }: Declared, isDeprecated: boolean, answer: Answer): void {
  const ofDeprecated = isDeprecated && SHARED.includes(answer.status) ? OF_DEPRECATED : []
  const known = [...ON_MANY, ...Object.keys(headers), ...ofDeprecated]
  for (const field of HEADERS) {
    if (!answer.headers.has(field) || known.includes(field)) continue
    throw new Error(`${name} does not declare the header ${field}: ${answer.headers.get(field)}`)
  }
}

/** A header is text; one whose schema is an integer is checked as a number. */
function checkHeaders(name: string, { value, at }: At<Declared>, answer: Answer): void {
  for (const [field, declared] of Object.entries(value.headers ?? {})) {
    const header = resolve<Header>(declared, [...at, 'headers', field])
    const text = answer.headers.get(field)
    if (text === null) {
      if (header.value.required) throw new Error(`${name} lacks the header ${field}`)
      continue
    }
    const problems = problemsOf([...header.at, 'schema'], header.value.schema.type === 'integer' ? Number(text) : text)
    if (problems) throw new Error(`${name}, header ${field}: ${problems}: ${text}`)
  }
}

function operationAt(method: string, path: string): { operation: Operation; at: string[] } | undefined {
  const [target = ''] = path.split('?')
  const templates = Object.keys(document.paths)
  const isTarget = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target)
  const template = templates.find((one) => one === target) ?? templates.find(isTarget)
  const operation = document.paths[template ?? '']?.[method.toLowerCase()]
  return operation && { operation, at: ['paths', template as string, method.toLowerCase()] }
}

/** A part of the contract, and where it stands: the steps of its JSON Pointer. */
interface At<Of> {
  value: Of
  at: readonly string[]
}

function resolve<Of>(value: Reference | Of, at: readonly string[]): At<Of> {
  const { $ref } = value as Reference
  if (!$ref) return { value: value as Of, at }
  const target = $ref.split('/').slice(1)
  const [, section = '', name = ''] = target
  const found = (document.components as unknown as Record<string, Record<string, Of>>)[section]?.[name]
  if (!found) throw new Error(`nothing at ${$ref}`)
  return { value: found, at: target }
}

/** RFC 6901, section 3; the name of a path has braces, which a URI escapes. */
function escapePointer(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function keywordsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return [...new Set([...Object.keys(value), ...Object.values(value).flatMap(keywordsOf)])]
}
