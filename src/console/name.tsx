// A name as it was typed: with its own text direction and its own spaces, and a sign for each character that cannot be seen.

import { partsOf, plain } from './visible-text.ts'

export function Name({ name, hint }: { name: string; hint?: boolean }) {
  return (
    <bdi class={hint ? 'name hint' : 'name'} dir="auto" title={plain(name)}>
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
