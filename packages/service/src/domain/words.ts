// Splits names and searches into words, ignoring case, accents and character width. Databases fold text in different
// ways, so both stores use this code instead. Their indexes contain these words: if the result for a text changes,
// for example with a newer Unicode version of the runtime, a migration must index all texts again
// (packages/service/test/domain/words.test.ts).

import { SEARCH_WORDS_MAX } from '../../../contract/src/limits.ts'
import { PetstoreError } from './petstore-error.ts'

const ASCII = /^[\0-\x7f]*$/
const MARKS = /\p{M}+/gu
/** In scripts without spaces between words, each letter or digit is one word. */
const WORDS =
  /[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]|[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]+/gv
const WRITTEN =
  /[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]+|[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]+/gv
const ASCII_WORDS = /[0-9a-z]+/g

/** PostgreSQL's maximum lexeme length, in bytes of UTF-8. */
const WORD_BYTES_MAX = 2_046

/** Changes case twice, because ẞ becomes ß first and then ss. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const plain = text.normalize('NFKD').replace(MARKS, '')
  if (ASCII.test(plain)) return plain.toLowerCase()
  return plain.toUpperCase().toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

function split(folded: string): string[] {
  return folded.match(ASCII.test(folded) ? ASCII_WORDS : WORDS) ?? []
}

/** Returns the words of a text, each preceded by a space, for `hasWords`. */
export function wordsOf(text: string): string {
  const words = split(fold(text))
  return words.length === 0 ? '' : ` ${words.join(' ')}`
}

/** Returns the distinct words of a search. Throws `invalid_parameter` if it has none or too many. */
export function searchWords(search: string): string[] {
  const written = writtenWords(search)
  if (written === 0) throw new PetstoreError('invalid_parameter', 'search must contain a letter or a digit.')
  if (written > SEARCH_WORDS_MAX) {
    throw new PetstoreError('invalid_parameter', `search must have at most ${SEARCH_WORDS_MAX} words.`)
  }
  return [...new Set(split(fold(search)))]
}

/** Counts a character that folds to several words, such as a ligature, as one word. */
function writtenWords(search: string): number {
  const one = search.replace(/[^\0-\x7f]/gu, (character) => {
    const [first = '', ...others] = fold(character).match(WRITTEN) ?? []
    return others.length > 0 ? first : character
  })
  return fold(one).match(WRITTEN)?.length ?? 0
}

/** Prepares a search for `hasWords`, once for many rows. */
export function beginningsOf(search: readonly string[]): string[] {
  return search.map((word) => ` ${word}`)
}

/** Returns whether each word of the search is the beginning of one of `words`, which come from `wordsOf`. */
export function hasWords(words: string, beginnings: readonly string[]): boolean {
  for (const beginning of beginnings) if (!words.includes(beginning)) return false
  return true
}

/** Returns the words of a text for the index, separated by spaces. */
export function indexedWords(text: string): string {
  const words = wordsOf(text).slice(1)
  return words.length * 3 <= WORD_BYTES_MAX ? words : words.split(' ').map(indexedWord).join(' ')
}

/** Cuts between characters, because half a character is not valid text. */
export function indexedWord(word: string): string {
  if (word.length * 3 <= WORD_BYTES_MAX) return word
  const { read } = new TextEncoder().encodeInto(word, new Uint8Array(WORD_BYTES_MAX))
  return word.slice(0, read)
}
