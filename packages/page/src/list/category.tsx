// The filter by category, and the last categories used, which are offered where one is typed.

import { useLayoutEffect, useState } from 'preact/hooks'
import type { Pet } from '../../../client/src/petstore.ts'
import { int64FromDecimal } from '../../../contract/src/int64.ts'
import { CATEGORIES_ID, FIELDS } from '../animal/fields.ts'
import { TextField } from '../parts/text-field.tsx'
import type { List } from './list.ts'
import { firstPage } from './list-position.ts'

const OFFERED_MAX = 8

/** `pets`: those that were used last come first. */
export function OfferedCategories({ pets }: { pets: readonly Pet[] }) {
  const ids = [...new Set(pets.map(({ categoryId }) => String(categoryId)))].slice(0, OFFERED_MAX)
  return (
    <datalist id={CATEGORIES_ID}>
      {ids.map((id) => (
        <option key={id} value={id} />
      ))}
    </datalist>
  )
}

/** The list follows as one types. */
export function CategoryFilter({ position, goTo }: Pick<List, 'position' | 'goTo'>) {
  const { categoryId } = position
  const [text, setText] = useState('')
  // Before anybody can type: another one in the address came from elsewhere, such as a link or Back.
  useLayoutEffect(() => setText(categoryId === undefined ? '' : String(categoryId)), [categoryId])
  function type(text: string): void {
    setText(text)
    const id = int64FromDecimal(text.trim())
    if (id !== categoryId && (id !== undefined || text.trim() === '')) {
      goTo({ ...firstPage(position), categoryId: id })
    }
  }
  const isWrong = text.trim() !== '' && int64FromDecimal(text.trim()) === undefined
  return (
    <TextField
      id="filter-category"
      label="Category"
      {...FIELDS.categoryId.typed?.input}
      type="search"
      placeholder="All"
      value={text}
      setText={type}
      problem={isWrong ? 'A category is a whole number.' : undefined}
    />
  )
}
