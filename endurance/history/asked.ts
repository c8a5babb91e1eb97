// The requests that a client of a history can send, and those that follow from an answer: the next page, the next place in the feed.

import type { Ask, ListAsk, Operation } from './operations.ts'
import type { AnsweredOrder, Pet } from './versions.ts'

export type Answer = Pick<Operation, 'status' | 'text' | 'links' | 'replayed'>

export interface Asked {
  readonly ask: Ask
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Behind the base address. */
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The answer whose tag is sent. */
  readonly of?: Answer
}

/** Lists that many clients ask for, so that their answers are shared and cached. */
export const LISTS: readonly Omit<ListAsk, 'kind' | 'back'>[] = [
  { list: 'pets', newest: false, limit: 20 },
  { list: 'pets', newest: true, limit: 5 },
  { list: 'pets', newest: true, limit: 12, status: 'available' },
  { list: 'pets', newest: false, limit: 7, status: 'pending' },
  { list: 'pets', newest: false, limit: 30, status: 'sold' },
  { list: 'pets', newest: true, limit: 6, categoryId: 1 },
  { list: 'pets', newest: false, limit: 9, categoryId: 2, status: 'available' },
  { list: 'orders', newest: true, limit: 10 },
  { list: 'orders', newest: false, limit: 8, status: 'pending' },
  { list: 'orders', newest: true, limit: 8, status: 'completed' },
  { list: 'orders', newest: true, limit: 8, status: 'expired' },
]
/** The reads of a whole store, each the first page of one list. */
export const WHOLE: readonly Asked[] = [
  get({ kind: 'list', list: 'pets', newest: false, limit: 100, back: false }),
  get({ kind: 'list', list: 'orders', newest: false, limit: 100, back: false }),
  get({ kind: 'inventory' }),
]

/** The page that an answer links to, if it does. */
export function linkOf({ ask }: Asked, { text, links }: Answer, rel: 'next' | 'prev'): Asked | undefined {
  if (ask.kind !== 'list') return undefined
  const ids = (JSON.parse(text) as (Pet | AnsweredOrder)[]).map(({ id }) => id)
  const path = new RegExp(`</v1([^>]+)>; rel="${rel}"`).exec(links)?.[1]
  const after = rel === 'next' ? ids.at(-1) : ids[0]
  if (path === undefined || after === undefined) return undefined
  return { ask: { ...ask, after, back: rel === 'prev' }, method: 'GET', path }
}

export function feedFrom(petId: number | undefined): Asked {
  const of = petId === undefined ? {} : { petId }
  const path = `/store/events?limit=20${petId === undefined ? '' : `&petId=${petId}`}`
  return { ask: { kind: 'events', after: 0, limit: 20, ...of }, method: 'GET', path }
}

export function feedAfter(asked: Asked, ask: Ask & { kind: 'events' }, { text, links }: Answer): Asked {
  const path = /<\/v1([^>]+)>; rel="next"/.exec(links)?.[1] ?? asked.path
  const after = (JSON.parse(text) as { id: number }[]).at(-1)?.id ?? ask.after
  return { ...asked, ask: { ...ask, after }, path }
}

export function get(ask: Ask): Asked {
  return { ask, method: 'GET', path: pathOf(ask) }
}

function pathOf(ask: Ask): string {
  if (ask.kind === 'pet') return `/pets/${ask.id}`
  if (ask.kind === 'order') return `/store/orders/${ask.id}`
  if (ask.kind !== 'list') return '/store/inventory'
  const { list, status, categoryId, petId, search, newest, limit } = ask
  const query = Object.entries({ limit, status, categoryId, petId, search, ...(newest ? { sort: 'newest' } : {}) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
  return `/${list === 'pets' ? 'pets' : 'store/orders'}?${query.join('&')}`
}

export function patch(path: string, body: object): Pick<Asked, 'method' | 'path' | 'body'> {
  return { method: 'PATCH', path, body: JSON.stringify(body) }
}
