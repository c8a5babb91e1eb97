// The category filter, and the list of suggested categories.

import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Pet } from '../../../client/src/petstore.ts'
import { int64FromDecimal } from '../../../contract/src/int64.ts'
import { folded } from '../../../service/src/domain/names.ts'
import { CATEGORIES_ID, FIELDS } from '../animal/fields.ts'
import { names } from '../names.ts'
import { TextField } from '../parts/text-field.tsx'
import type { ShownList } from './list.ts'
import { firstPage } from './list-position.ts'

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

/** Filters the list while the person types. */
export function CategoryFilter({ position, goTo }: Pick<ShownList, 'position' | 'goTo'>) {
  const { categoryId } = position
  const [text, setText] = useState('')
  // A layout effect, because a later effect would overwrite the first keystrokes.
  const shown = categoryId === undefined ? '' : names().nameOf(categoryId)
  const typed = useRef<bigint>(undefined)
  useLayoutEffect(() => {
    if (typed.current === undefined || typed.current !== categoryId) setText(shown)
  }, [shown])
  function type(text: string): void {
    setText(text)
    const [id, ...others] = categoriesFor(text)
    typed.current = id
    if (id !== categoryId && others.length === 0 && (id !== undefined || text.trim() === '')) {
      goTo({ ...firstPage(position), categoryId: id })
    }
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
