// Invalid values of query parameters, which return 400 and are never ignored or clamped.

import type { OperationId } from '../../../../contract/src/contract.ts'
import { TEXT_LENGTH_MAX } from '../../../../contract/src/generated.ts'
import { SEARCH_WORDS_MAX } from '../../../../contract/src/limits.ts'
import type { Level, PromiseRow } from './promise.ts'
import { parameter, rowsOf } from './rows.ts'

/** A description, and the values as sent in the query. NAME is replaced by the parameter's name. */
export type WrongValues = readonly [words: string, ...values: string[]]

export const WRONG_LIMITS: WrongValues = [
  'Any NAME but the digits of 1 to 100, or an empty or repeated one',
  ...['0', '101', '99999999999999999999', 'ten', '', '-1', '%2B5', '05', '5.0', '1e1', '5%20', '5&NAME=5'],
]
export const WRONG_STATUSES: WrongValues = [
  'An unknown NAME, one in the wrong case, or an empty or repeated one',
  ...['gone', 'Pending', '', 'pending&NAME=pending'],
]
export const WRONG_SORTS: WrongValues = [
  'An unknown NAME, or an empty or repeated one',
  ...['name', '', 'newest&NAME=newest'],
]
export const WRONG_IDS: WrongValues = [
  'A NAME that is not an int64 in plain decimal, or an empty or repeated one',
  ...['x', '', '1.0', '9223372036854775808', '1&NAME=1'],
]
const TOO_MANY_WORDS = [...Array(SEARCH_WORDS_MAX + 1).keys()]
export const WRONG_SEARCHES: WrongValues = [
  `A NAME without letters and digits, over ${TEXT_LENGTH_MAX} characters or ${SEARCH_WORDS_MAX} words, or an empty or repeated one`,
  ...['', 'a'.repeat(TEXT_LENGTH_MAX + 1), '%F0%9F%90%B6-', TOO_MANY_WORDS.join('+'), 'a&NAME=a'],
]
export const WRONG_CURSORS: WrongValues = ['An invalid or empty NAME', 'x', '']

/** Returns a row that expects 400 for each value of the operation's parameter. */
export function refusedValues(
  level: Level,
  id: string,
  operation: OperationId,
  [path, name]: readonly [path: string, name: string],
  [words, ...values]: WrongValues,
): PromiseRow {
  return rowsOf(level)(`${id}.wrong`, `${words.replace('NAME', name)}: 400 invalid_parameter.`)
    .from(parameter(operation, name))
    .check(async (probe) => {
      for (const value of values)
        (await probe.get(`${path}?${name}=${value.replace('NAME', name)}`)).expectError(400, 'invalid_parameter')
    })
}
