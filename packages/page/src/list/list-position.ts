// A position in a list as an address: `/?status=sold&limit=50&cursor=…&page=3`, `/?category=7` or
// `/?view=orders&status=pending`, so that a reload, Back, a shared link and a second tab show the same page. Addresses
// are relative, because a proxy can add a path prefix.

import type { Order, OrderStatus, Pet, PetStatus } from '../../../client/src/petstore.ts'
import { PAGE_MAX, type Sort } from '../../../contract/src/generated.ts'
import { int64FromDecimal } from '../../../contract/src/json.ts'
import { STATUSES_OF } from '../animal/status-labels.ts'
import { fromIdRanges } from './id-ranges.ts'

const ROWS_MIN = 20
const ROW_PX = 49
const { innerHeight = 0 } = globalThis as { innerHeight?: number }
/** Rows per page: as many as fit on the screen, and at least 20. */
export const PAGE_SIZE = Math.min(PAGE_MAX, Math.max(ROWS_MIN, Math.floor(innerHeight / ROW_PX)))

const SORT_OF = { animals: 'oldest', orders: 'newest' } as const satisfies Record<string, Sort>

export interface ListPosition {
  view: 'animals' | 'orders'
  status: PetStatus | OrderStatus | undefined
  categoryId: bigint | undefined
  /** Ranges of ids, shown newest first; empty for all animals. */
  ids: string
  search: string
  sort: Sort
  limit: number
  /** Counts from 1. */
  page: number
  /** `undefined` on the first page. */
  cursor: string | undefined
}

type Start = Pick<ListPosition, 'view' | 'status' | 'categoryId' | 'ids' | 'search' | 'sort' | 'limit'>

export function firstPage({ view, status, categoryId, ids, search, sort, limit }: Start): ListPosition {
  return { view, status, categoryId, ids, search, sort, limit, page: 1, cursor: undefined }
}

/** `next`: the cursor of the next page, if there is one. */
export function nextPage(position: ListPosition, next: string | undefined): ListPosition | undefined {
  return next === undefined ? undefined : { ...position, page: position.page + 1, cursor: next }
}

export function previousPage(position: ListPosition, prev: string | undefined): ListPosition | undefined {
  if (prev === undefined) return undefined
  return position.page === 2 ? firstPage(position) : { ...position, page: position.page - 1, cursor: prev }
}

/** The first page of a view. Orders start with the pending ones, which need attention. */
export function firstPageOf(view: ListPosition['view']): ListPosition {
  const status = view === 'orders' ? 'pending' : undefined
  return firstPage({ view, limit: PAGE_SIZE, status, categoryId: undefined, ids: '', search: '', sort: SORT_OF[view] })
}

/** Replaces missing and invalid parameters with their defaults. */
export function fromAddress(address: string): ListPosition {
  const query = new URLSearchParams(address)
  const view = query.get('view') === 'orders' ? 'orders' : 'animals'
  const status = STATUSES_OF[view].find(([value]) => value === query.get('status'))?.[0]
  const sort = (['oldest', 'newest'] as const).find((sort) => sort === query.get('sort')) ?? SORT_OF[view]
  const size = Number(query.get('limit'))
  const limit = Number.isInteger(size) && size >= 1 && size <= PAGE_MAX ? size : PAGE_SIZE
  const categoryId = view === 'animals' ? int64FromDecimal(query.get('category') ?? '') : undefined
  const search = query.get('search')?.trim() ?? ''
  const given = view === 'animals' && !search ? (query.get('ids') ?? '') : ''
  const ids = fromIdRanges(given) ? given : ''
  const first = firstPage({ view, status, categoryId, ids, search, sort, limit })
  const cursor = query.get('cursor')
  const page = Number(query.get('page'))
  return cursor && Number.isSafeInteger(page) && page > 1 ? { ...first, page, cursor } : first
}

export function toAddress({ view, status, categoryId, ids, search, sort, limit, page, cursor }: ListPosition): string {
  const query = new URLSearchParams()
  if (view === 'orders') query.set('view', view)
  if (status) query.set('status', status)
  if (categoryId !== undefined) query.set('category', String(categoryId))
  if (ids) query.set('ids', ids)
  if (search) query.set('search', search)
  if (sort !== SORT_OF[view]) query.set('sort', sort)
  if (limit !== PAGE_SIZE || page !== 1) query.set('limit', String(limit))
  if (cursor !== undefined) query.set('cursor', cursor)
  if (page !== 1) query.set('page', String(page))
  return query.size > 0 ? `./?${query}` : './'
}

const SEARCH_ENCODED_MAX = 1_500

/**
 * Leaves out the end of a long search, because two links in the header of the response repeat it, and some proxies
 * accept only 4 kB. A search finds words by their beginning, so the rest still finds the same animals.
 */
export function shortened(search: string): string {
  let length = 0
  const kept = Array.from(search.toWellFormed()).filter((letter) => {
    length += encodeURIComponent(letter).length
    return length <= SEARCH_ENCODED_MAX
  })
  return kept.join('')
}

export type Item = Pet | Order

export interface Page {
  position: ListPosition
  items: readonly Item[]
  /** `undefined` on the last page. */
  next: string | undefined
  /** `undefined` on the first page. */
  prev: string | undefined
}
