// What a server knows of one list beside the index: the words of the rows behind it, and of those whose text has changed. Before each search
// it reads what was committed since the last one, so a search misses nothing, whichever server has written it.

import { NotIndexed } from '../../domain/errors.ts'
import { wordsOf } from '../../domain/words.ts'
import type { News, SearchTables } from './tables.ts'
import { taking } from './turns.ts'

const ROWS = 1_000
/** A server keeps the words of so many segments in memory at most, while they are written into the index. */
const SEGMENTS_BEHIND_MAX = 4

/** As it was at one time: nothing in it changes but by growing at its end. */
export interface View {
  readonly segments: readonly bigint[]
  /** The first id behind the segments. */
  readonly behind: bigint
  /** Behind the segments, in the order of the ids. */
  readonly ids: readonly bigint[]
  readonly words: readonly string[]
  readonly length: number
  /** The words of changed rows, whatever the index says of them. */
  readonly changed: ReadonlyMap<bigint, string>
}

export class Memory {
  private readonly segments: bigint[] = []
  private ids: bigint[] = []
  private words: string[] = []
  private lastText: string | undefined
  private change = 0n
  private readonly changed = new Map<bigint, string>()

  constructor(
    private readonly tables: Pick<SearchTables<never>, 'news' | 'end'>,
    private readonly size: number,
  ) {}

  /** Throws NotIndexed while too much is missing. One call at a time. */
  async read(): Promise<View> {
    const { segments, changed } = this
    const turns = taking()
    for (;;) {
      const known = { segment: segments.at(-1) ?? -1n, row: this.ids.at(-1) ?? this.behind(), change: this.change }
      const news = await this.tables.news(known, ROWS)
      const isWhole = this.add(news)
      if (this.ids.length > SEGMENTS_BEHIND_MAX * this.size) throw await this.notIndexed()
      if (isWhole && news.rows.length < ROWS && news.changes.length < ROWS) break
      await turns()
    }
    const { ids, words } = this
    return { segments, behind: this.behind(), ids, words, length: ids.length, changed }
  }

  private behind(): bigint {
    const last = this.segments.at(-1)
    return last === undefined ? FIRST : (last + 1n) * BigInt(this.size)
  }

  /** Gives whether what was kept is still true. Otherwise it has to be read again. */
  private add({ segments, rows, changes }: News): boolean {
    const known = this.ids.at(-1)
    // A failover has taken the last row, or it has changed: whatever else is kept may be wrong, too.
    const isWhole = known === undefined || (rows[0]?.[0] === known && rows[0][1] === this.lastText)
    if (!isWhole) this.keep([], [])
    else for (const [id, text] of known === undefined ? rows : rows.slice(1)) this.addRow(id, text)
    for (const [change, id, text] of changes) {
      this.change = change
      this.changed.set(id, text === null ? '' : wordsOf(text))
    }
    if (segments.length === 0) return isWhole
    this.segments.push(...segments)
    const start = this.ids.findIndex((id) => id >= this.behind())
    if (start < 0) this.keep([], [])
    else this.keep(this.ids.slice(start), this.words.slice(start))
    return isWhole
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
  }

  private async notIndexed(): Promise<NotIndexed> {
    const { first = 0n, last = 1n } = await this.tables.end()
    return new NotIndexed((100n * first) / (last + 1n))
  }
}

const FIRST = -(2n ** 63n)
