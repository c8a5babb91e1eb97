// The words of names and searches: folding, separators, and agreement with a simple model.

import { expect, test } from 'bun:test'
import { hostileName, modelFinds, modelWords, randomOf, searchFor } from '../../../../test/support/search-rules.ts'
import { TEXT_LENGTH_MAX } from '../../../contract/src/generated.ts'
import { SEARCH_WORDS_MAX } from '../../../contract/src/limits.ts'
import { beginningsOf, hasWords, searchWords, wordsOf } from '../../src/domain/words.ts'

const ROWS: [text: string, words: string][] = [
  ['Old Biscuit', 'old biscuit'],
  ['Émile', 'emile'],
  ['straße', 'strasse'],
  ['Σίσυφος', 'σισυφοσ'],
  ['İstanbul', 'istanbul'],
  ['Łódź Ørn Đoko Ægir', 'łodz ørn đoko ægir'],
  ['مُحَمَّد', 'محمد'],
  ['王小明', '王 小 明'],
  ['ぽち', 'ほ ち'],
  ['ab王c', 'ab 王 c'],
  ['\u{1f436}', ''],
  ['\u{1f436}Rex\u{1f436}2', 'rex 2'],
  ["O'Neill", 'o neill'],
  ['㎏ ™ ㍿', 'kg tm 株 式 会 社'],
  ['a\u0000b\tc_d-e', 'a b c d e'],
  ['a\u0301\u0302b', 'ab'],
  ['é'.repeat(TEXT_LENGTH_MAX), 'e'.repeat(TEXT_LENGTH_MAX)],
  ['王'.repeat(TEXT_LENGTH_MAX), '王 '.repeat(TEXT_LENGTH_MAX).trimEnd()],
]

test.each(ROWS)('%s has the words %s', (text, words) => {
  expect(wordsOf(text).trimStart()).toBe(words)
  expect(modelWords(text).words.join(' ')).toBe(words)
})

test('any name has the same words as in the model, and folding is idempotent', () => {
  const random = randomOf(7)
  for (let n = 0; n < 3_000; n++) {
    const name = hostileName(random)
    const words = wordsOf(name)
    expect(words.trimStart()).toBe(modelWords(name).words.join(' '))
    expect(wordsOf(words)).toBe(words)
  }
})

test('a search finds the same names as the model', () => {
  const random = randomOf(8)
  const names = Array.from({ length: 300 }, () => hostileName(random))
  let found = 0
  for (let n = 0; n < 300; n++) {
    const search = searchFor(names, random)
    const { written } = modelWords(search)
    if (written === 0 || written > SEARCH_WORDS_MAX) expect(() => searchWords(search)).toThrow('search must have')
    if (written === 0 || written > SEARCH_WORDS_MAX) continue
    const words = searchWords(search)
    for (const name of names) {
      const isFound = hasWords(wordsOf(name), beginningsOf(words))
      expect(isFound).toBe(modelFinds(name, search))
      if (isFound) found++
    }
  }
  expect(found).toBeGreaterThan(300)
})

test('a search matches the beginnings of words, in any order', () => {
  for (const search of ['bis', 'old bis', 'BISCUIT old', 'o o b', 'Ōld'])
    expect(finds('Old Biscuit', search)).toBe(true)
  for (const search of ['iscuit', 'old bisk', 'oldbis', 'biscuits']) expect(finds('Old Biscuit', search)).toBe(false)
})

test(`a search has at most ${SEARCH_WORDS_MAX} words, counted as written`, () => {
  const words = (count: number) => [...Array(count).keys()].join(' ')
  for (const search of [
    words(SEARCH_WORDS_MAX),
    `${words(SEARCH_WORDS_MAX - 1)} 王小明王小明`,
    '王 '.repeat(SEARCH_WORDS_MAX),
    '王小明'.repeat(85),
    'ﷺ ﷺ ﷺ',
    'ﷺ '.repeat(SEARCH_WORDS_MAX),
    'ﷺ'.repeat(TEXT_LENGTH_MAX),
    '㏘ ㏂ ½ ㍿ 8',
  ])
    expect(searchWords(search).length).toBeGreaterThan(0)
  for (const search of [
    words(SEARCH_WORDS_MAX + 1),
    words(SEARCH_WORDS_MAX + 1).replaceAll(' ', '-'),
    `${'王 '.repeat(SEARCH_WORDS_MAX)}a`,
    'a王'.repeat(SEARCH_WORDS_MAX).slice(0, SEARCH_WORDS_MAX + 1),
    'ﷺ '.repeat(SEARCH_WORDS_MAX + 1),
  ])
    expect(() => searchWords(search)).toThrow(`search must have at most ${SEARCH_WORDS_MAX} words.`)
  for (const search of ['-', ' ', '\u{1f436}', '、。', '\u0301', '\0'])
    expect(() => searchWords(search)).toThrow('search must contain a letter or a digit.')
})

/** If the digest changes, as with a new Unicode version, a migration must index all texts again. */
test('every character has the words that stores have indexed', () => {
  const hasher = new Bun.CryptoHasher('sha256')
  for (let code = 0; code <= 0x10ffff; code += 256)
    hasher.update(wordsOf(Array.from({ length: 256 }, (_, n) => String.fromCodePoint(code + n)).join('.')))
  expect(hasher.digest('hex').slice(0, 16)).toBe('c48d3361a97835a0')
})

const finds = (name: string, search: string) => hasWords(wordsOf(name), beginningsOf(searchWords(search)))
