// Reads and validates path, query and header parameters. Ignores unknown ones; refuses a known one that is given twice, unless it is a list,
// or whose name has brackets.

import type { ContractOperation, ContractParameter } from '../../../../contract/src/contract.ts'
import { instantFromText } from '../../../../contract/src/date-time.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { RoutedRequest } from '../context.ts'

/**
 * Every parameter of the operation, with defaults. Throws `invalid_parameter` with all problems in one message, and `not_found` for
 * an invalid path parameter: no resource can have such a path.
 */
export function readParameters({ parameters }: ContractOperation, request: RoutedRequest): Record<string, unknown> {
  const { params, headers } = request
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  // The runtime writes the URL when it is read.
  const query = parameters.some((parameter) => parameter.in === 'query') ? queryOf(request.url) : ''
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

/** Some clients send a list as `type[]` or `type[0]`. Without the filter, the wrong items would be listed. */
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
  const { name } = parameter
  const [text] = texts
  if (text === undefined) return parameter.default
  if (texts.length > 1 && !parameter.many) {
    problems.push(`${name} must be given once.`)
    return undefined
  }
  const own: string[] = []
  const values = [...new Set(texts)].map((one) => parameter.validate(one, name, own))
  problems.push(...own.map((problem) => problem + (parameter.in === 'query' ? noteOnPlus(text) : '')))
  return parameter.many ? values : values[0]
}

/** For the message on a value that was refused: in a query, a `+` is a space. */
export function noteOnPlus(text: string): string {
  return instantFromText(text.replace(' ', '+')) === undefined ? '' : ' In a URL, write its + as %2B.'
}

function textsOf(parameter: ContractParameter, query: string, headers: Headers): readonly string[] {
  if (parameter.in === 'query') return valuesOf(parameter.name, query)
  // Bun joins two header lines with a comma: the pattern in the contract must refuse that.
  const line = headers.get(parameter.name)
  return line === null ? [] : [line]
}

/** Not `new URL`: with an invalid Host, Bun gives only the request's target. Its first `?` starts the query in both cases. */
function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** The values that `new URLSearchParams('?' + query)` gives, but faster when nothing is escaped. */
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
