// Hostile names and searches, and a simple model of search that scans every row.

import { SEARCH_WORDS_MAX } from '../../packages/contract/src/limits.ts'

/** A seeded random generator of numbers from 0 to below 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const PIECES = [
  "Bis Biscuit biscuits bischof old Old OLDER a A ab abc abcd abcde O'Neill ONeill 1 12 123 1.5 ٣ ① ㎏ ㍿ ﷺ 々 、 。 ー 𝐀𝐁 𐐀𐐨 ǅ",
  'Émile E\u0301mile ÉMILE straße STRASSE STRAẞE Σίσυφος ΣΊΣΥΦΟΣ σίσυφοσ İstanbul istanbul ISTANBUL ıstanbul ﬁn fin',
  'ＡＢＣ ａｂ１ مُحَمَّد محمد 王小明 王 小明 ぽち ほち ボール ﾎﾞｰﾙ 한국 하 กำ \u{1f436} \u{1f436}Rex ŉ ẚ Ꭰ ꭰ ⅷ Ⅷ',
  '- _ % " \\ { } , NULL null * ( ) \u0301 \u200d \u00ad \u{e0100}',
  'x'.repeat(40),
].flatMap((text) => text.split(' '))
const SEPARATORS = [' ', ' ', ' ', '', '-', "'", '\t', '\u3000', '・', '.', '\u0085']

/** Returns a valid name: at most 255 characters, not only white space. */
export function hostileName(random: () => number): string {
  const pick = <Of>(of: readonly Of[]) => of[Math.floor(random() * of.length)] as Of
  const count = random() < 0.01 ? 255 : 1 + Math.floor(random() * 4)
  let name = ''
  for (let n = 0; n < count; n++) {
    const piece =
      random() < 0.1 ? anyCharacter(random) : random() < 0.2 ? String(Math.floor(random() * 1e6)) : pick(PIECES)
    name += (n > 0 ? pick(SEPARATORS) : '') + piece
  }
  const cut = [...name].slice(0, 255).join('')
  return /\S/u.test(cut) ? cut : 'Rex'
}

function anyCharacter(random: () => number): string {
  const code = 1 + Math.floor(random() ** 3 * 0x2ffff)
  return code >= 0xd800 && code <= 0xdfff ? 'Rex' : String.fromCodePoint(code)
}

/** Builds a search from parts of names, so that most searches find something. */
export function searchFor(names: readonly string[], random: () => number): string {
  const words = () => modelWords(names[Math.floor(random() * names.length)] as string).words
  const count = random() < 0.6 ? 1 : random() < 0.9 ? 2 : SEARCH_WORDS_MAX
  const parts = Array.from({ length: count }, () => {
    const of = words()
    const word = of[Math.floor(random() * of.length)] ?? 'rex'
    const start = [...word].slice(0, 1 + Math.floor(random() * 6)).join('')
    return random() < 0.3 ? start.toUpperCase() : random() < 0.05 ? `${start}z` : start
  })
  return parts.join(random() < 0.9 ? ' ' : '-')
}

const known = new Map<string, Model>()

interface Model {
  words: string[]
  written: number
}

/** The words of a text, and their number as written: a run of Chinese or Japanese, or a ligature, counts once. */
export function modelWords(text: string): Model {
  const model = known.get(text) ?? readWords(text)
  known.set(text, model)
  return model
}

function readWords(text: string): Model {
  const ofEach = [...text].map((one) => [one, readRuns(one)] as const)
  const together = ofEach.map(([one, { words, written }]) => (written > 1 ? words[0] : one)).join('')
  return { words: readRuns(text).words, written: readRuns(together).written }
}

function readRuns(text: string): Model {
  let folded = [...text.normalize('NFKD')].filter((one) => !/\p{M}/u.test(one)).join('')
  for (const _ of [1, 2]) folded = folded.toUpperCase().toLowerCase()
  const words: string[] = []
  let written = 0
  let before = 'separator'
  for (const one of folded.replaceAll('ς', 'σ')) {
    const isWord = /\p{L}|\p{N}/u.test(one)
    const kind = !isWord ? 'separator' : /\p{scx=Han}|\p{scx=Hiragana}|\p{scx=Katakana}/u.test(one) ? 'alone' : 'run'
    if (isWord && kind !== before) written++
    if (kind === 'alone' || (kind === 'run' && before !== 'run')) words.push(one)
    else if (kind === 'run') words.push(`${words.pop()}${one}`)
    before = kind
  }
  return { words, written }
}

export function modelFinds(text: string, search: string): boolean {
  const { words } = modelWords(text)
  return modelWords(search).words.every((wanted) => words.some((word) => word.startsWith(wanted)))
}
