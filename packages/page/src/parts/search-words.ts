// Finds the parts of a name that match a search, with the same word rules as the service.

import { fold, wordsOf } from '../../../service/src/domain/words.ts'

/** Splits `text` so that every second part, starting with the second, matches the beginning of a word of `search`. */
export function foundIn(text: string, search: string): string[] {
  const terms = listOf(search).sort((one, other) => other.length - one.length)
  if (terms.length === 0) return [text]
  let folded = ''
  /** The range in `text` of each folded character, with its combining marks. */
  const origins: { from: number; to: number }[] = []
  for (const { 0: character, index } of text.matchAll(/.\p{M}*/gsu)) {
    folded += fold(character)
    while (origins.length < folded.length) origins.push({ from: index, to: index + character.length })
  }
  const parts: string[] = []
  let [end, place] = [0, 0]
  for (const word of listOf(text)) {
    place = folded.indexOf(word, place)
    const term = terms.find((term) => word.startsWith(term))
    const [first, last] = term ? [origins[place], origins[place + term.length - 1]] : []
    place += word.length
    if (!first || !last || first.from < end) continue
    parts.push(text.slice(end, first.from), text.slice(first.from, last.to))
    end = last.to
  }
  return [...parts, text.slice(end)]
}

function listOf(text: string): string[] {
  return wordsOf(text).split(' ').slice(1)
}
