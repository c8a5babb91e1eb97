// Builds rows of the catalogue: their sentences, sources, premises and simple checks.

import { basePath, document, type OperationId, operations } from '../../../../contract/src/contract.ts'
import type { Answer } from '../../answer.ts'
import { retryRaces } from '../../fixtures.ts'
import type { Probe, RequestOptions } from '../../probe.ts'
import { FAMILIES } from '../../wrong-values.ts'
import type { Level, PromiseRow } from './promise.ts'

export type Check = PromiseRow['check']
/** `races`: another client's change can fail the check, so it is tried several times. */
type More = Pick<PromiseRow, 'needs' | 'premises' | 'alone'> & { races?: boolean }

/** The operation that a sentence starts with if it names none, by the first one or two parts of the id. */
const OPERATIONS: Readonly<Record<string, OperationId>> = {
  ...FAMILIES,
  'orders.expiry': 'getOrder',
  auth: 'listPets',
  'errors.400': 'createPet',
  'errors.401': 'listPets',
  'errors.404': 'getPet',
}

/** Returns the operation that a row is about, if it is about one. */
function operationIn(id: string): OperationId | undefined {
  const [first = '', second] = id.split('.')
  return OPERATIONS[`${first}.${second}`] ?? OPERATIONS[first]
}

/** Returns what the rows of an operation share, by the start of their ids: `pets.list`. */
export function familyOf(id: string) {
  const of = operationIn(id)
  if (!of) throw new Error(`no operation has promises ${id}`)
  const [, path = ''] = lineOf(of).split(' ')
  const [area] = id.split('.')
  // `tag` is the promise about the ETag of GET.
  return { row: rowsOf(area === 'pets' ? 'pets' : 'store'), of, path, tag: `${area}.get.etag` }
}

/** Returns the sentence with its operation, so that it can be read alone. */
function named(id: string, promise: string): string {
  const of = operationIn(id)
  return !of || /\b[A-Z]+ \//.test(promise) ? promise : `${lineOf(of)}: ${promise}`
}

/** Starts a row of the level: `row(id, sentence).from(source, needs).check(check)`. */
export function rowsOf(level: Level) {
  return (id: string, promise: string) => ({
    from: (source: string | readonly (string | readonly string[])[], { races = false, ...more }: More = {}) => ({
      check: (check: Check): PromiseRow => ({
        id,
        level,
        promise: named(id, promise),
        sources: [source].flat(2),
        ...more,
        async check(probe) {
          if (operationIn(id) === 'getPet') await whileGetPetExists(probe)
          await (races ? retryRaces(() => check(probe)) : check(probe))
        },
      }),
    }),
  })
}

export const { since = 0, sunset = 0 } = operations.find(({ id }) => id === 'getPet')?.deprecation ?? {}

/** Rejects with Unjudged after the date on which the operation is removed, by the clock of the server. */
export async function whileGetPetExists(probe: Probe): Promise<void> {
  const { serverDate } = probe
  if (serverDate === undefined)
    throw probe.unjudged('The responses have no Date, so the operation can be removed already.')
  if (serverDate >= sunset) throw probe.unjudged('The operation was due for removal on 5 December 2030.')
}

/** The premises of a row that only reads. */
export const reading = (...premises: string[]): More => ({ premises })
/** As `reading`, for a check that another client's change can fail. */
export const racing = (...premises: string[]): More => ({ premises, races: true })

/** The premises of a row that writes. */
export const writing = (...premises: string[]): More => ({ needs: ['write'], premises })

/** Sends `line`, and expects the status, and the code if given. */
export function answers(line: string, status: number, code?: string, options?: RequestOptions): Check {
  return refuses((probe) => probe.ask(line, options), status, code)
}

/** Expects the status of `ask`, and the code if given. */
export function refuses(ask: (probe: Probe) => Promise<Answer>, status: number, code?: string): Check {
  return async (probe) => (await ask(probe)).expectError(status, code)
}

/** Returns an item of docs/interface.md. */
export const documented = (heading: string, subject: string): string => `docs/interface.md, ${heading}: ${subject}`

/** Returns a row of its section about the store area. */
export const ofStore = (subject: string) => documented('The store area', subject)

/** Returns a JSON Pointer into openapi.yaml. */
export function contract(...steps: (string | number)[]): string {
  const pointer = steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return `openapi.yaml#${pointer}`
}

/** Returns the operation's path and method in openapi.yaml. */
function operationOf(id: OperationId): { path: string; method: string } {
  const { method = '', path = '' } = operations.find((one) => one.id === id) ?? {}
  return { path: path.slice(basePath.length), method: method.toLowerCase() }
}

/** Returns the operation's method and path: `GET /pets`. */
export function lineOf(id: OperationId): string {
  const { path, method } = operationOf(id)
  return `${method.toUpperCase()} ${path}`
}

export function operation(id: OperationId, ...steps: (string | number)[]): string {
  const { path, method } = operationOf(id)
  return contract('paths', path, method, ...steps)
}

export const response = (id: OperationId, status: number): string => operation(id, 'responses', status)

/** Returns the names of the operation's parameters, in the order of the contract. */
export function parameterNames(id: OperationId): string[] {
  const { path, method } = operationOf(id)
  return (document.paths[path]?.[method]?.parameters ?? []).map((one) => {
    const { $ref } = one as { $ref?: string }
    const target = $ref && document.components.parameters[$ref.split('/').at(-1) ?? '']
    return (target || (one as { name: string })).name
  })
}

export function parameter(id: OperationId, name: string): string {
  const { path, method } = operationOf(id)
  const index = parameterNames(id).indexOf(name)
  if (index < 0) throw new Error(`${id} has no parameter ${name}`)
  return contract('paths', path, method, 'parameters', index)
}

/** Returns these properties of a schema, or the schema itself. */
export function schema(name: string, ...properties: string[]): string[] {
  const { allOf = [] } = document.components.schemas[name] ?? {}
  const path = contract('components', 'schemas', name)
  const paths = properties.map((property) => {
    const part = allOf.findIndex((one) => one.properties?.[property])
    return `${path}${part < 0 ? '' : `/allOf/${part}`}/properties/${property}`
  })
  return paths.length > 0 ? paths : [path]
}

/** Returns a field of the operation's body. */
export function bodySchema(id: OperationId, field: string): string[] {
  const { path, method } = operationOf(id)
  const { $ref = '' } = document.paths[path]?.[method]?.requestBody?.content['application/json']?.schema ?? {}
  return schema($ref.split('/').at(-1) ?? '', field)
}

export const header = (name: string): string => contract('components', 'headers', name)
