// Chooses a client's next request: a mix of all operations on few pets and few lists, so that requests conflict and responses are shared.

import { document } from '../../packages/contract/src/contract.ts'
import { TEXT_LENGTH_MAX } from '../../packages/contract/src/generated.ts'
import { SEARCH_WORDS_MAX } from '../../packages/contract/src/limits.ts'
import { wallMs } from '../../packages/service/src/system/runtime.ts'
import { modelWords, searchFor } from '../../test/support/search-rules.ts'
import { add, CATEGORIES, change, correct, move, place, remove, repeat } from './changes.ts'
import { type Known, Picker } from './known.ts'
import { type Asked, bodyOf, type Operation, type Tagged, thingOf } from './operations.ts'
import { feedAfter, feedLink, LISTS, linkOf, requestOf } from './requests.ts'

const KEPT = 6
const WAIT_SECONDS = 3
const EVENT_TYPES = document.components.schemas.EventType?.['x-extensible-enum'] ?? []
const STATUSES = {
  pets: ['available', 'pending', 'sold'],
  orders: ['pending', 'completed', 'cancelled', 'expired', 'returned'],
}

export class Chooser extends Picker {
  /** The last responses with a tag, and the last pages. */
  private tagged: Operation[] = []
  private pages: Operation[] = []
  /** The last page of the feed that it read. */
  private feed: Operation | undefined

  constructor(
    known: Known,
    random: () => number,
    private readonly choices = EVERYTHING,
    private readonly way = (asker: Chooser) => asker.pick(choices.ways)(asker),
  ) {
    super(known, random)
  }

  next(): Asked {
    if (this.known.pets.length < this.known.hot) return add(this)
    return (
      this.known.next.shift() ??
      this.way(this) ??
      requestOf({ kind: 'list', back: false, ...this.pick(this.choices.lists) })
    )
  }

  /** Call it with each response. */
  learn(operation: Operation): void {
    const { ask, status, method, tag, text } = operation
    // A 304 with a tag that the request did not have has no text.
    if (status >= 300 && (status !== 304 || text === '')) return
    if (ask.kind === 'events') this.feed = operation
    if (method === 'GET' && ask.kind === 'list') this.pages = [operation, ...this.pages].slice(0, KEPT)
    if (method === 'GET' && status === 200 && tag) this.tagged = [operation, ...this.tagged].slice(0, KEPT)
    const thing = thingOf(ask)
    if (tag && thing && method !== 'HEAD') this.learnTag(thing, tagged(operation, tag))
    if (status === 201) {
      const ids = ask.kind === 'add' ? this.known.pets : this.known.orders
      const { id } = bodyOf<{ id: number }>(operation)
      if (!ids.includes(id)) ids.push(id)
    }
  }

  private learnTag(thing: string, shown: Tagged): void {
    const { tagged, outdated } = this.known
    const before = tagged.get(thing)
    if (before && before.tag !== shown.tag) outdated.set(thing, before)
    tagged.set(thing, shown)
  }

  again(): Asked | undefined {
    const kept = this.pick(this.tagged)
    if (!kept) return undefined
    const { ask, path } = kept
    const known = this.tagged.filter((one) => one === kept || (one.path === path && one.tag !== kept.tag))
    return { ask, method: 'GET', path, ifNoneMatch: known.map((one) => tagged(one, one.tag ?? '')) }
  }

  head(): Asked | undefined {
    const kept = this.pick(this.tagged)
    return kept && { ask: kept.ask, method: 'HEAD', path: kept.path }
  }

  follow(): Asked | undefined {
    const page = this.pick(this.pages)
    return page && linkOf(page, this.random() < 0.7 ? 'next' : 'prev')
  }

  /** Any combination of filters, with or without a search. */
  filtered(): Asked {
    const list = this.random() < 0.6 ? 'pets' : 'orders'
    const limit = this.limit()
    const status = this.by('status', 0.4) ? { status: this.pick(STATUSES[list]) } : {}
    const category = list === 'pets' && this.by('categoryId', 0.4) ? { categoryId: this.pick(CATEGORIES) } : {}
    const pet = list === 'orders' && this.by('petId', 0.4) ? { petId: this.pet() } : {}
    const search = this.by('search', 0.6) ? { search: this.searched() } : {}
    const newest = this.newest(0.5)
    return requestOf({ kind: 'list', list, back: false, newest, limit, ...status, ...category, ...pet, ...search })
  }

  private by(filter: Filter, share: number): boolean {
    return this.choices.filters.includes(filter) && this.random() < share
  }

  private newest(share: number): boolean {
    const { sorts } = this.choices
    return sorts.length === 1 ? sorts[0] === 'newest' : this.random() < share
  }

  private limit(): number {
    return this.pick(this.choices.limits)
  }

  /** A page of one pet's oldest order: later orders change only its link. */
  firstOrder(): Asked {
    return requestOf({ kind: 'list', list: 'orders', back: false, newest: false, limit: 1, petId: this.pet() })
  }

  /** The first word of a name, a shared prefix, a common word, or both; or parts of any names. */
  private searched(): string {
    const names = this.known.names.slice(-40)
    const parts = this.random() < 0.4 && names.length > 0 ? searchFor(names, this.random) : ''
    const { written } = modelWords(parts)
    if (written > 0 && written <= SEARCH_WORDS_MAX && [...parts].length <= TEXT_LENGTH_MAX) return parts
    const [word = ''] = (this.pick(names) ?? '').split(' ')
    const begun = this.pick([word, word.slice(0, -2), word.slice(0, -3)])
    return this.pick([begun, begun, `be ${begun}`, `${begun} MAX`, 'rex ol'])
  }

  read(): Asked {
    const order = this.order()
    return requestOf(this.random() < 0.5 || !order ? { kind: 'pet', id: this.pet() } : { kind: 'order', id: order })
  }

  /** Continues with the same filters or others, or starts at either end or at a recent time. */
  readFeed(): Asked {
    const { feed } = this
    if (feed && this.choices.follows && this.random() < 0.3) return feedLink(feed) ?? this.readFeed()
    const newest = this.newest(0.3)
    const filters = { ...this.filters(), ...(newest ? { newest } : {}) }
    if (!this.choices.follows) return requestOf({ kind: 'events', ...filters, from: 'beginning' })
    if (feed && this.random() < 0.7) return feedAfter(feed, filters) ?? this.readFeed()
    return requestOf({
      kind: 'events',
      ...filters,
      from: this.pick(['beginning', 'now', this.near(-2_000)]),
    })
  }

  /** Waits with narrow filters, so that the page is empty at first and an event follows soon. */
  wait(): Asked {
    const of = this.by('petId', 0.6) ? { petId: this.pet() } : {}
    const filters = { limit: 100, ...of, ...this.narrowed(), wait: WAIT_SECONDS }
    return (this.feed && feedAfter(this.feed, filters)) ?? requestOf({ kind: 'events', ...filters })
  }

  private filters() {
    const order = this.by('orderId', 0.2) ? this.order() : undefined
    const of = this.by('petId', 0.3) ? { petId: this.pet() } : order ? { orderId: order } : {}
    return { limit: this.limit(), ...of, ...this.narrowed() }
  }

  private narrowed() {
    const type = this.by('type', 0.3) ? { type: [this.pick(EVENT_TYPES), this.pick(EVENT_TYPES)] } : {}
    const to = this.by('to', 0.3) ? { to: this.near(this.pick([-2_000, 1_000])) } : {}
    return { ...type, ...to }
  }

  /** A random time within `ms` from now. */
  private near(ms: number): string {
    return new Date(wallMs() + this.random() * ms).toISOString()
  }
}

function tagged({ text, links }: Operation, tag: string) {
  return { tag, text, links }
}

export type Way = (by: Chooser) => Asked | undefined

/** Operations with their shares in percent. */
export const OPERATIONS = {
  list: [() => undefined, 9],
  firstOrder: [(by) => by.firstOrder(), 2],
  follow: [(by) => by.follow(), 8],
  again: [(by) => by.again(), 13],
  head: [(by) => by.head(), 3],
  inventory: [() => requestOf({ kind: 'inventory' }), 5],
  read: [(by) => by.read(), 10],
  feed: [(by) => by.readFeed(), 7],
  filtered: [(by) => by.filtered(), 8],
  add: [add, 4],
  repeat: [repeat, 5],
  correct: [correct, 6],
  remove: [remove, 2],
  place: [place, 6],
  move: [move, 7],
  change: [change, 5],
} as const satisfies Record<string, readonly [Way, share: number]>

export type Operations = readonly (keyof typeof OPERATIONS)[]

export const FILTERS = ['status', 'categoryId', 'petId', 'search', 'orderId', 'type', 'to'] as const
export type Filter = (typeof FILTERS)[number]

/** The operations, lists, filters, sorts and limits that exist in a run. With few of them, equal requests often meet. */
export interface Choices {
  readonly ways: readonly Way[]
  readonly lists: typeof LISTS
  readonly filters: readonly Filter[]
  readonly sorts: readonly ('oldest' | 'newest')[]
  readonly limits: readonly number[]
  /** Whether readers of the feed continue after their last page. */
  readonly follows: boolean
}

/** Returns the operations, each as often as its share. */
export function waysOf(operations: Operations): readonly Way[] {
  return operations.flatMap((name) => Array<Way>(OPERATIONS[name][1]).fill(OPERATIONS[name][0]))
}

const EVERYTHING: Choices = {
  ways: waysOf(Object.keys(OPERATIONS) as unknown as Operations),
  lists: LISTS,
  filters: FILTERS,
  sorts: ['oldest', 'newest'],
  limits: [1, 3, 10, 100],
  follows: true,
}

/** A reader that always waits for the next event. */
export const WAITING: Way = (by) => by.wait()
