// Readers of the feed of events while servers are killed: with and without waiting, with filters, with small and changing limits, on changing
// servers, some of whose answers are lost. A reader goes on with its last cursor, so it must see each event once.

import type { Event } from '../src/contract/generated.ts'
import { pick } from './random.ts'

/** An event as JSON.parse gives it. */
export type Seen = { [Field in keyof Event]: Event[Field] extends bigint | undefined ? number : Event[Field] }

export type Filter = '' | `petId=${number}` | `orderId=${number}`

export interface Kind {
  readonly filter: Filter
  readonly limitMax: number
  readonly waitMax: number
  /** Of how many requests the answer is not waited for. */
  readonly lost: number
}

const LOST_MS_MAX = 60
const PAUSE_MS = 20
const DRAIN_MS_MAX = 30_000

export class FeedReader {
  readonly events: Seen[] = []
  readonly faults: string[] = []
  private place: string
  private gone = new AbortController()

  constructor(
    readonly kind: Kind,
    private readonly key: string,
    private readonly urls: () => string[],
  ) {
    this.place = `/store/events?${kind.filter}`
  }

  /** Reads until it is stopped. */
  async run(): Promise<void> {
    this.gone = new AbortController()
    while (!this.gone.signal.aborted) await this.read(this.kind.waitMax, this.kind.lost)
  }

  stop(): void {
    this.gone.abort()
  }

  /** Reads to the end. */
  async drain(): Promise<void> {
    for (const until = performance.now() + DRAIN_MS_MAX; (await this.read(0, 0)) !== 0; ) {
      if (performance.now() > until) throw new Error('the feed does not end')
    }
  }

  /** How many events came; -1 without an answer. */
  private async read(waitMax: number, lost: number): Promise<number> {
    const { limitMax } = this.kind
    const limit = 1 + Math.floor(Math.random() * limitMax)
    const wait = Math.round(Math.random() * waitMax)
    const target = `${this.place.replace(/limit=\d+&/, '')}&limit=${limit}&wait=${wait}`
    const signals = [
      this.gone.signal,
      ...(Math.random() < lost ? [AbortSignal.timeout(Math.random() * LOST_MS_MAX)] : []),
    ]
    // A drain is not stopped.
    const signal = waitMax > 0 ? AbortSignal.any(signals) : null
    try {
      const response = await fetch(pick(this.urls()) + target, {
        headers: { Authorization: `Bearer ${this.key}` },
        signal,
      })
      const text = await response.text()
      if (response.status === 200) return this.take(JSON.parse(text), response.headers.get('Link') ?? '')
      if (response.status !== 503) this.faults.push(`a reader got ${response.status}: ${text}`)
    } catch {
      // The answer is lost, so the place stays.
    }
    await Bun.sleep(PAUSE_MS)
    return -1
  }

  private take(events: Seen[], link: string): number {
    const target = nextOf(link)
    if (!target) {
      this.faults.push(`a page has the link ${link}`)
      return -1
    }
    this.events.push(...events)
    this.place = target
    return events.length
  }
}

/** All events of a filter, on changing servers. */
export async function readFeed({ key, urls }: { key: string; urls: string[] }, filter: Filter = ''): Promise<Seen[]> {
  const reader = new FeedReader({ filter, limitMax: 100, waitMax: 0.1, lost: 0 }, key, () => urls)
  await reader.drain()
  return reader.events
}

/** The path of the next page, behind /v1. */
export function nextOf(link: string | null): string | undefined {
  return /^<\/v1([^>]+)>; rel="next"$/.exec(link ?? '')?.[1]
}

export function matches(filter: Filter, { petId, orderId }: Seen): boolean {
  return filter === '' || filter === `petId=${petId}` || filter === `orderId=${orderId}`
}
