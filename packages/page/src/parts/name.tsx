// A name with its own text direction and spaces, a sign for each invisible character, and marks on the parts that a
// search found.

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
