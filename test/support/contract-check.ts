// Checks the status, headers and body of a response against openapi.yaml. Uses ajv instead of the service's own schema
// compiler, whose mistakes would otherwise go unnoticed.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020'
import document from '../../openapi.yaml'
import { headers as contract } from '../../packages/contract/src/contract.ts'
import type { Response as Declared, Header, Operation, Reference } from '../../packages/contract/src/openapi.ts'
import type { Answer } from './service.ts'

/** The names of all headers of the contract's responses. */
const HEADERS = contract.responses

const ajv = new Ajv2020({
  // Slow, and openapi.test.ts lints the document.
  validateSchema: false,
  formats: {
    int32: { type: 'number', validate: (n: number) => n >= -(2 ** 31) && n < 2 ** 31 },
    // JSON.parse rounds the largest int64 to 2^63. The scenarios compare large ids as text.
    int64: { type: 'number', validate: (n: number) => n >= -(2 ** 63) && n <= 2 ** 63 },
    'date-time': isInstant,
    date: (text: string) => isInstant(`${text}T00:00:00.000Z`),
  },
})
// In ajv's strict mode, any other unknown keyword throws.
ajv.addVocabulary([...Object.keys(document), ...keywordsOf(document).filter((keyword) => keyword.startsWith('x-'))])
ajv.addSchema(document, 'openapi.yaml')

/** Stricter than RFC 3339, because the service responds in UTC with milliseconds. */
export function isInstant(text: string): boolean {
  return Date.parse(text) >= 0 && new Date(text).toISOString() === text
}

/** Replaces each number of a message by #, because ids and bounds vary. */
export function shapeOf(message: string): string {
  return message.replaceAll(/\d+(?:\.\d+)?/g, '#')
}

/**
 * Throws an Error with the first violation. Returns the name of the response, `operationId status`, with the `code` of
 * an error; or `undefined` if the contract has no such operation, or for an error to HEAD, which has no code.
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

/** Every response name of the contract, as `checkAgainstContract` returns it. */
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

/** The messages of all error examples in the contract. */
export function exampleMessages(node: unknown = document): string[] {
  if (typeof node !== 'object' || node === null) return []
  const { code, message, status } = node as Record<string, unknown>
  if (typeof code === 'string' && typeof message === 'string' && typeof status === 'number') return [message]
  return Object.values(node).flatMap(exampleMessages)
}

/** Validates the value with the schema at this place of the contract. */
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

/** On many responses; the contract describes them once. */
const ON_MANY = ['Cache-Control', 'RateLimit', 'RateLimit-Policy', 'X-Request-Id']
/** On every response of a deprecated operation. Responses that it shares with other operations do not declare them. */
const OF_DEPRECATED = ['Deprecation', 'Sunset', 'Link']
const SHARED = [401, 429, 500, 503, 412]

/** Throws if the response has a header of the contract that its response does not declare. */
function checkSentHeaders(name: string, { headers = {} }: Declared, isDeprecated: boolean, answer: Answer): void {
  const ofDeprecated = isDeprecated && SHARED.includes(answer.status) ? OF_DEPRECATED : []
  const known = [...ON_MANY, ...Object.keys(headers), ...ofDeprecated]
  for (const field of HEADERS) {
    if (!answer.headers.has(field) || known.includes(field)) continue
    throw new Error(`${name} does not declare the header ${field}: ${answer.headers.get(field)}`)
  }
}

/** Throws if a declared header is invalid or missing. An integer is checked as a number. */
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

/** A part of the contract, and the steps of its JSON Pointer. */
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
