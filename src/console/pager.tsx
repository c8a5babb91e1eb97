// Previous, next and first page. A button that leads nowhere stays in its place, so that the focus is not lost.

import { Icon } from './icons.tsx'
import type { List, Shown } from './list.ts'
import { firstPage, type ListPosition, nextPage, PAGE_SIZES, previousPage } from './list-position.ts'
import { time } from './phrases.ts'
import { labelOf, ORDER_STATUSES, STATUSES } from './statuses.ts'

interface PagerProps {
  shown: Shown
  /** What is loading, if something is. */
  loading: string | undefined
  goTo: (position: ListPosition | undefined) => void
}

export function Pager({ shown, loading, goTo }: PagerProps) {
  const { next, position } = shown
  const { page } = position
  const first = page > 1 ? firstPage(position) : undefined
  const previous = previousPage(position)
  const following = next === undefined ? undefined : nextPage(position, next)
  return (
    <nav class="pager" aria-label="Pages of the list">
      <p class="pager-where">
        <span class="numbers">{range(shown)}</span>
        <span class="muted"> · page {page}</span>
        {loading && <span class="muted pager-loading"> · {loading}</span>}
      </p>
      <div class="pager-steps">
        <button type="button" aria-disabled={!first} onClick={() => goTo(first)} aria-label="First page">
          <Icon name="first" />
        </button>
        <button type="button" aria-disabled={!previous} onClick={() => goTo(previous)}>
          <Icon name="previous" />
          <span class="step-label">Previous</span>
        </button>
        <button type="button" aria-disabled={!following} onClick={() => goTo(following)}>
          Next
          <Icon name="next" />
        </button>
      </div>
    </nav>
  )
}

/** Which rows these are, of how many where that is known. */
function range(shown: Shown): string {
  const { position, next } = shown
  const from = (position.page - 1) * position.limit + 1
  const to = from + countOf(shown) - 1
  return `${from === to ? from : `${from} – ${to}`}${next === undefined ? ` of ${to}` : ''}`
}

/** What is shown, for paper: "Sold · 21 – 40 · Sun 22 Nov, 15:20". */
export function summary(shown: Shown): string {
  const { view, status } = shown.position
  const filter = status ? labelOf(view === 'animals' ? STATUSES : ORDER_STATUSES, status) : 'All'
  return [filter, range(shown), time(Date.now())].join(' · ')
}

/** A short list needs no pager. */
export function isShort(shown: Shown): boolean {
  const { next, position } = shown
  return position.page === 1 && next === undefined && countOf(shown) <= Math.min(...PAGE_SIZES)
}

export function countOf({ rows }: Shown): number {
  return ('pets' in rows ? rows.pets : rows.orders).length
}

export function PageSize({ position, goTo }: Pick<List, 'position' | 'goTo'>) {
  return (
    <div class="page-size">
      <label for="page-size">Per page</label>
      <select
        id="page-size"
        value={String(position.limit)}
        onChange={({ currentTarget }) => goTo(firstPage({ ...position, limit: Number(currentTarget.value) }))}
      >
        {PAGE_SIZES.map((size) => (
          <option key={size} value={String(size)}>
            {size}
          </option>
        ))}
      </select>
    </div>
  )
}
