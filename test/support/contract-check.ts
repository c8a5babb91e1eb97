// Holds an answer against openapi.yaml: a declared status, its required headers, its schema; and keeps book of what was
// seen, so that a test can ask whether everything declared was.

import document from '../../openapi.yaml'
import { basePath } from '../../src/contract/contract.ts'
import type { Response as Declared, Header, Operation, Reference } from '../../src/contract/openapi.ts'
import { compileSchema } from '../../src/contract/schema.ts'
import { parseJson } from '../../src/json/json.ts'
import type { Answer } from './service.ts'

/** `operationId status`, for each answer that was checked. */
export const observed = new Set<string>()

/** The message of each error that was checked, as `shapeOf` gives it. */
export const observedMessages = new Set<string>()

/** A message with # for each number: the ids and bounds in it may be others. */
export function shapeOf(message: string): string {
  return message.replaceAll(/\d+(?:\.\d+)?/g, '#')
}

/** Throws an Error that names the first thing about the answer that the contract does not say. */
export function checkAgainstContract(method: string, path: string, answer: Answer): void {
  const operation = operationAt(method === 'HEAD' ? 'GET' : method, path)
  if (!operation) return
  const { operationId } = operation
  observed.add(`${operationId} ${answer.status}`)
  const declared = operation.responses[answer.status]
  if (!declared) throw new Error(`${operationId} does not declare ${answer.status}: ${answer.text}`)
  const { headers = {}, content } = resolve<Declared>(declared)
  for (const [name, header] of Object.entries(headers)) {
    if (resolve<Header>(header).required && !answer.headers.has(name)) {
      throw new Error(`${operationId} ${answer.status} lacks the header ${name}`)
    }
  }
  if (method === 'HEAD') return
  const schema = content?.['application/json']?.schema
  if (!schema) {
    if (answer.text !== '') throw new Error(`${operationId} ${answer.status} has a body: ${answer.text}`)
    return
  }
  if (answer.headers.get('Content-Type') !== 'application/json') throw new Error(`${operationId}: not application/json`)
  if (answer.status >= 400) observedMessages.add(shapeOf(JSON.parse(answer.text).message))
  const problems: string[] = []
  compileSchema(schema, document.components.schemas)(parseJson(answer.text), 'The answer', problems)
  if (problems.length > 0) throw new Error(`${operationId} ${answer.status}: ${problems.join(' ')} ${answer.text}`)
}

/** Every `operationId status` of the contract. */
export function declaredAnswers(): string[] {
  return Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
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

function operationAt(method: string, path: string): Operation | undefined {
  const [target = ''] = path.split('?')
  const found = Object.keys(document.paths).find((template) => {
    return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(target)
  })
  return found === undefined ? undefined : document.paths[found]?.[method.toLowerCase()]
}

function resolve<Of>(value: Reference | Of): Of {
  if (!(value as Reference).$ref) return value as Of
  const [, , section = '', name = ''] = (value as Reference).$ref.split('/')
  const found = (document.components as unknown as Record<string, Record<string, Of>>)[section]?.[name]
  if (!found) throw new Error(`nothing at ${(value as Reference).$ref}`)
  return found
}

export { basePath }
