// What one client asks next: a mixture of everything, of few pets and few lists, so that requests meet and answers are shared.

import type { Ask, ListAsk, Operation } from './operations.ts'
import { type AnsweredOrder, type Pet, petRow } from './versions.ts'

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

/** What all clients know together. */
export interface Known {
  readonly pets: number[]
  readonly orders: number[]
  /** Requests with an Idempotency-Key. */
  readonly keyed: Asked[]
  readonly names: string[]
  count: number
}

/** Lists that many clients ask for, so that their answers are shared and cached. */
const LISTS: readonly Omit<ListAsk, 'kind' | 'back'>[] = [
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
const HOT = 8
const RESERVED_MS_MAX = 400
const KEPT = 6

export class Chooser {
  /** The last answers that had a tag, and the last pages. */
  private tagged: { asked: Asked; tag: string; answer: Answer }[] = []
  private pages: { asked: Asked; answer: Answer }[] = []
  private feed: Asked

  constructor(
    private readonly known: Known,
    private readonly random: () => number,
  ) {
    const petId = this.random() < 0.4 ? 1 + Math.floor(this.random() * HOT) : undefined
    this.feed = feedFrom(petId)
  }

  next(): Asked {
    if (this.known.pets.length < HOT) return this.add()
    const asked = this.pick(WAYS).call(this)
    return asked ?? get({ kind: 'list', back: false, ...this.pick(LISTS) })
  }

  /** Call it with each answer. */
  learn(asked: Asked, answer: Answer, tag: string | undefined): void {
    const { ask } = asked
    if (answer.status === 200 && ask.kind === 'events') this.feed = feedAfter(asked, ask, answer)
    if (answer.status === 200 && ask.kind === 'list') this.pages = [{ asked, answer }, ...this.pages].slice(0, KEPT)
    if (asked.method === 'GET' && answer.status === 200 && tag)
      this.tagged = [{ asked, tag, answer }, ...this.tagged].slice(0, KEPT)
    if (answer.status === 201) {
      const ids = ask.kind === 'add' ? this.known.pets : this.known.orders
      const { id } = JSON.parse(answer.text) as { id: number }
      if (!ids.includes(id)) ids.push(id)
    }
  }

  again(): Asked | undefined {
    const kept = this.pick(this.tagged)
    if (!kept) return undefined
    const { asked, tag, answer } = kept
    return { ...asked, headers: { 'If-None-Match': tag }, of: answer }
  }

  follow(): Asked | undefined {
    const page = this.pick(this.pages)
    return page && linkOf(page.asked, page.answer, this.random() < 0.7 ? 'next' : 'prev')
  }

  search(): Asked | undefined {
    const search = this.pick(this.known.names.slice(-20))
    if (search === undefined) return undefined
    return get({ kind: 'list', list: 'pets', newest: this.random() < 0.5, limit: 100, back: false, search })
  }

  read(): Asked {
    return this.random() < 0.6 || this.known.orders.length === 0
      ? get({ kind: 'pet', id: this.pet() })
      : get({ kind: 'order', id: this.order() })
  }

  readFeed(): Asked {
    return this.feed
  }

  add(): Asked {
    const [status, categoryId] = [this.pick(['available', 'available', 'pending', 'sold']), this.pick([1, 2, 3])]
    const name = this.name('added')
    const body = JSON.stringify({ name, categoryId, status })
    const asked: Asked = { ask: { kind: 'add', name, status, categoryId }, method: 'POST', path: '/pets', body }
    return this.random() < 0.6 ? this.keyed(asked, name) : asked
  }

  repeat(): Asked | undefined {
    return this.pick(this.random() < 0.5 ? this.known.keyed.slice(-10) : this.known.keyed)
  }

  /** With the tag of the pet as it was read, if it was. */
  rename(): Asked {
    const [id, name] = [this.pet(), this.name('renamed')]
    const read = this.tagged.find(({ asked: { ask } }) => ask.kind === 'pet' && ask.id === id)
    const isMatched = read !== undefined && this.random() < 0.7
    const ifMatch = isMatched ? { ifMatch: petRow(JSON.parse(read.answer.text) as Pet) } : {}
    const asked: Asked = { ask: { kind: 'rename', id, name, ...ifMatch }, ...patch(`/pets/${id}`, { name }) }
    return isMatched ? { ...asked, headers: { 'If-Match': read.tag } } : asked
  }

  free(): Asked {
    const id = this.pet()
    return { ask: { kind: 'free', id }, ...patch(`/pets/${id}`, { status: 'available' }) }
  }

  remove(): Asked {
    const id = this.pick(this.known.pets.slice(-HOT))
    return { ask: { kind: 'delete', id }, method: 'DELETE', path: `/pets/${id}` }
  }

  placement(): Asked {
    const [petId, reference] = [this.pet(), this.name('order')]
    const ends =
      this.random() < 0.5 ? { expiresAt: new Date(Date.now() + this.random() * RESERVED_MS_MAX).toISOString() } : {}
    const body = JSON.stringify({ petId, reference, ...ends })
    const ask: Ask = { kind: 'place', petId, reference, ...ends }
    const asked: Asked = { ask, method: 'POST', path: '/store/orders', body }
    return this.random() < 0.5 ? this.keyed(asked, reference) : asked
  }

  move(): Asked | undefined {
    const id = this.order()
    if (id === undefined) return undefined
    const path = `/store/orders/${id}`
    const chance = this.random()
    if (chance < 0.3) return { ask: { kind: 'complete', id }, method: 'POST', path: `${path}/complete` }
    if (chance < 0.55) return { ask: { kind: 'return', id }, method: 'POST', path: `${path}/return` }
    if (chance < 0.8) return { ask: { kind: 'cancel', id }, method: 'DELETE', path }
    const reference = this.name('changed')
    return { ask: { kind: 'change', id, reference }, ...patch(path, { reference }) }
  }

  /** Mostly the first few, and the last few. */
  private pet(): number {
    const { pets } = this.known
    return this.pick(this.random() < 0.5 ? pets.slice(0, HOT) : this.random() < 0.8 ? pets.slice(-HOT) : pets)
  }

  private order(): number {
    const { orders } = this.known
    return this.pick(this.random() < 0.9 ? orders.slice(-HOT) : orders)
  }

  /** One word that begins no other name. */
  private name(what: string): string {
    const name = `${what}${++this.known.count}q`
    if (what !== 'order' && what !== 'changed') this.known.names.push(name)
    return name
  }

  private keyed(asked: Asked, key: string): Asked {
    const keyed = { ...asked, headers: { 'Idempotency-Key': `"${key}"` } }
    this.known.keyed.push(keyed)
    return keyed
  }

  private pick<Of>(some: readonly Of[]): Of {
    return some[Math.floor(this.random() * some.length)] as Of
  }
}

type Way = (this: Chooser) => Asked | undefined

/** Each as often as its share of a hundred. */
const SHARES: readonly [Way, share: number][] = [
  [() => undefined, 18],
  [Chooser.prototype.follow, 8],
  [Chooser.prototype.again, 16],
  [() => get({ kind: 'inventory' }), 8],
  [Chooser.prototype.read, 10],
  [Chooser.prototype.readFeed, 8],
  [Chooser.prototype.search, 2],
  [Chooser.prototype.add, 3],
  [Chooser.prototype.repeat, 3],
  [Chooser.prototype.rename, 4],
  [Chooser.prototype.free, 2],
  [Chooser.prototype.remove, 1],
  [Chooser.prototype.placement, 7],
  [Chooser.prototype.move, 10],
]
const WAYS = SHARES.flatMap(([way, share]) => Array<Way>(share).fill(way))

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

function feedFrom(petId: number | undefined): Asked {
  const of = petId === undefined ? {} : { petId }
  const path = `/store/events?limit=20${petId === undefined ? '' : `&petId=${petId}`}`
  return { ask: { kind: 'events', after: 0, limit: 20, ...of }, method: 'GET', path }
}

function feedAfter(asked: Asked, ask: Ask & { kind: 'events' }, { text, links }: Answer): Asked {
  const path = /<\/v1([^>]+)>; rel="next"/.exec(links)?.[1] ?? asked.path
  const after = (JSON.parse(text) as { id: number }[]).at(-1)?.id ?? ask.after
  return { ...asked, ask: { ...ask, after }, path }
}

function get(ask: Ask): Asked {
  return { ask, method: 'GET', path: pathOf(ask) }
}

function pathOf(ask: Ask): string {
  if (ask.kind === 'pet') return `/pets/${ask.id}`
  if (ask.kind === 'order') return `/store/orders/${ask.id}`
  if (ask.kind !== 'list') return '/store/inventory'
  const { list, status, categoryId, search, newest, limit } = ask
  const query = Object.entries({ limit, status, categoryId, search, ...(newest ? { sort: 'newest' } : {}) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
  return `/${list === 'pets' ? 'pets' : 'store/orders'}?${query.join('&')}`
}

function patch(path: string, body: object): Pick<Asked, 'method' | 'path' | 'body'> {
  return { method: 'PATCH', path, body: JSON.stringify(body) }
}
