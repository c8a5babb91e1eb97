// Reads and validates path, query and header parameters. Ignores unknown ones. Refuses known ones that are given
// twice (except lists), or whose names have brackets.

import type { ContractOperation, ContractParameter } from '../../../../contract/src/contract.ts'
import { instantFromText } from '../../../../contract/src/date-time.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { RoutedRequest } from '../context.ts'

/**
 * Returns all parameters of the operation, with defaults. Throws `invalid_parameter` with all problems in one
 * message, or `not_found` for an invalid path parameter, because no resource can have that path.
 */
export function readParameters({ parameters }: ContractOperation, request: RoutedRequest): Record<string, unknown> {
  const { params, headers } = request
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  // Reading the URL makes the runtime build it.
  const url = parameters.some((parameter) => parameter.in === 'query') ? request.url : ''
  // Not `new URL`: if the Host is invalid, Bun gives only the target. In both cases the first `?` starts the query.
  const start = url.indexOf('?')
  const query = start < 0 ? '' : url.slice(start + 1)
  for (const parameter of parameters) {
    const { name } = parameter
    const value =
      parameter.in === 'path'
        ? readPath(parameter, params[name])
        : readOne(parameter, textsOf(parameter, query, headers), problems)
    if (value !== undefined) values[name] = value
  }
  if (BRACKET.test(query)) refuseBrackets(parameters, query, problems)
  if (problems.length > 0) throw new PetstoreError('invalid_parameter', problems.join(' '))
  return values
}

const BRACKET = /\[|%5b/i

/** Some clients send lists as `type[]` or `type[0]`. Ignoring that filter would list the wrong items. */
function refuseBrackets(parameters: readonly ContractParameter[], query: string, problems: string[]): void {
  for (const given of new Set(new URLSearchParams(`?${query}`).keys())) {
    const [, name] = /^(\w+)\[\d{0,9}\]$/.exec(given) ?? []
    const known = parameters.find((parameter) => parameter.in === 'query' && parameter.name === name)
    if (known) problems.push(`${known.many ? 'Repeat' : 'Write'} \`${name}\` instead of \`${given}\`.`)
  }
}

function readPath({ name, validate }: ContractParameter, text = ''): unknown {
  const problems: string[] = []
  const value = validate(text, name, problems)
  if (problems.length > 0) throw new PetstoreError('not_found', `Nothing has this id. ${problems.join(' ')}`)
  return value
}

function readOne(parameter: ContractParameter, texts: readonly string[], problems: string[]): unknown {
  const { name, many } = parameter
  const [text] = texts
  if (text === undefined) return parameter.default
  const { maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = many ?? { maxItems: 1 }
  if (texts.length > maxItems) {
    problems.push(`${name} must be given ${many ? `at most ${maxItems} times` : 'once'}.`)
    return undefined
  }
  const own: string[] = []
  const values = [...new Set(texts)].map((one) => parameter.validate(one, name, own))
  if (uniqueItems && values.length < texts.length) own.push(`${name} must not have the same value twice.`)
  problems.push(...own.map((problem) => problem + (parameter.in === 'query' ? noteOnPlus(text) : '')))
  return many ? values : values[0]
}

/** Returns a note for an invalid value: in a query, `+` means a space. */
export function noteOnPlus(text: string): string {
  return instantFromText(text.replace(' ', '+')) === undefined ? '' : ' In a URL, write its + as %2B.'
}

function textsOf(parameter: ContractParameter, query: string, headers: Headers): readonly string[] {
  if (parameter.in === 'query') return valuesOf(parameter.name, query)
  // Bun joins two header lines with a comma, which the contract's pattern must refuse.
  const line = headers.get(parameter.name)
  return line === null ? [] : [line]
}

/** Returns the same values as `new URLSearchParams('?' + query)`, but faster if nothing is escaped. */
export function valuesOf(name: string, query: string): readonly string[] {
  if (query === '') return []
  if (query.includes('%') || query.includes('+')) return new URLSearchParams(`?${query}`).getAll(name)
  const values: string[] = []
  for (let at = 0; at <= query.length; ) {
    const next = query.indexOf('&', at)
    const end = next < 0 ? query.length : next
    if (query.startsWith(name, at)) {
      const after = at + name.length
      if (after === end) values.push('')
      else if (query.charCodeAt(after) === EQUALS) values.push(query.slice(after + 1, end))
    }
    at = end + 1
  }
  return values
}

const EQUALS = 0x3d
