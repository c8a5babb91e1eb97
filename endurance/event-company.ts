// What accompanies the experiment with orders, so that it becomes the experiment with events: readers of the feed, clients that add pets, and
// at the end of each round the comparison of all readers with each other.

import { ask } from '../test/support/process.ts'
import { FeedReader, type Filter, type Kind, matches, nextOf, readFeed, type Seen } from './event-readers.ts'
import type { Site } from './order-stores.ts'
import type { Company } from './orders.ts'
import { pick } from './random.ts'

const ADDERS = 2
const PAUSE_MS = 10
const PAGE_MAX = 100
/** Filters that are read at the end of a round, besides those of the readers. */
const SAMPLES = 4

/** Ten, of which one begins anew in each round. */
const KINDS: readonly Kind[] = [
  { filter: '', limitMax: 100, waitMax: 0.1, lost: 0 },
  { filter: '', limitMax: 100, waitMax: 2, lost: 0 },
  { filter: '', limitMax: 20, waitMax: 30, lost: 0 },
  { filter: '', limitMax: 7, waitMax: 2, lost: 0.1 },
  { filter: '', limitMax: 30, waitMax: 1, lost: 0.3 },
  { filter: '', limitMax: 3, waitMax: 5, lost: 0.05 },
  { filter: 'petId=1', limitMax: 5, waitMax: 2, lost: 0.1 },
  { filter: 'petId=2', limitMax: 1, waitMax: 30, lost: 0.05 },
  { filter: 'petId=3', limitMax: 100, waitMax: 0.1, lost: 0.1 },
]

export class EventCompany implements Company {
  events = 0
  added = 0
  private readonly readers: FeedReader[]
  private readonly faults: string[] = []
  private readonly acknowledged = new Set<number>()
  private adding: Promise<void>[] = []
  private reading: Promise<void>[] = []
  private isAdding = false

  constructor(private readonly site: () => Site) {
    this.readers = KINDS.map((kind) => this.newReader(kind))
  }

  /** Call it at the beginning of a round. */
  begin(): void {
    this.isAdding = true
    this.adding = Array.from({ length: ADDERS }, () => this.add())
    this.reading = this.readers.map((reader) => reader.run())
  }

  /** Resolves when no more pets are added. The readers go on. */
  async rest(): Promise<void> {
    this.isAdding = false
    await Promise.all(this.adding)
  }

  /** Call it when nothing changes any more: gives the faults of the round. */
  async end(): Promise<string[]> {
    for (const reader of this.readers) reader.stop()
    await Promise.all(this.reading)
    const whole = await readFeed(this.site())
    for (const reader of this.readers) await reader.drain()
    const faults = [...this.faults.splice(0), ...this.compare(whole), ...(await this.compareFiltered(whole))]
    this.events = whole.length
    this.added = this.acknowledged.size
    return faults
  }

  private newReader(kind: Kind): FeedReader {
    return new FeedReader(kind, this.site().key, () => this.site().urls)
  }

  private *compare(events: readonly Seen[]): Generator<string> {
    const told = new Set(events.filter(({ type }) => type === 'pet.added').map(({ petId }) => petId))
    for (const id of this.acknowledged) if (!told.has(id)) yield `pet ${id} was acknowledged and is not told`
    for (const { kind, events: seen, faults } of this.readers) {
      yield* faults.splice(0)
      yield* difference(kind, seen, events)
    }
  }

  /** The readers' filters are of the first pets alone: these are of the last pet, and of some others and orders. */
  private async compareFiltered(events: readonly Seen[]): Promise<string[]> {
    const last = events.findLast(({ type }) => type === 'pet.added')
    const filters = new Set<Filter>(last ? [`petId=${last.petId}`] : [])
    for (let n = 0; n < SAMPLES; n++) {
      const { petId, orderId } = pick(events)
      filters.add(orderId === undefined ? `petId=${petId}` : `orderId=${orderId}`)
    }
    const faults: string[] = []
    for (const filter of filters) faults.push(...difference({ filter }, await readFeed(this.site(), filter), events))
    return faults
  }

  /** Adds pets, one at least; the event of each is there as soon as it is acknowledged, on every server. */
  private async add(): Promise<void> {
    while (this.isAdding || this.acknowledged.size === 0) {
      // Fails when the server was killed.
      await this.addOne().catch(() => undefined)
      await Bun.sleep(PAUSE_MS)
    }
  }

  private async addOne(): Promise<void> {
    const { key, urls } = this.site()
    const url = pick(urls)
    const { headers } = await ask('GET', `${url}/store/events?from=now&limit=${PAGE_MAX}`, key)
    const end = nextOf(headers.get('Link'))
    if (!end) return
    // What is answered here must not be kept for the reader that comes after the pet.
    await ask('GET', url + end, key)
    const { status, text } = await ask('POST', `${pick(urls)}/pets`, key, '{"name":"Ada","categoryId":1}')
    if (status === 201) await this.expectTold(JSON.parse(text).id, url + end)
  }

  private async expectTold(id: number, end: string): Promise<void> {
    this.acknowledged.add(id)
    const { key, urls } = this.site()
    for (const target of [end, `${pick(urls)}/store/events?petId=${id}`]) {
      const { status, text } = await ask('GET', target, key)
      const events: Seen[] = status === 200 ? JSON.parse(text) : []
      const mayLack = status !== 200 || events.length === PAGE_MAX
      if (!mayLack && !events.some(({ petId }) => petId === id))
        this.faults.push(`pet ${id} is not told at ${target} once it is acknowledged`)
    }
  }
}

/** What a reader has seen, held against all events. */
function* difference(
  kind: Partial<Kind> & Pick<Kind, 'filter'>,
  seen: readonly Seen[],
  all: readonly Seen[],
): Generator<string> {
  const line = (event: Seen | undefined) => (event ? JSON.stringify(event) : 'nothing')
  const expected = all.filter((event) => matches(kind.filter, event))
  for (let n = 0; n < Math.max(seen.length, expected.length); n++) {
    if (line(seen[n]) === line(expected[n])) continue
    yield `a reader (${JSON.stringify(kind)}) saw ${line(seen[n])} instead of ${line(expected[n])}`
    return
  }
}
