// Finds the rows of a page by search words. The database's word index returns candidates, and each candidate is
// compared with its row, so false positives of the index do no harm.

import type { Page } from '../../domain/lists.ts'
import { beginningsOf, hasWords, indexedWord, searchWords, wordsOf } from '../../domain/words.ts'
import { endOfTurn, monotonicMs } from '../../system/runtime.ts'
import { type AnyFilter, boundOf, goesUp, pageOfRows } from './lists.ts'

/**
 * The number of words looked up in the index, longest first; rows are compared with all words. Counts folded words,
 * unlike SEARCH_WORDS_MAX: each Chinese character is a word.
 */
const INDEXED_MAX = 8
/** Comparing blocks other requests for at most this long. */
const SLICE_MS = 2

export interface FoundRow {
  readonly id: bigint
  readonly text: string
  readonly json: string
}

/** A step of a walk: how many rows it read, the last one, and the candidates among them. */
export interface Looked {
  readonly count: number
  readonly last: bigint
  readonly rows: readonly FoundRow[]
}

/** The candidates above `after`, or up to it, nearest first. */
export interface WalkRange<Filter> {
  readonly filter: Filter
  /** Words as returned by `indexedWord`. */
  readonly words: readonly string[]
  readonly after: bigint
  readonly up: boolean
  /** How many rows are wanted. */
  readonly count: number
}

export type Walk<Filter> = (range: WalkRange<Filter>) => AsyncIterable<readonly FoundRow[]>

/** Returns `plain` with support for `search`. */
export function searchable<Filter extends AnyFilter>(plain: (filter: Filter) => Promise<Page>, walk: Walk<Filter>) {
  return async (filter: Filter): Promise<Page> => {
    if (filter.search === undefined) return plain(filter)
    const wanted = searchWords(filter.search).toSorted((one, other) => other.length - one.length)
    const words = wanted.slice(0, INDEXED_MAX).map(indexedWord)
    const find = (after: bigint, up: boolean, count: number) =>
      found(walk({ filter, words, after, up, count }), beginningsOf(wanted), count)
    const { limit, after } = filter
    const up = goesUp(filter)
    const rows = await find(after ?? boundOf(up), up, limit + 1)
    const beyond = after !== undefined && (await find(after, !up, 1)).length > 0
    return pageOfRows(filter, rows, beyond)
  }
}

async function found(steps: AsyncIterable<readonly FoundRow[]>, beginnings: readonly string[], count: number) {
  const found: FoundRow[] = []
  for await (const rows of steps) {
    let startedAt = monotonicMs()
    for (const row of rows) {
      if (hasWords(wordsOf(row.text), beginnings) && found.push(row) === count) return found
      if (monotonicMs() - startedAt < SLICE_MS) continue
      await endOfTurn()
      startedAt = monotonicMs()
    }
  }
  return found
}
