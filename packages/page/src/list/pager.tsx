// The first, previous, next and last page. Unavailable buttons stay in place, so that the focus is not lost.

import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icons.tsx'
import type { Shown } from './list.ts'
import { firstPage, type ListPosition, lastPage, nextPage, previousPage } from './list-position.ts'
import { pageName, rangeOf } from './list-words.ts'

interface PagerProps {
  shown: Shown
  loading: string | undefined
  goTo: (position: ListPosition | undefined) => void
}

export function Pager({ shown, loading, goTo }: PagerProps) {
  const { next, prev, position } = shown
  const steps = {
    first: prev === undefined && position.page === 1 ? undefined : firstPage(position),
    previous: previousPage(position, prev),
    next: nextPage(position, next),
    last: next === undefined || position.ids ? undefined : lastPage(position),
  }
  const step = (to: keyof typeof steps) => ({
    'aria-disabled': !steps[to],
    onClick: () => goTo(steps[to]),
  })
  return (
    <nav class="pager" aria-label="Pages of the list">
      <p class="pager-where">
        <span class="numbers">{rangeOf(shown)}</span>
        <span class="muted"> · {pageName(position).toLowerCase()}</span>
        {loading && <span class="muted loading"> · {loading}</span>}
      </p>
      <div class="pager-steps">
        <Button {...step('first')} text={<Icon name="first" />} aria-label="First page" title="First page" />
        <Button {...step('previous')} text={[<Icon key="icon" name="previous" />, 'Previous']} />
        <Button {...step('next')} text={['Next', <Icon key="icon" name="next" />]} />
        <Button {...step('last')} text={<Icon name="last" />} aria-label="Last page" title="Last page" />
      </div>
    </nav>
  )
}
