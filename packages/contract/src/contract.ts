// openapi.yaml, compiled once at start: paths, methods, validators, defaults and deprecations. The only source of the
// API's routes and validation.

import source from '../../../openapi.yaml' with { type: 'text' }
import type { ErrorCode, Operations } from './generated.ts'
import { INT64_MAX, INT64_MIN } from './json.ts'
import type { OpenApi, Operation, Schema } from './openapi.ts'
import { headersOf, parametersOf } from './parameters.ts'
import { compileSchema, compileTextSchema, flatten, type TextValidator, type Validator } from './schema.ts'

export type OperationId = keyof Operations

export interface ContractOperation {
  id: OperationId
  method: string
  /** With the version: `/v1/pets/{petId}`. */
  path: string
  parameters: readonly ContractParameter[]
  body: ContractBody | undefined
  deprecation: Deprecation | undefined
}

export interface ContractBody {
  validate: Validator
  /** The error code for a body that does not match its schema, such as `invalid_pet`. */
  invalid: ErrorCode
  /** The fields of a change, which must have at least one of them; otherwise empty. */
  changes: readonly string[]
}

export interface ContractParameter {
  name: string
  in: 'query' | 'path' | 'header'
  default: unknown
  /** The parameter can be repeated. */
  many: Pick<Schema, 'maxItems' | 'uniqueItems'> | undefined
  validate: TextValidator
}

/** Instants are milliseconds since 1970, at midnight UTC of the contract's dates. */
export interface Deprecation {
  since: number
  sunset: number
  /** A relative path with the version. */
  successor: string
}

// Parsed here, because a bundler cannot import one file both as text and as YAML.
const text = source as unknown as string
export const document = Bun.YAML.parse(text) as OpenApi
const { components } = document
const { schemas } = components

/** `/v1`, the end of every server's address. */
export const basePath = `/${document.servers[0]?.url.split('/').pop()}`

export const operations: readonly ContractOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => compile(basePath + path, method, operation)),
)

/** Returns the operation's path with the version. */
export function pathOf(id: OperationId): string {
  const operation = operations.find((one) => one.id === id)
  if (!operation) throw new Error(`the contract has no operation ${id}`)
  return operation.path
}

/** The names of all request headers and response headers. */
export const headers = headersOf(document)

/** The `servers` in the contract's text. */
const SERVERS = /^servers:\n(?: +.*\n)+/m

/**
 * Returns the contract as YAML and JSON with these addresses in `servers`. `undefined` keeps an address. The server at
 * index `first` comes first, because tools use the first one.
 */
export function contractFor(addresses: readonly (string | undefined)[], first: number): { yaml: string; json: string } {
  const all = document.servers.map((server, index) => ({ ...server, url: addresses[index] ?? server.url }))
  const servers = [...all.splice(first, 1), ...all]
  const lines = servers.map(
    ({ url, description }) => `  - url: ${JSON.stringify(url)}\n    description: ${description}\n`,
  )
  const yaml = text.replace(SERVERS, () => `servers:\n${lines.join('')}`)
  return { yaml, json: withExactBounds(JSON.stringify({ ...document, servers })) }
}

/** Restores the bounds of int64, which the YAML parser rounds to ±2^63. */
function withExactBounds(json: string): string {
  const rounded = String(2 ** 63)
  return json.replaceAll(`-${rounded}`, String(INT64_MIN)).replaceAll(rounded, String(INT64_MAX))
}

function compile(path: string, method: string, operation: Operation): ContractOperation {
  const body = operation.requestBody?.content['application/json']?.schema
  return {
    id: operation.operationId as OperationId,
    method: method.toUpperCase(),
    path,
    parameters: parametersOf(method, operation, components).map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      default: flatten(parameter.schema, schemas).default,
      many: parameter.schema.type === 'array' ? parameter.schema : undefined,
      validate: compileTextSchema(parameter.schema, schemas),
    })),
    body: body && compileBody(body),
    deprecation: operation.deprecated ? deprecationOf(operation) : undefined,
  }
}

function compileBody(schema: Schema): ContractBody {
  const [, what] = /^#\/components\/schemas\/(?:New)?(\w+?)(?:Change)?$/.exec(schema.$ref ?? '') ?? []
  const invalid = `invalid_${what?.toLowerCase()}`
  if (!schemas.ErrorCode?.['x-extensible-enum']?.includes(invalid))
    throw new Error(`the contract has no code ${invalid}`)
  const { minProperties, properties = {} } = flatten(schema, schemas)
  const changes = minProperties ? Object.keys(properties) : []
  return { validate: compileSchema(schema, schemas), invalid: invalid as ErrorCode, changes }
}

function deprecationOf(operation: Operation): Deprecation {
  return {
    since: dateOf(operation['x-deprecated-since']),
    sunset: dateOf(operation['x-deprecated-sunset']),
    successor: basePath + operation['x-deprecated-successor'],
  }
}

function dateOf(date: string | undefined): number {
  const instant = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(instant)) throw new Error(`a deprecated operation must have both dates: ${date}`)
  return instant
}
