// Where the reader is, in which list, as part of the page's address: `/?status=sold&limit=50&cursor=…&page=3`, or
// `/?category=7`, or `/?view=orders&status=pending`. So a reload, Back, a shared link and a second tab show the same page. The addresses are relative, like
// all of the page's: a proxy may serve it below a path of its own.

import type { Order, OrderStatus, Pet, PetStatus } from '../../../client/src/petstore.ts'
import { PAGE_MAX } from '../../../contract/src/generated.ts'
import { int64FromDecimal } from '../../../contract/src/int64.ts'
import { STATUSES_OF } from '../animal/status-labels.ts'
import { fromIdRanges } from './id-ranges.ts'

const ROWS_MIN = 20
const ROW_PX = 49
const { innerHeight = 0 } = globalThis as { innerHeight?: number }
/** How many rows a page has: as many as the screen, and at least 20. */
export const PAGE_SIZE = Math.min(PAGE_MAX, Math.max(ROWS_MIN, Math.floor(innerHeight / ROW_PX)))

export type Sort = 'oldest' | 'newest'
/** Of orders, the newest are what somebody asks about. */
const SORT_OF = { animals: 'oldest', orders: 'newest' } as const satisfies Record<string, Sort>

export interface ListPosition {
  view: 'animals' | 'orders'
  /** One of the view. */
  status: PetStatus | OrderStatus | undefined
  /** Of animals only. */
  categoryId: bigint | undefined
  /** Ranges of the ids of some animals, newest first; empty where there are none. */
  ids: string
  /** What was searched for; empty where nothing was. */
  search: string
  sort: Sort
  limit: number
  /** From 1; below 0 it counts from the end, so that the last page needs no reading of all before it. */
  page: number
  /** `undefined` on the first page and on the last. */
  cursor: string | undefined
}

type Start = Pick<ListPosition, 'view' | 'status' | 'categoryId' | 'ids' | 'search' | 'sort' | 'limit'>

export function firstPage({ view, status, categoryId, ids, search, sort, limit }: Start): ListPosition {
  return { view, status, categoryId, ids, search, sort, limit, page: 1, cursor: undefined }
}

export function lastPage(position: Start): ListPosition {
  return { ...firstPage(position), page: -1 }
}

/** `next` and `prev`: the cursors of the pages after and before this one; `undefined` where there is none. */
export function nextPage(position: ListPosition, next: string | undefined): ListPosition | undefined {
  if (next === undefined) return undefined
  return position.page === -2 ? lastPage(position) : { ...position, page: position.page + 1, cursor: next }
}

export function previousPage(position: ListPosition, prev: string | undefined): ListPosition | undefined {
  if (prev === undefined) return undefined
  return position.page === 2 ? firstPage(position) : { ...position, page: position.page - 1, cursor: prev }
}

/** Where a view starts: of the orders, those that wait for somebody to do something. */
export function firstPageOf(view: ListPosition['view']): ListPosition {
  const status = view === 'orders' ? 'pending' : undefined
  return firstPage({ view, limit: PAGE_SIZE, status, categoryId: undefined, ids: '', search: '', sort: SORT_OF[view] })
}

/** What the address does not say, or says wrongly, is the default. */
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
  if (ids && page < 0) return first
  if (page === -1) return lastPage(first)
  return cursor && Number.isSafeInteger(page) && (page > 1 || page < -1) ? { ...first, page, cursor } : first
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

/** A row of a list: an animal or an order. */
export type Item = Pet | Order

/** A page of a list. */
export interface Page {
  position: ListPosition
  items: readonly Item[]
  /** The cursor of the next page; `undefined` on the last page. */
  next: string | undefined
  /** The cursor of the page before; `undefined` on the first page. */
  prev: string | undefined
}
