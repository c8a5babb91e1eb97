// The start of a list: the link that skips to it, its title, and the button that adds an animal.

import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icons.tsx'
import { LIST_ID } from './list-view.tsx'

/** Without the link's own navigation, which would change the address. */
export function SkipLink() {
  function skip(event: Event): void {
    event.preventDefault()
    document.getElementById(LIST_ID)?.focus()
  }
  return (
    <a class="skip-link" href={`#${LIST_ID}`} onClick={skip}>
      Skip to the list
    </a>
  )
}

interface TitleRowProps {
  title: string
  draftKept: boolean
  /** `undefined` where nothing can be added. */
  onAdd: (() => void) | undefined
}

/** Has the focus at first. */
export function TitleRow({ title, draftKept, onAdd }: TitleRowProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => heading.current?.focus(), [])
  return (
    <div class="title-row">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {onAdd && (
        <div class="title-actions">
          {draftKept && <span class="tag">Draft kept</span>}
          <button type="button" class="primary" onClick={onAdd}>
            <Icon name="plus" />
            Add an animal
          </button>
        </div>
      )}
    </div>
  )
}
