// Invalid values of query parameters, which return 400 and are never ignored or clamped.

import { TEXT_LENGTH_MAX } from '../../../../contract/src/generated.ts'
import { SEARCH_WORDS_MAX } from '../../../../contract/src/limits.ts'
import type { PromiseRow } from './promise.ts'
import { familyOf, parameter } from './rows.ts'

/** A description, and the values as sent in the query. NAME is replaced by the parameter's name. */
export type WrongValues = readonly [words: string, ...values: string[]]

const TOO_MANY_WORDS = [...Array(SEARCH_WORDS_MAX + 1).keys()].join('+')

/** By the name of the parameter, or `id` for every id. */
export const WRONG = {
  limit: [
    'Any NAME but the digits of 1 to 100, or an empty or repeated one',
    ...['0', '101', '99999999999999999999', 'ten', '', '-1', '%2B5', '05', '5.0', '1e1', '5%20', '5&NAME=5'],
  ],
  status: [
    'An unknown NAME, one in the wrong case, or an empty or repeated one',
    ...['gone', 'Pending', '', 'pending&NAME=pending'],
  ],
  sort: ['An unknown NAME, or an empty or repeated one', 'name', '', 'newest&NAME=newest'],
  id: [
    'A NAME that is not an int64 in plain decimal, or an empty or repeated one',
    ...['x', '', '1.0', '9223372036854775808', '1&NAME=1'],
  ],
  search: [
    `A NAME without letters or digits, over ${TEXT_LENGTH_MAX} characters or ${SEARCH_WORDS_MAX} words, empty or repeated`,
    ...['', 'a'.repeat(TEXT_LENGTH_MAX + 1), '%F0%9F%90%B6-', TOO_MANY_WORDS, 'a&NAME=a'],
  ],
  cursor: ['An invalid or empty NAME', 'x', ''],
} satisfies Record<string, WrongValues>

/** Returns a row that expects 400 for each value of the parameter. */
export function refusedValues(id: string, name: string, [words, ...values]: WrongValues): PromiseRow {
  const { row, of, path } = familyOf(id)
  return row(`${id}.wrong`, `${words.replace('NAME', name)}: 400 invalid_parameter.`)
    .from(parameter(of, name))
    .check(async (probe) => {
      for (const value of values)
        (await probe.get(`${path}?${name}=${value.replace('NAME', name)}`)).expectError(400, 'invalid_parameter')
    })
}
