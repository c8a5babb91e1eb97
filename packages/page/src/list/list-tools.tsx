// The filters above the list, with the count of each status, and the sort.

import type { Inventory } from '../../../client/src/petstore.ts'
import type { Sort } from '../../../contract/src/generated.ts'
import { STATUSES_OF } from '../animal/status-labels.ts'
import { Button } from '../parts/button.tsx'
import { RadioGroup } from '../parts/radio-group.tsx'
import { SelectField } from '../parts/select-field.tsx'
import { number } from '../phrases.ts'
import { CategoryFilter } from './category.tsx'
import type { ShownList } from './list.ts'
import { firstPage, type ListPosition } from './list-position.ts'
import { isNarrowed, SORT_LABELS, sumOf } from './list-words.ts'

const SORTS = Object.entries(SORT_LABELS) as [Sort, string][]

interface ToolsProps extends Pick<ShownList, 'position' | 'shown'> {
  goTo: (position: ListPosition) => void
  /** Opens the table of categories; `undefined` with a read-only key. */
  onCategories: (() => void) | undefined
}

export function Tools({ position, shown, goTo, onCategories }: ToolsProps) {
  return (
    <div class="tools">
      <RadioGroup
        legend="Status"
        name="filter"
        options={[['all', 'All'], ...STATUSES_OF[position.view]]}
        counts={isNarrowed(position) ? undefined : countsOf(shown?.inventory)}
        value={position.status ?? 'all'}
        onChange={(value) => goTo(firstPage({ ...position, status: value === 'all' ? undefined : value }))}
      />
      <div class="tools-fields">
        {position.view === 'animals' && <CategoryFilter {...{ position, goTo }} />}
        {position.view === 'animals' && onCategories && (
          <Button text="Categories" class="quiet beside-field" onClick={onCategories} />
        )}
        {position.ids ? (
          <p class="only-ids">
            Only imported animals.
            <Button text="Show all" onClick={() => goTo(firstPage({ ...position, ids: '' }))} />
          </p>
        ) : (
          <SelectField
            id="sort"
            label="Sort"
            options={SORTS}
            value={position.sort}
            onChange={(sort) => goTo(firstPage({ ...position, sort }))}
          />
        )}
      </div>
    </div>
  )
}

function countsOf(inventory: Inventory | undefined): Record<string, string> | undefined {
  if (!inventory) return undefined
  const counts = { all: sumOf(inventory), ...inventory }
  return Object.fromEntries(Object.entries(counts).map(([status, count]) => [status, number(count)]))
}
