// Path and query parameters, checked against the contract. Unknown ones are ignored; a known one given twice is refused.

import { PetstoreError } from '../errors.ts'
import type { ContractOperation, ContractParameter } from './contract.ts'

/**
 * Every parameter of the operation, defaults filled in. Throws `invalid_parameter` with every problem of the query, and
 * `not_found` for a path that can name nothing: the only documented answer that fits.
 */
export function readParameters(
  { parameters }: ContractOperation,
  path: Record<string, string>,
  url: string,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  const query = queryOf(url)
  for (const parameter of parameters) {
    const value =
      parameter.in === 'path' ? readPath(parameter, path[parameter.name]) : readQuery(parameter, query, problems)
    if (value !== undefined) values[parameter.name] = value
  }
  if (problems.length > 0) throw new PetstoreError('invalid_parameter', problems.join(' '))
  return values
}

function readPath({ name, validate }: ContractParameter, text = ''): unknown {
  const problems: string[] = []
  const value = validate(text, name, problems)
  if (problems.length > 0)
    throw new PetstoreError('not_found', 'Nothing has this id: ids are integers in plain decimal.')
  return value
}

function readQuery(parameter: ContractParameter, query: URLSearchParams | undefined, problems: string[]): unknown {
  const { name } = parameter
  const [text, ...more] = query?.getAll(name) ?? []
  if (text === undefined) return parameter.default
  if (more.length === 0) return parameter.validate(text, name, problems)
  problems.push(`${name} must be given once.`)
}

/** Bun gives a target relative to an unusable Host as it is, so the first `?` always begins the query. */
function queryOf(url: string): URLSearchParams | undefined {
  const start = url.indexOf('?')
  return start < 0 ? undefined : new URLSearchParams(url.slice(start + 1))
}
