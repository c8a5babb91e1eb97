// Where the reader is, in which list, as part of the page's address: `/?status=sold&limit=50&cursor=…&page=3`, or
// `/?view=orders&status=pending`. So a reload, Back, a shared link and a second tab show the same page. The addresses are relative, like
// all of the page's: a proxy may serve it below a path of its own.

import type { OrderStatus, PetStatus } from '../client/petstore.ts'
import { PAGE_MAX } from '../contract/generated.ts'
import { ORDER_STATUSES, STATUSES } from './statuses.ts'

export const PAGE_SIZES = [20, 50, PAGE_MAX]
const PAGE_SIZE = 20
const STATUSES_OF = { animals: STATUSES, orders: ORDER_STATUSES }

export interface ListPosition {
  view: 'animals' | 'orders'
  /** One of the view. */
  status: PetStatus | OrderStatus | undefined
  limit: number
  /** From 1. */
  page: number
  cursor: string | undefined
  /** The cursors of the pages before this one, as far as they are known: the service links only to the next page. */
  earlier: readonly string[]
}

export function firstPage({ view, status, limit }: Pick<ListPosition, 'view' | 'status' | 'limit'>): ListPosition {
  return { view, status, limit, page: 1, cursor: undefined, earlier: [] }
}

export function nextPage({ cursor, earlier, page, ...rest }: ListPosition, next: string): ListPosition {
  return { ...rest, page: page + 1, cursor: next, earlier: cursor === undefined ? [] : [...earlier, cursor] }
}

/** `undefined` on the first page, and on a page opened from a link, where the earlier cursors are not known. */
export function previousPage(position: ListPosition): ListPosition | undefined {
  if (position.page === 2) return firstPage(position)
  const cursor = position.earlier.at(-1)
  if (cursor === undefined) return undefined
  return { ...position, page: position.page - 1, cursor, earlier: position.earlier.slice(0, -1) }
}

/** Where a view starts: of the orders, those that wait for somebody to do something. */
export function startOf(view: ListPosition['view'], { limit }: ListPosition): ListPosition {
  return firstPage({ view, limit, status: view === 'orders' ? 'pending' : undefined })
}

/** What the address does not say, or says wrongly, is the default. `state` is history.state of that address. */
export function fromAddress(search: string, state: unknown): ListPosition {
  const query = new URLSearchParams(search)
  const view = query.get('view') === 'orders' ? 'orders' : 'animals'
  const status = STATUSES_OF[view].find(([value]) => value === query.get('status'))?.[0]
  const limit = PAGE_SIZES.find((size) => String(size) === query.get('limit')) ?? PAGE_SIZE
  const cursor = query.get('cursor')
  const page = Number(query.get('page'))
  if (!cursor || !Number.isSafeInteger(page) || page < 2) return firstPage({ view, status, limit })
  const { earlier = [] } = (state ?? {}) as { earlier?: string[] }
  return { view, status, limit, page, cursor, earlier }
}

export function toAddress({ view, status, limit, page, cursor }: ListPosition): string {
  const query = new URLSearchParams()
  if (view === 'orders') query.set('view', view)
  if (status) query.set('status', status)
  if (limit !== PAGE_SIZE) query.set('limit', String(limit))
  if (cursor !== undefined) {
    query.set('cursor', cursor)
    query.set('page', String(page))
  }
  return query.size > 0 ? `./?${query}` : './'
}
