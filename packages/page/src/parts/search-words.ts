// Finds the parts of a name that match a search. The module of the service that folds and splits words decides it.

import { fold, wordsOf } from '../../../service/src/domain/words.ts'

/** Splits `text` into parts. Every second part, from the second on, matches the beginning of a word of `search`. */
export function foundIn(text: string, search: string): string[] {
  const terms = listOf(search).sort((one, other) => other.length - one.length)
  if (terms.length === 0) return [text]
  let folded = ''
  /** The characters of the text, with their marks, at the places of what they fold to. */
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
