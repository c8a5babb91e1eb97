// The category filter, and the list of suggested categories.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Pet } from '../../../client/src/petstore.ts'
import { int64FromDecimal } from '../../../contract/src/json.ts'
import { folded } from '../../../service/src/domain/names.ts'
import { CATEGORIES_ID, FIELDS } from '../animal/fields.ts'
import { names } from '../names.ts'
import { TextField } from '../parts/text-field.tsx'
import { firstPage, type ListPosition } from './list-position.ts'

const OFFERED_MAX = 8

/** `pets`: the most recently used first. */
export function OfferedCategories({ pets }: { pets: readonly Pet[] }) {
  const { categories } = names()
  const used = [...new Set(pets.map(({ categoryId }) => categoryId))].slice(0, OFFERED_MAX)
  return (
    <datalist id={CATEGORIES_ID}>
      {[...new Set([...used, ...categories.map(({ id }) => id)])].map((id) => (
        <option key={String(id)} value={names().nameOf(id)} />
      ))}
    </datalist>
  )
}

interface CategoryFilterProps {
  position: ListPosition
  goTo: (position: ListPosition) => void
}

/** Filters the list while the person types. Text that is not a category removes the filter. */
export function CategoryFilter({ position, goTo }: CategoryFilterProps) {
  const { categoryId } = position
  const [text, setText] = useState('')
  const shown = categoryId === undefined ? '' : names().nameOf(categoryId)
  /** The filter that the typed text stands for. If the address has a different one, the text follows the address. */
  const typed = useRef<{ id: bigint | undefined }>(undefined)
  // A layout effect, because a later effect would overwrite the first keystrokes.
  useLayoutEffect(() => {
    if (!typed.current || typed.current.id !== categoryId) setText(shown)
  }, [shown])
  function type(text: string): void {
    setText(text)
    const found = categoriesFor(text)
    const id = found.length === 1 ? found[0] : undefined
    typed.current = { id }
    if (id !== categoryId) goTo({ ...firstPage(position), categoryId: id })
  }
  const isWrong = text.trim() !== '' && categoriesFor(text).length === 0
  return (
    <TextField
      id="filter-category"
      label="Category"
      {...FIELDS.categoryId.typed?.input}
      type="search"
      placeholder="Category"
      value={text}
      setText={type}
      onBlur={() => isWrong || setText(shown)}
      problem={isWrong ? `Enter ${FIELDS.categoryId.typed?.mustBe}.` : undefined}
    />
  )
}

/** Returns the category with this id or name, or all categories whose names begin with the text. */
export function categoriesFor(text: string): bigint[] {
  const wanted = folded(text)
  const id = int64FromDecimal(wanted) ?? names().idOf(text)
  if (id !== undefined) return [id]
  return names().categories.flatMap(({ id, name }) => (wanted && folded(name).startsWith(wanted) ? id : []))
}
