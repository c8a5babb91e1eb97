// Which part of a name a search found: the beginning of a word. Folded like the service does it, so that the marks tell the truth.

/** A Chinese or Japanese character is a word by itself. */
const WORD = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]|[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/** Every second part, from the second on, was found. */
export function foundIn(text: string, search: string): string[] {
  const terms = (search.match(WORD) ?? []).map(fold)
  const parts: string[] = []
  let from = 0
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const term = terms.filter((term) => fold(word).startsWith(term)).sort((a, b) => b.length - a.length)[0]
    if (term === undefined) continue
    let length = 1
    while (length < word.length && !fold(word.slice(0, length)).startsWith(term)) length++
    parts.push(text.slice(from, index), text.slice(index, index + length))
    from = index + length
  }
  return [...parts, text.slice(from)]
}
