// The box that chooses a row, or all rows of a page.

import type { Item } from '../list/list-page.ts'
import type { Selection } from './use-selection.ts'

interface ChoiceProps {
  selection: Selection
  /** What it chooses: one row, or all of the page. */
  items: readonly Item[]
  column?: boolean
  label: string
}

export function Choice({ selection: { chosen, choose }, items, column, label }: ChoiceProps) {
  const Cell = column ? 'th' : 'td'
  const count = items.filter(({ id }) => chosen.has(id)).length
  return (
    <Cell class="cell-choice">
      <input
        type="checkbox"
        aria-label={`Select ${label}`}
        checked={count > 0 && count === items.length}
        indeterminate={count > 0 && count < items.length}
        onChange={({ currentTarget }) => choose(items, currentTarget.checked)}
      />
    </Cell>
  )
}
