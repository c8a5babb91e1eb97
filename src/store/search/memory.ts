// What a server knows of one list beside the index: the words of the rows behind it, and of those whose text has changed. Before each search
// it reads what was committed since the last one, so a search misses nothing, whichever server has written it.

import { NotIndexed } from '../../domain/errors.ts'
import { wordsOf } from '../../domain/words.ts'
import type { News, SearchTables } from './tables.ts'
import { type Demand, taking } from './turns.ts'

const ROWS = 1_000
/** A server keeps the words of so many segments in memory, while they are written into the index: from when on it hastens, and at most. */
const SEGMENTS_BEHIND = { wanted: 2, max: 8 }
/** Rows whose words are looked through at once. */
export const BLOCK = 256

/** What is known at one time. Nothing in it moves; it grows at its end, and words change. */
export interface View {
  readonly segments: readonly bigint[]
  /** The first id behind the segments. */
  readonly behind: bigint
  /** Behind the segments, in the order of the ids. */
  readonly ids: readonly bigint[]
  readonly words: readonly string[]
  /** All words of so many rows; `undefined` where not all of them are there yet. */
  readonly blocks: readonly (string | undefined)[]
  readonly length: number
  /** The words of changed rows, whatever the index says of them. */
  readonly changed: ReadonlyMap<bigint, string>
}

export class Memory {
  private segments: bigint[] = []
  private ids: bigint[] = []
  private words: string[] = []
  private blocks: (string | undefined)[] = []
  private lastText: string | undefined
  private change = 0n
  private changed = new Map<bigint, string>()

  constructor(
    private readonly tables: Pick<SearchTables<never>, 'news' | 'end'>,
    private readonly size: number,
    private readonly demand: Demand,
  ) {}

  /** Throws NotIndexed while too much is missing. One call at a time. */
  async read(): Promise<View> {
    const turns = taking()
    for (;;) {
      const known = {
        segment: this.segments.at(-1) ?? FIRST,
        row: this.ids.at(-1) ?? this.behind(),
        change: this.change,
      }
      const news = await this.tables.news(known, ROWS)
      const isWhole = this.add(news)
      if (this.ids.length > SEGMENTS_BEHIND.wanted * this.size) this.demand.notice()
      if (this.ids.length > SEGMENTS_BEHIND.max * this.size) throw await this.notIndexed()
      if (isWhole && news.rows.length < ROWS && news.changes.length < ROWS) break
      await turns()
    }
    const { segments, ids, words, blocks, changed } = this
    for (let at = 0; (at + 1) * BLOCK <= words.length; at++)
      blocks[at] ??= words.slice(at * BLOCK, (at + 1) * BLOCK).join('\n')
    return { segments, behind: this.behind(), ids, words, blocks, length: ids.length, changed }
  }

  private behind(): bigint {
    const last = this.segments.at(-1)
    return last === undefined ? FIRST : (last + 1n) * BigInt(this.size)
  }

  /** Gives whether what was kept is still true. Otherwise it has to be read again. */
  private add(news: News): boolean {
    if (!this.isTrue(news)) {
      this.forget()
      return false
    }
    const segments = news.segments.slice(this.segments.length === 0 ? 0 : 1)
    const rows = news.rows.slice(this.ids.length === 0 ? 0 : 1)
    for (const [id, text] of rows) this.addRow(id, text)
    for (const [change, id, text] of news.changes) if (change > this.change) this.changeRow(change, id, text)
    if (segments.length === 0) return true
    this.segments.push(...segments)
    const start = this.ids.findIndex((id) => id >= this.behind())
    if (start < 0) this.keep([], [])
    else this.keep(this.ids.slice(start), this.words.slice(start))
    return true
  }

  /** A failover may take what came last, the index's own, too, and others may then get the same ids: what was read last must be there. */
  private isTrue({ segments, rows, changes }: News): boolean {
    const [segment, row] = [this.segments.at(-1), this.ids.at(-1)]
    if (segment !== undefined && segments[0] !== segment) return false
    if (this.change > 0n && changes[0]?.[0] !== this.change) return false
    if (row === undefined) return true
    const [id, text] = rows[0] ?? []
    const hasChanged = changes.some(([change, changed]) => change > this.change && changed === row)
    const isThere = id === row && (text === this.lastText || hasChanged)
    this.lastText = text
    return isThere
  }

  private forget(): void {
    this.segments = []
    this.changed = new Map()
    this.change = 0n
    this.keep([], [])
  }

  /** A search that still reads the words of before compares what it finds with the row. */
  private changeRow(change: bigint, id: bigint, text: string | null): void {
    const words = text === null ? '' : wordsOf(text)
    this.change = change
    this.changed.set(id, words)
    const at = firstAbove(this.ids, this.ids.length, id - 1n)
    if (this.ids[at] !== id) return
    this.words[at] = words
    this.blocks[Math.floor(at / BLOCK)] = undefined
  }

  private addRow(id: bigint, text: string): void {
    this.ids.push(id)
    this.words.push(wordsOf(text))
    this.lastText = text
  }

  /** Other arrays: a search may still read those that were there. */
  private keep(ids: bigint[], words: string[]): void {
    this.ids = ids
    this.words = words
    this.blocks = []
  }

  private async notIndexed(): Promise<NotIndexed> {
    const { first = 0n, last = 1n } = await this.tables.end()
    return new NotIndexed((100n * first) / (last + 1n))
  }
}

const FIRST = -(2n ** 63n)

/** The place of the first of the ids, which rise, that is greater. */
export function firstAbove(ids: readonly bigint[], length: number, id: bigint): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ids[middle] as bigint) > id) high = middle
    else low = middle + 1
  }
  return low
}
