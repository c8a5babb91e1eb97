// The words of names and of searches, folded alike on both sides and in both stores: case, marks and widths make no difference. The databases
// have rules of their own, which differ; so none of theirs is used. Their indexes hold these words: where a text would get others, also because
// the runtime knows a newer Unicode, a migration has to index all texts again (packages/service/test/domain/words.test.ts).

import { SEARCH_WORDS_MAX } from '../../../contract/src/limits.ts'
import { PetstoreError } from './petstore-error.ts'

const ASCII = /^[\0-\x7f]*$/
const MARKS = /\p{M}+/gu
/** A letter or digit of the scripts that put no spaces between words is a word of its own. */
const WORDS =
  /[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]|[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]+/gv
const WRITTEN =
  /[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]+|[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]+/gv
const ASCII_WORDS = /[0-9a-z]+/g

/** Upper and lower case twice: ẞ becomes ß first, and then ss. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const plain = text.normalize('NFKD').replace(MARKS, '')
  if (ASCII.test(plain)) return plain.toLowerCase()
  return plain.toUpperCase().toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

function split(folded: string): string[] {
  return folded.match(ASCII.test(folded) ? ASCII_WORDS : WORDS) ?? []
}

/** The words of a text, each with a space before it: for `hasWords`. */
export function wordsOf(text: string): string {
  const words = split(fold(text))
  return words.length === 0 ? '' : ` ${words.join(' ')}`
}

/** The words of a search, each once. Throws `invalid_parameter` when there are none, or too many as they are written. */
export function searchWords(search: string): string[] {
  const written = writtenWords(search)
  if (written === 0) throw new PetstoreError('invalid_parameter', 'search must have a letter or a digit in it.')
  if (written > SEARCH_WORDS_MAX) {
    throw new PetstoreError('invalid_parameter', `search must have at most ${SEARCH_WORDS_MAX} words.`)
  }
  return [...new Set(split(fold(search)))]
}

/** A character that folds to several words, as a ligature or an abbreviation may, is written as one. */
function writtenWords(search: string): number {
  const one = search.replace(/[^\0-\x7f]/gu, (character) => {
    const [first = '', ...others] = fold(character).match(WRITTEN) ?? []
    return others.length > 0 ? first : character
  })
  return fold(one).match(WRITTEN)?.length ?? 0
}

/** What `hasWords` looks for: made once, since a search looks at many rows. */
export function beginningsOf(search: readonly string[]): string[] {
  return search.map((word) => ` ${word}`)
}

/** Whether for each word of a search one of the words begins with it. `words`: as `wordsOf` gives them. */
export function hasWords(words: string, beginnings: readonly string[]): boolean {
  for (const beginning of beginnings) if (!words.includes(beginning)) return false
  return true
}
