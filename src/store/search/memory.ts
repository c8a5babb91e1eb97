// What a server knows of one list beside the index: the words of the rows behind it, and of those whose text has changed. Before each search
// it reads what was committed since the last one, so a search misses nothing, whichever server has written it.

import { NotIndexed } from '../../domain/errors.ts'
import { wordsOf } from '../../domain/words.ts'
import { Rows } from './rows.ts'
import type { News, SearchTables } from './tables.ts'
import { type Demand, taking } from './turns.ts'

const ROWS = 1_000
/** A server keeps the words of so many segments in memory, while they are written into the index: from when on it hastens, and at most. */
const SEGMENTS_BEHIND = { wanted: 2, max: 32 }
/** With more changed rows than that, all is read anew: most of them are in the index by then. */
const CHANGED_MAX = 4_000

/** What is known at one time. */
export interface View {
  readonly segments: readonly bigint[]
  /** The first id behind the segments. */
  readonly behind: bigint
  /** Behind the segments, and where those end that are known: more may come. */
  readonly rows: Rows
  readonly end: number
  /** The words of changed rows, whatever the index says of them. */
  readonly changed: ReadonlyMap<bigint, string>
}

export class Memory {
  private segments: bigint[] = []
  private rows = new Rows()
  /** So many of the last rows are looked for anew when the last one is not there. */
  private missing = 1
  private change = 0n
  private changed = new Map<bigint, string>()
  private changedMax = CHANGED_MAX

  constructor(
    private readonly tables: Pick<SearchTables<never>, 'news' | 'end'>,
    private readonly size: number,
    private readonly demand: Demand,
  ) {}

  /** Throws NotIndexed while too much is missing. One call at a time. */
  async read(): Promise<View> {
    const turns = taking()
    if (this.changed.size > this.changedMax) this.forget()
    const isAnew = this.change === 0n
    for (let isChecked = false; ; ) {
      const known = {
        segment: this.segments.at(-1) ?? FIRST,
        row: this.lastRow() ?? this.behind(),
        change: this.change,
      }
      const news = await this.tables.news(known, ROWS)
      const isWhole = this.add(news)
      if (this.rows.length > SEGMENTS_BEHIND.wanted * this.size) this.demand.notice()
      if (isWhole && news.rows.length < ROWS && news.changes.length < ROWS) break
      if (news.rows.length === ROWS && !isChecked) await this.checkBehind()
      isChecked ||= news.rows.length === ROWS
      await turns()
    }
    const { segments, rows, changed } = this
    if (isAnew) this.changedMax = CHANGED_MAX + 2 * changed.size
    return { segments, behind: this.behind(), rows, end: rows.end, changed }
  }

  private behind(): bigint {
    const last = this.segments.at(-1)
    return last === undefined ? FIRST : (last + 1n) * BigInt(this.size)
  }

  private lastRow(): bigint | undefined {
    return this.rows.length === 0 ? undefined : this.rows.idAt(this.rows.end - 1)
  }

  /** Gives whether what was kept is still true. Otherwise it has to be read again. */
  private add(news: News): boolean {
    if (!this.isTrue(news)) {
      this.forget()
      return false
    }
    if (!this.hasLast(news)) {
      this.rows = this.rows.before(Math.max(this.rows.start, this.rows.end - this.missing))
      this.missing *= 2
      return false
    }
    this.missing = 1
    const segments = news.segments.slice(this.segments.length === 0 ? 0 : 1)
    for (const [id, text] of news.rows.slice(this.rows.length === 0 ? 0 : 1)) {
      this.rows.add(id, wordsOf(text))
    }
    for (const [change, id, text] of news.changes) if (change > this.change) this.changeRow(change, id, text)
    if (segments.length === 0) return true
    this.segments.push(...segments)
    this.rows = this.rows.from(this.behind())
    return true
  }

  /** A failover may take what came last, the index's own, too, and others may then get the same ids: what was read last must be there. */
  private isTrue({ segments, changes }: News): boolean {
    const segment = this.segments.at(-1)
    if (segment !== undefined && segments[0] !== segment) return false
    return this.change === 0n || changes[0]?.[0] === this.change
  }

  /** The same for rows. The last one may also have been deleted: those before it, which were committed before it, are looked for. */
  private hasLast({ rows, changes }: News): boolean {
    const row = this.lastRow()
    const [id, text] = rows[0] ?? []
    if (row === undefined) return true
    if (id !== row || text === undefined) return false
    const hasChanged = changes.some(([change, changed]) => change > this.change && changed === row)
    return hasChanged || wordsOf(text) === this.rows.wordsAt(this.rows.end - 1)
  }

  private forget(): void {
    this.segments = []
    this.changed = new Map()
    this.change = 0n
    this.rows = new Rows()
  }

  /** A search that still reads the words of before compares what it finds with the row. */
  private changeRow(change: bigint, id: bigint, text: string | null): void {
    const words = text === null ? '' : wordsOf(text)
    this.change = change
    this.changed.set(id, words)
    this.rows.change(id, words)
  }

  private async checkBehind(): Promise<void> {
    const { first = 0n, last = 0n } = await this.tables.end()
    if (last - first < SEGMENTS_BEHIND.max * this.size) return
    this.demand.notice()
    throw new NotIndexed((100n * first) / (last + 1n))
  }
}

const FIRST = -(2n ** 63n)
