// Finds the changes of a contract that break clients, and the forbidden changes. Every change breaks clients unless
// it is known to be harmless. Existing libraries for Node support only OpenAPI 3.0 or download a program, and none
// knows stability labels.

import type { OpenApi, Operation, Schema } from '../../packages/contract/src/openapi.ts'
import { flatten } from '../../packages/contract/src/schema.ts'

export interface Change {
  operationId: string
  stability: Operation['x-stability']
  /** The place in the operation, with its new and old value. */
  what: string
}

export function breakingChanges(before: OpenApi, after: OpenApi): Change[] {
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const { operationId, 'x-stability': stability } = operation
      const found = differences([], whole(operation, before), whole(after.paths[path]?.[method], after))
      return [...found].map((what) => ({ operationId, stability, what }))
    }),
  )
}

/**
 * Returns the forbidden changes: changes of stable operations, and changes of beta operations that the changelog does not
 * announce. An announcement is newer than the release, is under "Changed", "Deprecated" or "Removed", and has the
 * operationId in backticks.
 */
export function forbidden(changes: readonly Change[], changelog: string, release: string): string[] {
  const [newer = ''] = changelog.split(`\n## ${release}`)
  const announced = newer.split(/^##+ /m).filter((section) => /^(?:Changed|Deprecated|Removed)\n/.test(section))
  const isAnnounced = (operationId: string) => announced.some((section) => section.includes(`\`${operationId}\``))
  return changes
    .filter(({ stability }) => stability !== 'experimental')
    .filter(({ stability, operationId }) => stability === 'stable' || !isAnnounced(operationId))
    .map(({ operationId, what }) => `${operationId}: ${what}`)
}

type Tree = { [name: string]: unknown }
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null

/** Resolves references, and turns lists into sets. */
function whole(value: unknown, contract: OpenApi): unknown {
  const { schemas, securitySchemes } = contract.components
  if (Array.isArray(value)) return Object.fromEntries(value.map((one) => named(whole(one, contract))))
  if (!isTree(value)) return value
  const { $ref, allOf, security } = value
  if (allOf || String($ref).startsWith('#/components/schemas/'))
    return whole(flatten(value as Schema, schemas), contract)
  if ($ref)
    return whole(
      `${$ref}`
        .slice(2)
        .split('/')
        .reduce((at: unknown, name) => (at as Tree)[name], contract),
      contract,
    )
  const names = Object.keys(Object.assign({}, ...((security as Tree[]) ?? [])))
  const credentials = names.map((name) => securitySchemes[name])
  const own = security ? { ...value, security: credentials.map((one) => `${one?.type} ${one?.scheme}`) } : value
  return Object.fromEntries(Object.entries(own).map(([name, one]) => [name, whole(one, contract)]))
}

/** A parameter has its place and name, a value itself. */
const named = (one: unknown) => (isTree(one) ? [`${one.in} ${one.name}`, one] : [`${one}`, true])

function* differences(place: string[], before: unknown, after: unknown): Generator<string> {
  if (isTree(before) && isTree(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (IGNORED.includes(name) && place.at(-1) !== 'properties') continue
      yield* differences([...place, name], before[name], after[name])
    }
  } else if (before !== after && !isHarmless(place, before, after)) {
    const [was, is] = [before, after].map((one) => (one === undefined ? 'nothing' : isTree(one) ? 'there' : one))
    yield `${place.join(' ')} is ${is} instead of ${was}`
  }
}

const STABILITIES: unknown[] = ['experimental', 'beta', 'stable']
const IGNORED = ['description', 'summary', 'tags', 'example', 'examples', 'deprecated', 'x-deprecated-since']
IGNORED.push('x-deprecated-successor', 'x-stability-level', 'x-badges', 'x-pattern-description', 'x-extensible-enum')

/** A request that was valid must still be accepted, and every response must have been possible before. */
function isHarmless(place: string[], before: unknown, after: unknown): boolean {
  const [parent, name = ''] = [place.at(-2), place.at(-1)]
  const isResponse = place[0] === 'responses'
  const [inner, outer] = isResponse ? [after, before] : [before, after]
  const isAdded = before === undefined
  if (parent === 'properties' || parent === 'headers') return isAdded
  if (parent === 'parameters') return isAdded && !(after as { required?: boolean }).required
  if (parent === 'enum' || parent === 'x-error-codes') return inner === undefined
  if (parent === 'required') return outer === undefined
  if (parent === 'content') return isAdded && !isResponse
  switch (name) {
    case 'x-stability':
      return STABILITIES.indexOf(after) > STABILITIES.indexOf(before)
    case 'x-deprecated-sunset':
      return isAdded || after === undefined || `${after}` > `${before}`
    case 'default':
      return isResponse
    case 'minimum':
    case 'minLength':
    case 'minProperties':
      return outer === undefined || Number(outer) < Number(inner)
    case 'maximum':
    case 'maxLength':
    case 'maxItems':
    case 'x-days-ahead-max':
      return outer === undefined || Number(outer) > Number(inner)
    case 'enum':
    case 'pattern':
      return outer === undefined
    case 'required':
      return !outer
    default:
      return false
  }
}
