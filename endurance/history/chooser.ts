// What one client asks next: a mixture of everything, of few pets and few lists, so that requests meet and answers are shared.

import { type Answer, type Asked, feedAfter, feedFrom, get, LISTS, linkOf, patch } from './asked.ts'
import type { Ask } from './operations.ts'
import { type AnsweredOrder, type Pet, petRow } from './versions.ts'

/** What all clients know together. */
export interface Known {
  readonly pets: number[]
  readonly orders: number[]
  /** Requests with an Idempotency-Key. */
  readonly keyed: Asked[]
  readonly names: string[]
  count: number
}

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
    const name = this.pick(this.known.names.slice(-40))
    if (name === undefined) return undefined
    const list = /^(added|renamed)/.test(name) && this.random() < 0.6 ? 'pets' : 'orders'
    // The whole of it, or the beginning that others have, too.
    const search = this.pick([name, name.slice(0, -2), name.slice(0, -3)])
    return get({ kind: 'list', list, newest: this.random() < 0.5, limit: this.pick([3, 100]), back: false, search })
  }

  ordersOfPet(): Asked {
    return get({ kind: 'list', list: 'orders', petId: this.pet(), newest: this.random() < 0.5, limit: 4, back: false })
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
    const read = this.random() < 0.5 ? this.tagged.find(({ asked: { ask } }) => isOrder(ask, id)) : undefined
    const ifMatch = read && { ifMatch: JSON.parse(read.answer.text) as AnsweredOrder }
    const headers = read && { headers: { 'If-Match': read.tag } }
    const post = (kind: 'complete' | 'return'): Asked => {
      return { ask: { kind, id, ...ifMatch }, method: 'POST', path: `${path}/${kind}`, ...headers }
    }
    if (chance < 0.3) return post('complete')
    if (chance < 0.55) return post('return')
    if (chance < 0.8) return { ask: { kind: 'cancel', id, ...ifMatch }, method: 'DELETE', path, ...headers }
    const reference = this.name('changed')
    return { ask: { kind: 'change', id, reference, ...ifMatch }, ...patch(path, { reference }), ...headers }
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

  /** One word that begins no other name; others may begin as it does. */
  private name(what: string): string {
    const name = `${what}${++this.known.count}q`
    this.known.names.push(name)
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

function isOrder(ask: Ask, id: number): boolean {
  return ask.kind === 'order' && ask.id === id
}

type Way = (this: Chooser) => Asked | undefined

/** Each as often as its share of a hundred. */
const SHARES: readonly [Way, share: number][] = [
  [() => undefined, 14],
  [Chooser.prototype.follow, 8],
  [Chooser.prototype.again, 16],
  [() => get({ kind: 'inventory' }), 8],
  [Chooser.prototype.read, 10],
  [Chooser.prototype.readFeed, 8],
  [Chooser.prototype.search, 4],
  [Chooser.prototype.ordersOfPet, 2],
  [Chooser.prototype.add, 3],
  [Chooser.prototype.repeat, 3],
  [Chooser.prototype.rename, 4],
  [Chooser.prototype.free, 2],
  [Chooser.prototype.remove, 1],
  [Chooser.prototype.placement, 7],
  [Chooser.prototype.move, 10],
]
const WAYS = SHARES.flatMap(([way, share]) => Array<Way>(share).fill(way))
