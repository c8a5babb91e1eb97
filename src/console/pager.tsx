// The way through the list. A button that leads nowhere stays where it is, so that the focus is never lost under a
// finger.

import { useAnnounce } from './announcer.tsx'
import { Icon } from './icons.tsx'
import type { PetList } from './pet-list.ts'

const SIZES = [20, 50, 100]

export function Pager({
  position,
  shown,
  go,
  busy,
}: PetList & { shown: NonNullable<PetList['shown']>; busy: boolean }) {
  const announce = useAnnounce()
  const { cursors, limit } = shown.position
  const number = cursors.length
  const from = (number - 1) * limit + 1
  const to = from + shown.pets.length - 1

  const goTo = (next: readonly (string | undefined)[] | undefined) => () => {
    if (busy || !next) return
    announce(`Page ${next.length}`)
    go({ ...position, cursors: next })
  }
  const back = number > 1 ? cursors.slice(0, -1) : undefined
  const forth = shown.next === undefined ? undefined : [...cursors, shown.next]

  return (
    <nav class="pager" aria-label="PetList of the list">
      <p class="pager-where">
        <span class="numbers">
          {from === to ? from : `${from} – ${to}`}
          {forth ? '' : ` of ${to}`}
        </span>
        <span class="muted"> · page {number}</span>
      </p>
      <div class="pager-size">
        <label for="page-size">Per page</label>
        <select
          id="page-size"
          value={String(limit)}
          onChange={({ currentTarget }) =>
            go({ ...position, limit: Number(currentTarget.value), cursors: [undefined] })
          }
        >
          {SIZES.map((size) => (
            <option key={size} value={String(size)}>
              {size}
            </option>
          ))}
        </select>
      </div>
      <div class="pager-steps">
        <button type="button" aria-disabled={!back} onClick={goTo(back && [undefined])} aria-label="First page">
          <Icon name="first" />
        </button>
        <button type="button" aria-disabled={!back} onClick={goTo(back)}>
          <Icon name="previous" />
          Previous
        </button>
        <button type="button" aria-disabled={!forth} onClick={goTo(forth)}>
          Next
          <Icon name="next" />
        </button>
      </div>
    </nav>
  )
}
