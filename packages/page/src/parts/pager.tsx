// The first, previous and next page. Unavailable buttons stay in place, so that the focus is not lost.

import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import { Icon } from './icons.tsx'

interface PagerProps {
  label: string
  where: ComponentChildren
  /** What a step is called, such as "Previous rows"; empty for pages. */
  unit?: string
  /** Each `undefined` if it is not possible. */
  first: (() => void) | undefined
  previous: (() => void) | undefined
  next: (() => void) | undefined
}

export function Pager({ label, where, unit = '', first, previous, next }: PagerProps) {
  const step = (go: (() => void) | undefined) => ({ 'aria-disabled': !go, onClick: go })
  return (
    <nav class="pager" aria-label={label}>
      <p class="pager-where" translate={false}>
        {where}
      </p>
      <div class="pager-steps">
        <Button {...step(first)} text={<Icon name="first" />} aria-label="First page" title="First page" />
        <Button {...step(previous)} text={[<Icon key="icon" name="previous" />, `Previous${unit}`]} />
        <Button {...step(next)} text={[`Next${unit}`, <Icon key="icon" name="next" />]} />
      </div>
    </nav>
  )
}
