// The requests that a client of a history can send, and those that follow from an answer: the next page, the next
// place in the feed.

import {
  type Answer,
  type Ask,
  type Asked,
  type EventsAsk,
  type ListAsk,
  type Operation,
  rowsOf,
} from './operations.ts'

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

const MOVES = { complete: '/complete', return: '/return' }

export function requestOf(ask: Ask): Asked {
  const query = (path: string, { list: _, kind: __, ...parameters }: Record<string, unknown>) => {
    const given = Object.entries(parameters).flatMap(([name, value]) =>
      [value].flat().map((one) => [name, one] as const),
    )
    const named = given.filter(([, value]) => value !== undefined)
    return `${path}?${named.map(([name, value]) => `${name}=${encodeURIComponent(`${value}`)}`).join('&')}`
  }
  const get = (path: string): Asked => ({ ask, method: 'GET', path })
  const send = (method: 'POST' | 'PATCH', path: string, body: object): Asked => {
    return { ask, method, path, body: JSON.stringify(body) }
  }
  switch (ask.kind) {
    case 'list': {
      const { newest, back: _, after: __, ...filters } = ask
      const sort = newest ? { sort: 'newest' } : {}
      return get(query(ask.list === 'pets' ? '/pets' : '/store/orders', { ...filters, ...sort }))
    }
    case 'events': {
      const { behind: _, newest, ...parameters } = ask
      return get(query('/store/events', { ...parameters, ...(newest ? { sort: 'newest' } : {}) }))
    }
    case 'inventory':
      return get('/store/inventory')
    case 'pet':
      return get(`/pets/${ask.id}`)
    case 'order':
      return get(`/store/orders/${ask.id}`)
    case 'add': {
      const { kind: _, ...pet } = ask
      return send('POST', '/pets', pet)
    }
    case 'place': {
      const { kind: _, ...order } = ask
      return send('POST', '/store/orders', order)
    }
    case 'correct':
      return send('PATCH', `/pets/${ask.id}`, ask.to)
    case 'change':
      return send('PATCH', `/store/orders/${ask.id}`, ask.to)
    case 'delete':
      return { ask, method: 'DELETE', path: `/pets/${ask.id}` }
    case 'cancel':
      return { ask, method: 'DELETE', path: `/store/orders/${ask.id}` }
    default:
      return { ask, method: 'POST', path: `/store/orders/${ask.id}${MOVES[ask.kind]}` }
  }
}

/** The page that an answer links to, if it does. */
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

/** Where a reader of the feed goes on, with any filter and limit: a cursor marks a place. */
export function feedAfter({ n, links }: Operation, filters: FeedFilters): Asked | undefined {
  const cursor = /[?&]cursor=([^&]+)/.exec(targetOf(links, 'next') ?? '')?.[1]
  if (cursor === undefined) return undefined
  const { path, ...asked } = requestOf({ kind: 'events', ...filters, behind: n })
  return { ...asked, path: `${path}&cursor=${cursor}` }
}

/** The next page as the link has it, which repeats the filters, and `from` where the pages go down to it. */
export function feedLink({ n, ask, links }: Operation): Asked | undefined {
  const path = targetOf(links, 'next')
  if (path === undefined || ask.kind !== 'events') return undefined
  const { wait: _, from, ...filters } = ask
  return { ask: { ...filters, ...(ask.newest && from ? { from } : {}), behind: n }, method: 'GET', path }
}

export function targetOf(links: Answer['links'], rel: 'next' | 'prev'): string | undefined {
  return new RegExp(`</v1([^>]+)>; rel="${rel}"`).exec(links)?.[1]
}
