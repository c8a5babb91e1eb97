// Describes a list in words: its rows and filters, for the pager, for paper and for screen readers.

import type { Inventory } from '../../../client/src/petstore.ts'
import type { Sort } from '../../../contract/src/generated.ts'
import { labelOf } from '../animal/status-labels.ts'
import { names } from '../names.ts'
import { brief, fullTime, number } from '../phrases.ts'
import type { Shown } from './list.ts'
import type { ListPosition } from './list-position.ts'

/** The rows and, if known, their total: "101 – 200 of 5,203". */
export function rangeOf(shown: Shown): string {
  const { next, position, items } = shown
  // Pages of ids can be shorter, because a status filter drops some of the animals.
  if (position.ids) return `${items.length} rows`
  const before = (position.page - 1) * position.limit
  const [from, to] = [before + 1, before + items.length]
  const total = totalOf(shown) ?? (next === undefined ? to : undefined)
  const range = from === to ? number(from) : `${number(from)} – ${number(to)}`
  if (total === undefined) return range
  const more = shown.counted?.more && total > to ? 'more than ' : ''
  return `${range} of ${more}${number(Math.max(total, to))}`
}

export const SORT_LABELS: Record<Sort, string> = { oldest: 'Oldest first', newest: 'Newest first' }

/** Returns whether the list has a filter that the inventory's counts ignore. */
export function isNarrowed({ search, categoryId, ids }: ListPosition): boolean {
  return search !== '' || categoryId !== undefined || ids !== ''
}

export function sumOf(inventory: Inventory): bigint {
  return Object.values(inventory).reduce((sum, count) => sum + count, 0n)
}

export function totalOf({
  position,
  inventory,
  counted,
}: Pick<Shown, 'position' | 'inventory' | 'counted'>): number | undefined {
  if (counted) return counted.total
  if (!inventory || position.view === 'orders' || isNarrowed(position)) return undefined
  return Number(position.status ? inventory[position.status as keyof Inventory] : sumOf(inventory))
}

/** For paper: "Sold · Category 7 · Newest first · 125 · Nov 22, 2026, 3:20 PM". */
export function summary(position: ListPosition, numbers: string): string {
  return [...filters(position), numbers, fullTime(Date.now())].join(' · ')
}

/** For screen readers: "Animals: 21 to 40 out of 125, Sold, Newest first, page 2". */
export function spokenSummary(shown: Shown, title: string): string {
  const { position } = shown
  const range = rangeOf(shown).replace(' – ', ' to ').replace(' of ', ' out of ').replace('rows', 'found')
  const numbers = shown.items.length === 0 ? 'none found' : range
  const page = position.page === 1 ? [] : [`page ${position.page}`]
  return `${title}: ${[numbers, ...filters(position), ...page].join(', ')}`
}

function filters({ status, categoryId, search, sort, ids }: ListPosition): string[] {
  return [
    status ? labelOf(status) : 'All',
    ...(categoryId === undefined ? [] : [`Category ${brief(names().nameOf(categoryId))}`]),
    ...(search ? [`“${search}”`] : []),
    ...(ids ? [`Ids ${ids}`] : []),
    SORT_LABELS[sort],
  ]
}

/** Returns a page in words: "sold animals", "page 2". */
export function describe({ view, status, page }: ListPosition): string {
  if (page !== 1) return `page ${page}`
  return status && view === 'animals' ? `${labelOf(status).toLowerCase()} animals` : `the ${view}`
}

/** Why a page has no rows. */
export function emptyReason({ view, status, categoryId, search, page }: ListPosition): string {
  const inCategory = categoryId === undefined ? '' : ` in category ${brief(names().nameOf(categoryId))}`
  const label = status ? `${labelOf(status).toLowerCase()} ` : ''
  if (search) {
    const begins = search.includes(' ') ? 'words that begin' : 'a word that begins'
    const among = label || inCategory ? ` among the ${label}${view}${inCategory}` : ''
    return `No ${view === 'animals' ? 'name' : 'order'} has ${begins} with “${brief(search)}”${among}.`
  }
  if (page !== 1) return `No more ${view}.`
  return label || inCategory ? `No ${label}${view}${inCategory}.` : `No ${view} yet.`
}
