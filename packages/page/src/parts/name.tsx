// A name as it was typed: with its own text direction and its own spaces, and a sign for each character that cannot be seen. What a search
// found in it is marked.

import { foundIn } from './search-words.ts'
import { partsOf, plain } from './visible-text.ts'

interface NameProps {
  name: string
  search?: string | undefined
}

export function Name({ name, search = '' }: NameProps) {
  return (
    <bdi class="name" dir="auto" title={plain(name)}>
      {partsOf(name).map((part, index) =>
        index % 2 ? (
          <span key={index} class="unseen">
            {part}
          </span>
        ) : (
          foundIn(part, search).map((text, at) => (at % 2 ? <mark key={at}>{text}</mark> : text))
        ),
      )}
    </bdi>
  )
}
