// Path, query and header parameters, checked against the contract. Unknown ones are ignored; a known one given twice is
// refused.

import { PetstoreError } from '../errors.ts'
import type { ContractOperation, ContractParameter } from './contract.ts'
import type { RoutedRequest } from './resources.ts'

/**
 * Every parameter of the operation, defaults filled in. Throws `invalid_parameter` with every problem of them, and
 * `not_found` for a path that can name nothing: the only documented answer that fits.
 */
export function readParameters(
  { parameters }: ContractOperation,
  { params, url, headers }: RoutedRequest,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  const query = parameters.some((parameter) => parameter.in === 'query') ? queryOf(url) : undefined
  for (const parameter of parameters) {
    const { name } = parameter
    const value =
      parameter.in === 'path'
        ? readPath(parameter, params[name])
        : readOne(parameter, textsOf(parameter, query, headers), problems)
    if (value !== undefined) values[name] = value
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

function readOne(parameter: ContractParameter, [text, ...more]: string[], problems: string[]): unknown {
  const { name } = parameter
  if (text === undefined) return parameter.default
  if (more.length === 0) return parameter.validate(text, name, problems)
  problems.push(`${name} must be given once.`)
}

function textsOf(parameter: ContractParameter, query: URLSearchParams | undefined, headers: Headers): string[] {
  if (parameter.in === 'query') return query?.getAll(parameter.name) ?? []
  // Two lines arrive as one, joined by a comma: the header's own pattern has to refuse that.
  const line = headers.get(parameter.name)
  return line === null ? [] : [line]
}

/** Bun gives a target relative to an unusable Host as it is, so the first `?` always begins the query. */
function queryOf(url: string): URLSearchParams | undefined {
  const start = url.indexOf('?')
  return start < 0 ? undefined : new URLSearchParams(url.slice(start + 1))
}
