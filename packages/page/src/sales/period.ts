// The sums of the sales of several days. Only sums are kept, however many sales there are.

import { signal } from '@preact/signals'
import type { Event, PetstoreClient } from '../../../client/src/petstore.ts'
import { PAGE_MAX } from '../../../contract/src/generated.ts'
import { NET_SOLD } from '../../../files/src/event-rows.ts'
import { dayFrom, dayOf, spanOf } from '../../../files/src/local-time.ts'
import { SALES } from './day-log.ts'

export interface Sum {
  sold: number
  takenBack: number
}

export interface Sums {
  all: Sum
  byTill: ReadonlyMap<string, Sum>
  /** By the id of the category; `''` for events of earlier versions, which lack the animal. */
  byCategory: ReadonlyMap<string, Sum>
  byDay: ReadonlyMap<string, Sum>
}

/** A part of the days, read from its beginning to its end. */
interface Part {
  from: string
  to: string
  cursor: string | undefined
  lastId: bigint
  /** The time up to which it is read. */
  at: number
  isDone: boolean
}

export function daysFrom(day: string, to: string): string[] {
  const days: string[] = []
  for (let one = day; one <= to; one = dayFrom(one, 1)) days.push(one)
  return days
}

export class Period {
  readonly sums = signal<Sums>({
    all: { sold: 0, takenBack: 0 },
    byTill: new Map(),
    byCategory: new Map(),
    byDay: new Map(),
  })
  readonly #client: PetstoreClient
  readonly #parts: readonly Part[]

  constructor(client: PetstoreClient, days: readonly string[]) {
    this.#client = client
    // Two parts, because each page follows the one before it.
    const middle = Math.ceil(days.length / 2)
    this.#parts = [days.slice(0, middle), days.slice(middle)].flatMap((part) => {
      const [first, last] = [part[0], part.at(-1)]
      if (first === undefined || last === undefined) return []
      const { from } = spanOf(first)
      return { from, to: spanOf(last).to, cursor: undefined, lastId: 0n, at: Date.parse(from), isDone: false }
    })
  }

  /** Between 0 and 1. */
  get progress(): number {
    this.sums.value
    const done = this.#parts.map(({ from, to, at, isDone }) =>
      isDone ? 1 : (at - Date.parse(from)) / (Date.parse(to) - Date.parse(from)),
    )
    return done.reduce((sum, one) => sum + one, 0) / done.length
  }

  get isDone(): boolean {
    this.sums.value
    return this.#parts.every(({ isDone }) => isDone)
  }

  /** Reads the sales that are not read yet. After a failure or an abort, it can be called again. */
  async read(signal: AbortSignal): Promise<void> {
    const ended = await Promise.allSettled(this.#parts.map((part) => this.#read(part, signal)))
    for (const one of ended) if (one.status === 'rejected') throw one.reason
  }

  async #read(part: Part, signal: AbortSignal): Promise<void> {
    const { from, to } = part
    while (!part.isDone) {
      const start = part.cursor === undefined ? { from } : { cursor: part.cursor }
      const filter = { ...start, to, type: SALES, limit: PAGE_MAX }
      const { events, next } = await this.#client.listEvents(filter, { signal, retries: 0 })
      signal.throwIfAborted()
      // A short page is not the last one if there is a filter; only an empty page is.
      part.isDone = events.length === 0
      part.cursor = next
      this.#add(part, events)
    }
  }

  /** Adds sales that happened after their part was read. */
  see(events: readonly Event[]): void {
    for (const part of this.#parts) {
      if (!part.isDone) continue
      const isNew = ({ id, at, type }: Event) => id > part.lastId && type in NET_SOLD && at >= part.from && at < part.to
      this.#add(part, events.filter(isNew))
    }
  }

  #add(part: Part, events: readonly Event[]): void {
    const { all, byTill, byCategory, byDay } = this.sums.peek()
    for (const { id, type, at, by = '', pet } of events) {
      const name = NET_SOLD[type] === 1 ? 'sold' : 'takenBack'
      const keys = [
        [byTill, by],
        [byCategory, pet ? String(pet.categoryId) : ''],
        [byDay, dayOf(Date.parse(at))],
      ] as [Map<string, Sum>, string][]
      all[name]++
      for (const [sums, key] of keys) {
        const sum = sums.get(key) ?? { sold: 0, takenBack: 0 }
        sum[name]++
        sums.set(key, sum)
      }
      part.lastId = id
      part.at = Date.parse(at)
    }
    this.sums.value = { all, byTill, byCategory, byDay }
  }
}
