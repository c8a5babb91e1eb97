// Builds the requests of clients, and requests that follow a link of a response.

import {
  type Answer,
  type Ask,
  type Asked,
  type EventsAsk,
  type ListAsk,
  type Operation,
  rowsOf,
} from './operations.ts'

/** Lists that many clients request, so that responses are shared and cached. */
export const LISTS: readonly Omit<ListAsk, 'kind' | 'back'>[] = [
  { list: 'pets', newest: false, limit: 20 },
  { list: 'pets', newest: true, limit: 5 },
  { list: 'pets', newest: true, limit: 12, status: 'available' },
  { list: 'pets', newest: false, limit: 7, status: 'pending' },
  { list: 'pets', newest: false, limit: 30, status: 'sold' },
  { list: 'pets', newest: true, limit: 6, categoryId: 1 },
  { list: 'pets', newest: false, limit: 9, categoryId: 2, status: 'available' },
  { list: 'pets', newest: true, limit: 8, search: 'rex' },
  { list: 'orders', newest: true, limit: 8, search: 'be' },
  { list: 'orders', newest: true, limit: 10 },
  { list: 'orders', newest: false, limit: 8, status: 'pending' },
  { list: 'orders', newest: true, limit: 8, status: 'completed' },
  { list: 'orders', newest: true, limit: 8, status: 'expired' },
]

const TARGETS = {
  inventory: ['GET', '/store/inventory'],
  pet: ['GET', '/pets/'],
  order: ['GET', '/store/orders/'],
  add: ['POST', '/pets'],
  place: ['POST', '/store/orders'],
  correct: ['PATCH', '/pets/'],
  change: ['PATCH', '/store/orders/'],
  delete: ['DELETE', '/pets/'],
  cancel: ['DELETE', '/store/orders/'],
  complete: ['POST', '/store/orders/'],
  return: ['POST', '/store/orders/'],
} as const

export function requestOf(ask: Ask): Asked {
  if (ask.kind === 'list' || ask.kind === 'events') return { ask, method: 'GET', path: pageOf(ask) }
  const { kind, ...fields } = ask
  const [method, path] = TARGETS[kind]
  const end = kind === 'complete' || kind === 'return' ? `/${kind}` : ''
  const body = 'to' in ask ? ask.to : kind === 'add' || kind === 'place' ? fields : undefined
  const target = `${path}${'id' in ask ? ask.id : ''}${end}`
  return { ask, method, path: target, ...(body && { body: JSON.stringify(body) }) }
}

function pageOf(ask: ListAsk | EventsAsk): string {
  const { kind, list, newest, back, after, behind, ...parameters } = { ...ask } as Record<string, unknown>
  const path = kind === 'events' ? '/store/events' : list === 'pets' ? '/pets' : '/store/orders'
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...parameters, ...(newest ? { sort: 'newest' } : {}) }))
    for (const one of [value].flat()) if (one !== undefined) query.append(name, `${one}`)
  return `${path}?${query}`
}

/** Follows a link to a page. Returns `undefined` without such a link. */
export function linkOf(operation: Operation, rel: 'next' | 'prev'): Asked | undefined {
  const { ask, links } = operation
  if (ask.kind !== 'list') return undefined
  const ids = rowsOf<{ id: number }>(operation).map(({ id }) => id)
  const path = targetOf(links, rel)
  const after = rel === 'next' ? ids.at(-1) : ids[0]
  if (path === undefined || after === undefined) return undefined
  return { ask: { ...ask, after, back: rel === 'prev' }, method: 'GET', path }
}

type FeedFilters = Omit<EventsAsk, 'kind' | 'behind'>

/** Continues the feed after a page with other filters: a cursor marks a place for any filter and limit. */
export function feedAfter({ n, links }: Operation, filters: FeedFilters): Asked | undefined {
  const cursor = /[?&]cursor=([^&]+)/.exec(targetOf(links, 'next') ?? '')?.[1]
  if (cursor === undefined) return undefined
  const { path, ...asked } = requestOf({ kind: 'events', ...filters, behind: n })
  return { ...asked, path: `${path}&cursor=${cursor}` }
}

/** Follows the link to the next page, which repeats the filters, and `from` if the order is descending. */
export function feedLink({ n, ask, links }: Operation): Asked | undefined {
  const path = targetOf(links, 'next')
  if (path === undefined || ask.kind !== 'events') return undefined
  const { wait: _, from, ...filters } = ask
  return { ask: { ...filters, ...(ask.newest && from ? { from } : {}), behind: n }, method: 'GET', path }
}

export function targetOf(links: Answer['links'], rel: 'next' | 'prev'): string | undefined {
  return new RegExp(`</v1([^>]+)>; rel="${rel}"`).exec(links)?.[1]
}
