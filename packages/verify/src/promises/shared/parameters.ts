// Wrong values of query parameters, which are refused with 400 and never ignored or clamped: tables of them, and the rows of an operation.

import type { OperationId } from '../../../../contract/src/contract.ts'
import type { Level, PromiseRow } from './promise.ts'
import { answers, parameter, reading, rowsOf } from './rows.ts'

/** By the end of the id: the value in the query, words (NAME is the parameter's), and the end of the id of what it depends on. */
export type WrongValues = Record<string, readonly [string, string, string?]>

export const WRONG_LIMITS: WrongValues = {
  zero: ['0', 'limit=0'],
  'too-large': ['101', 'limit=101, which is never clamped'],
  huge: ['99999999999999999999', 'A limit beyond every integer', 'too-large'],
  text: ['ten', 'A limit that is no number'],
  empty: ['', 'An empty limit', 'text'],
  negative: ['-1', 'limit=-1', 'zero'],
  plus: ['%2B5', 'A limit with a sign', 'text'],
  'leading-zero': ['05', 'A limit with a leading zero'],
  fraction: ['5.0', 'limit=5.0', 'leading-zero'],
  exponent: ['1e1', 'limit=1e1', 'leading-zero'],
  space: ['5%20', 'A limit with a space', 'leading-zero'],
  twice: ['5&NAME=5', 'limit given twice'],
}

export const WRONG_STATUSES: WrongValues = {
  unknown: ['gone', 'An unknown status'],
  empty: ['', 'An empty status', 'unknown'],
  case: ['Pending', 'A status in other letters', 'unknown'],
  twice: ['pending&NAME=pending', 'status given twice'],
}

export const WRONG_SORTS: WrongValues = {
  unknown: ['name', 'Another sort'],
  empty: ['', 'An empty sort', 'unknown'],
  twice: ['newest&NAME=newest', 'sort given twice'],
}

export const WRONG_IDS: WrongValues = {
  text: ['x', 'A value of NAME that is no number'],
  empty: ['', 'An empty value of NAME', 'text'],
  fraction: ['1.0', 'NAME=1.0', 'text'],
  range: ['9223372036854775808', 'A value of NAME outside int64', 'text'],
  twice: ['1&NAME=1', 'NAME given twice', 'text'],
}

export const WRONG_SEARCHES: WrongValues = {
  empty: ['', 'An empty search'],
  'too-long': ['a'.repeat(256), 'A search of 256 characters'],
  'no-word': ['%F0%9F%90%B6-', 'A search without a letter or a digit'],
  'too-many-words': ['a+b+c+d+e+f+g+h+i', 'A search of nine words'],
  twice: ['a&NAME=a', 'search given twice'],
}

/** Rows under `id` for the parameter of the operation. */
export function refusedValues(
  level: Level,
  id: string,
  operation: OperationId,
  target: readonly [path: string, name: string],
  values: WrongValues,
): PromiseRow[] {
  const row = rowsOf(level)
  const [path, name] = target
  return Object.entries(values).map(([end, [value, words, after]]) =>
    row(`${id}.${end}`, `${words.replace('NAME', name)}: 400 invalid_parameter.`)
      .from(parameter(operation, name), after ? reading(`${id}.${after}`) : {})
      .check(answers(`GET ${path}?${name}=${value.replace('NAME', name)}`, 400, 'invalid_parameter')),
  )
}
