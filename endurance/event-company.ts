// What accompanies the experiment with orders, so that it becomes the experiment with events: readers of the feed, clients that add pets, and
// at the end of each round the comparison of all readers with each other.

import { ask } from '../test/support/process.ts'
import { FeedReader, type Kind, readFeed, type Seen } from './event-readers.ts'
import type { Site } from './order-stores.ts'
import type { Company } from './orders.ts'
import { pick } from './random.ts'

const ADDERS = 2
const PAUSE_MS = 10

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
    const faults = [...this.faults.splice(0), ...this.compare(whole)]
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
    const line = (event: Seen) => JSON.stringify(event)
    for (const { kind, events: seen, faults } of this.readers) {
      yield* faults.splice(0)
      const expected = events.filter(({ petId }) => kind.filter === '' || kind.filter === `petId=${petId}`)
      const at = expected.findIndex((event, n) => !seen[n] || line(event) !== line(seen[n]))
      if (at >= 0 || seen.length !== expected.length) {
        const where = at < 0 ? expected.length : at
        const [is, should] = [seen[where], expected[where]].map((event) => (event ? line(event) : 'nothing'))
        yield `a reader (${JSON.stringify(kind)}) saw ${is} instead of ${should}`
      }
    }
  }

  /** Adds pets; the event of each is there as soon as it is acknowledged, on every server. */
  private async add(): Promise<void> {
    while (this.isAdding) {
      const { key, urls } = this.site()
      try {
        const { status, text } = await ask('POST', `${pick(urls)}/pets`, key, '{"name":"Ada","categoryId":1}')
        if (status === 201) await this.expectTold(JSON.parse(text).id)
      } catch {
        // The server was killed.
      }
      await Bun.sleep(PAUSE_MS)
    }
  }

  private async expectTold(id: number): Promise<void> {
    this.acknowledged.add(id)
    const { key, urls } = this.site()
    const { status, text } = await ask('GET', `${pick(urls)}/store/events?petId=${id}`, key)
    if (status === 200 && JSON.parse(text).length !== 1)
      this.faults.push(`pet ${id} is not told once it is acknowledged`)
  }
}
