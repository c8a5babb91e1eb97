// A name with its own text direction and spaces, and a sign for each invisible character.

import { partsOf, plain } from './visible-text.ts'

export function Name({ name }: { name: string }) {
  return (
    <bdi class="name" dir="auto" translate={false} title={plain(name)}>
      {partsOf(name).map((part, index) =>
        index % 2 ? (
          <span key={index} class="unseen">
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </bdi>
  )
}
