// Finds the rows of a page by the words of a search. The database's own index finds them, given the words that the domain folds; each is compared
// with its row, so the index may say too much, and never decides.

import type { Page } from '../../domain/lists.ts'
import { beginningsOf, hasWords, searchWords, wordsOf } from '../../domain/words.ts'
import { endOfTurn, monotonicMs } from '../../system/runtime.ts'
import { type AnyFilter, boundOf, goesUp, pageOfRows } from './lists.ts'

/** PostgreSQL's longest lexeme, in bytes of UTF-8. */
const WORD_BYTES_MAX = 2_046
/** Of folded words, unlike SEARCH_WORDS_MAX: of more, as of many Chinese characters, the index is asked for the longest, the rows for all. */
const INDEXED_MAX = 8
/** No request waits longer for the comparing. */
const SLICE_MS = 2

export interface FoundRow {
  readonly id: bigint
  readonly text: string
  readonly json: string
}

/** A step of a walk: the number of rows it read, the last row, and the rows that may have the words. */
export interface Looked {
  readonly count: number
  readonly last: bigint
  readonly rows: readonly FoundRow[]
}

/** The rows above `after`, or up to it, that may have the words: the nearest first, in steps of bounded length. */
export interface WalkRange<Filter> {
  readonly filter: Filter
  /** As `indexedWord` gives them. */
  readonly words: readonly string[]
  readonly after: bigint
  readonly up: boolean
  /** How many are wanted. */
  readonly count: number
}

export type Walk<Filter> = (range: WalkRange<Filter>) => AsyncIterable<readonly FoundRow[]>

/** The words of a text, separated by spaces: what an index is given. */
export function indexedWords(text: string): string {
  const words = wordsOf(text).slice(1)
  return words.length * 3 <= WORD_BYTES_MAX ? words : words.split(' ').map(indexedWord).join(' ')
}

/** Cut behind a character: half of one is no text. */
function indexedWord(word: string): string {
  if (word.length * 3 <= WORD_BYTES_MAX || Buffer.byteLength(word) <= WORD_BYTES_MAX) return word
  const { read } = new TextEncoder().encodeInto(word, new Uint8Array(WORD_BYTES_MAX))
  return word.slice(0, read)
}

/** `plain`, for the filters that have a search, too. */
export function searchable<Filter extends AnyFilter>(
  plain: (filter: Filter) => Promise<Page>,
  walk: Walk<Filter>,
): (filter: Filter) => Promise<Page> {
  return async (filter) => {
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

async function found(
  steps: AsyncIterable<readonly FoundRow[]>,
  beginnings: readonly string[],
  count: number,
): Promise<FoundRow[]> {
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
