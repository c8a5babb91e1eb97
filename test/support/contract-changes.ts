// What in a new contract breaks a client of an old one, operation by operation, and which of that may not be. Our own: the libraries for
// Node know only OpenAPI 3.0, or download a program, and none knows labels of stability and codes of errors.

import type {
  Header,
  OpenApi,
  Operation,
  Parameter,
  Reference,
  Response,
  Schema,
} from '../../packages/contract/src/openapi.ts'
import { flatten } from '../../packages/contract/src/schema.ts'

export interface Change {
  operationId: string
  stability: Operation['x-stability']
  /** A sentence about the operation, without its end. */
  what: string
}

/** Nothing for what is added without harm: an operation, an optional parameter, a field or a header of a response. */
export function breakingChanges(before: OpenApi, after: OpenApi): Change[] {
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const { operationId, 'x-stability': stability } = operation
      const now = after.paths[path]?.[method]
      const found = now ? ofOperation(resolved(operation, before), resolved(now, after)) : ['was removed']
      return [...found].map((what) => ({ operationId, stability, what }))
    }),
  )
}

/**
 * The changes that must not be: those of a stable operation, and those of a beta one that no entry of the changelog announces. An entry
 * stands under "Unreleased", in "Changed", "Deprecated" or "Removed", and has the operationId in backticks.
 */
export function forbidden(changes: readonly Change[], changelog: string): string[] {
  const [, unreleased = ''] = changelog.split(/^## /m)
  const announced = unreleased.split(/^### /m).filter((section) => /^(?:Changed|Deprecated|Removed)\n/.test(section))
  const isAnnounced = (operationId: string) => announced.some((section) => section.includes(`\`${operationId}\``))
  return changes
    .filter(({ stability }) => stability !== 'experimental')
    .filter(({ stability, operationId }) => stability === 'stable' || !isAnnounced(operationId))
    .map(({ operationId, what }) => `${operationId}: ${what}`)
}

/** An operation with everything that it refers to in its place. */
interface Resolved extends Omit<Operation, 'parameters' | 'requestBody' | 'responses'> {
  credentials: string
  parameters: Record<string, Parameter>
  bodyRequired: boolean
  bodies: Record<string, Schema>
  responses: Record<string, ResolvedResponse>
}

interface ResolvedResponse {
  codes: string[]
  headers: Record<string, Header>
  bodies: Record<string, Schema>
}

function resolved(operation: Operation, { components }: OpenApi): Resolved {
  const whole = (schema: Schema): Schema => {
    const { properties, items, ...flat } = flatten(schema, components.schemas)
    const unknown = Object.keys(flat).find((keyword) => !KEYWORDS.includes(keyword))
    if (unknown) throw new Error(`what a change of ${unknown} means is not known`)
    return {
      ...flat,
      ...(properties && { properties: mapValues(properties, whole) }),
      ...(items && { items: whole(items) }),
    }
  }
  const bodies = (content: Response['content'] = {}) => mapValues(content, ({ schema }) => whole(schema))
  const header = (one: Reference | Header) => {
    const { schema, ...rest } = at(components.headers, one)
    return { ...rest, schema: whole(schema) }
  }
  const parameters = (operation.parameters ?? []).map((one) => {
    const parameter = at(components.parameters, one)
    return [`${parameter.in} ${parameter.name}`, { ...parameter, schema: whole(parameter.schema) }] as const
  })
  const credentials = (operation.security ?? []).flatMap((one) =>
    Object.entries(one).map(([name, scopes]) => {
      const { type, scheme } = at(components.securitySchemes, { $ref: name })
      return [type, scheme, ...scopes].join(' ')
    }),
  )
  return {
    ...operation,
    credentials: credentials.sort().join(),
    parameters: Object.fromEntries(parameters),
    bodyRequired: operation.requestBody?.required ?? false,
    bodies: bodies(operation.requestBody?.content),
    responses: mapValues(operation.responses, (one) => {
      const { 'x-error-codes': codes = [], headers = {}, content } = at(components.responses, one)
      return { codes, headers: mapValues(headers, header), bodies: bodies(content) }
    }),
  }
}

const STABILITIES = ['experimental', 'beta', 'stable']

function* ofOperation(before: Resolved, after: Resolved): Generator<string> {
  if (before.operationId !== after.operationId) yield `is called ${after.operationId}`
  const [was, is] = [before['x-stability'], after['x-stability']]
  if (STABILITIES.indexOf(is) < STABILITIES.indexOf(was)) yield `is ${is} instead of ${was}`
  if (before.credentials !== after.credentials) yield 'needs another credential'
  const [ended, ends] = [before['x-deprecated-sunset'], after['x-deprecated-sunset']]
  if (ended && ends && ends < ended) yield `is removed on ${ends} instead of ${ended}`
  yield* ofParameters(before.parameters, after.parameters)
  if (after.bodyRequired && !before.bodyRequired) yield 'needs a body'
  yield* ofBodies('the body', before.bodies, after.bodies, 'request')
  yield* ofResponses(before.responses, after.responses)
}

function* ofParameters(before: Resolved['parameters'], after: Resolved['parameters']): Generator<string> {
  for (const [name, { required, schema }] of Object.entries(before)) {
    const now = after[name]
    if (!now) yield `lost the parameter ${name}`
    else if (now.required && !required) yield `needs the parameter ${name}`
    else yield* ofSchema(`the parameter ${name}`, schema, now.schema, 'request')
  }
  for (const [name, { required }] of Object.entries(after)) {
    if (required && !before[name]) yield `needs the parameter ${name}`
  }
}

function* ofResponses(before: Resolved['responses'], after: Resolved['responses']): Generator<string> {
  for (const [status, { codes, headers, bodies }] of Object.entries(before)) {
    const now = after[status]
    if (!now) {
      yield `lost the response ${status}`
      continue
    }
    for (const code of now.codes) if (!codes.includes(code)) yield `may answer ${status} with the code ${code}`
    for (const [name, { required, schema }] of Object.entries(headers)) {
      const header = now.headers[name]
      if (!header) yield `lost the header ${name} of ${status}`
      else if (required && !header.required) yield `may leave out the header ${name} of ${status}`
      else yield* ofSchema(`the header ${name} of ${status}`, schema, header.schema, 'response')
    }
    yield* ofBodies(`the response ${status}`, bodies, now.bodies, 'response')
  }
  for (const status of Object.keys(after)) if (!before[status]) yield `may answer ${status}`
}

type Direction = 'request' | 'response'

function* ofBodies(
  place: string,
  before: Record<string, Schema>,
  after: Record<string, Schema>,
  direction: Direction,
): Generator<string> {
  for (const [type, schema] of Object.entries(before)) {
    const now = after[type]
    if (now) yield* ofSchema(place, schema, now, direction)
    else yield `has no ${type} for ${place}`
  }
  if (direction === 'request') return
  for (const type of Object.keys(after)) if (!before[type]) yield `may have ${type} for ${place}`
}

const SAME = ['type', 'format'] as const
const LOWER = ['minimum', 'minLength', 'minProperties'] as const
const UPPER = ['maximum', 'maxLength', 'maxItems', 'x-days-ahead-max'] as const
const ANNOTATIONS = ['description', 'examples', 'x-pattern-description', 'x-extensible-enum']
const KEYWORDS: string[] = [...SAME, ...LOWER, ...UPPER, 'enum', 'pattern', 'default', 'required', ...ANNOTATIONS]

/** All that a request could hold must still be taken; all that a response can hold must have been possible before. */
function* ofSchema(place: string, before: Schema, after: Schema, direction: Direction): Generator<string> {
  const [inner, outer] = direction === 'request' ? [before, after] : [after, before]
  const different: string[] = SAME.filter((name) => String(before[name]) !== String(after[name]))
  different.push(...LOWER.filter((name) => (inner[name] ?? -Infinity) < (outer[name] ?? -Infinity)))
  different.push(...UPPER.filter((name) => (inner[name] ?? Infinity) > (outer[name] ?? Infinity)))
  const { enum: values, pattern } = outer
  if (values && !inner.enum?.every((value) => values.includes(value))) different.push('enum')
  if (pattern !== undefined && inner.pattern !== pattern) different.push('pattern')
  if (direction === 'request' && before.default !== after.default) different.push('default')
  for (const keyword of different) yield `has another ${keyword} for ${place}`
  yield* ofFields(place, before, after, direction)
  if (before.items && after.items) yield* ofSchema(`an item of ${place}`, before.items, after.items, direction)
}

function* ofFields(place: string, before: Schema, after: Schema, direction: Direction): Generator<string> {
  for (const [name, field] of Object.entries(before.properties ?? {})) {
    const now = after.properties?.[name]
    if (now) yield* ofSchema(`${name} in ${place}`, field, now, direction)
    else yield `lost the field ${name} in ${place}`
  }
  const [inner, outer] = direction === 'request' ? [before, after] : [after, before]
  for (const name of outer.required ?? []) {
    if (inner.required?.includes(name) || !after.properties?.[name]) continue
    yield direction === 'request'
      ? `needs the field ${name} in ${place}`
      : `may leave out the field ${name} in ${place}`
  }
}

/** A component, or what stands in its place. */
function at<Of>(components: Record<string, Of>, one: Reference | Of): Of {
  const { $ref } = one as Reference
  if (!$ref) return one as Of
  const found = components[$ref.split('/').at(-1) as string]
  if (!found) throw new Error(`nothing at ${$ref}`)
  return found
}

function mapValues<Value, Result>(values: Record<string, Value>, to: (value: Value) => Result): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]))
}
