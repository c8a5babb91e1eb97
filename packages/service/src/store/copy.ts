// Copies a whole store to an empty one. Ids, keys and times stay the same. An interrupted copy can be run again: rows
// that the target already has are compared and skipped. Until the copy is complete, the target is marked and cannot be
// opened.

import { noStoreAt, StartError } from '../domain/start-error.ts'
import { endOfTurn } from '../system/runtime.ts'
import { absolutePath } from './absolute-path.ts'
import type { Contents, Table, TableRow } from './contents.ts'
import { kindOf, migrateStore } from './kinds.ts'

const BATCH_ROWS = 1_000

export interface CopyProgress {
  step: 'copying' | 'checking'
  /** Out of `total`; both count rows of both steps. */
  done: number
  total: number
}

/** Resolves with the number of rows of each table. Throws StartError if the target has other data. */
export async function copyStore(
  from: string,
  to: string,
  onProgress: (progress: CopyProgress) => void,
): Promise<Record<string, number>> {
  const [fromKind, toKind] = [kindOf(from), kindOf(to)]
  if (fromKind.identify(from) === toKind.identify(to)) {
    throw new StartError('Both addresses are the same. Name another store with --to.')
  }
  if (!fromKind.exists(from)) throw noStoreAt(absolutePath(from))
  // The source must be a store of this version; the target is created.
  await migrateStore(from, { current: true })
  const source = await fromKind.contents(from)
  try {
    await migrateStore(to, { copying: true })
    const target = await toKind.contents(to)
    try {
      return await new Copy(source, target, fromKind.describe(from), toKind.describe(to), onProgress).run()
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** The same table in both stores. Column types can differ. */
type Pair = readonly [from: Table, to: Table]

class Copy {
  private done = 0
  private total = 0
  private marked = false

  constructor(
    private readonly source: Contents,
    private readonly target: Contents,
    private readonly sourceName: string,
    private readonly targetName: string,
    private readonly onProgress: (progress: CopyProgress) => void,
  ) {}

  async run(): Promise<Record<string, number>> {
    const pairs = this.pairs(await this.source.tables(), await this.target.tables())
    const counts: Record<string, number> = {}
    for (const [from] of pairs) {
      const count = await this.source.count(from)
      counts[from.name] = count
      this.total += 2 * count
    }
    for (const pair of pairs) await this.append(pair)
    for (const pair of pairs) await this.compare(pair, counts[pair[0].name])
    await this.target.markFinished()
    return counts
  }

  /** Throws StartError if one store has a column that the other lacks. */
  private pairs(ours: readonly Table[], theirs: readonly Table[]): Pair[] {
    const [here, there] = [new Set(describe(ours)), new Set(describe(theirs))]
    const only = (where: string, what: Set<string>) => (what.size ? [`only ${where} has ${[...what].join(', ')}`] : [])
    const differences = [
      ...only(this.sourceName, here.difference(there)),
      ...only(this.targetName, there.difference(here)),
    ]
    if (differences.length > 0) {
      throw new StartError(`The two stores have different tables, so nothing was copied: ${differences.join('; ')}.`)
    }
    return ours.map((from, index) => [from, theirs[index] as Table])
  }

  /** Adds the rows that the target lacks. */
  private async append(pair: Pair): Promise<void> {
    const [from, to] = pair
    for await (const missing of this.missing(pair, 'copying')) {
      if (missing.length === 0) continue
      await this.markUnfinished()
      await this.target.write(to, missing)
    }
    if (!from.assigned) return
    const [ours, theirs] = [await this.source.lastId(from.name), await this.target.lastId(to.name)]
    if (theirs >= ours) return
    await this.markUnfinished()
    await this.target.setLastId(to.name, ours)
  }

  /**
   * Marks the target just before the first write, so that a target that is refused stays unchanged. A new store is
   * created with the mark.
   */
  private async markUnfinished(): Promise<void> {
    if (!this.marked) await this.target.markUnfinished()
    this.marked = true
  }

  private async compare(pair: Pair, count: number | undefined): Promise<void> {
    for await (const missing of this.missing(pair, 'checking')) if (missing.length > 0) throw this.differs(pair)
    if ((await this.target.count(pair[1])) !== count) throw this.differs(pair)
  }

  /**
   * Yields the rows of each batch that the target lacks. Rows are copied in order, so the target's rows must be a
   * prefix of the source's. Throws StartError if they are not.
   */
  private async *missing(pair: Pair, step: CopyProgress['step']): AsyncGenerator<TableRow[]> {
    for (let after: TableRow | undefined; ; ) {
      const rows = await this.source.read(pair[0], after, BATCH_ROWS)
      if (rows.length === 0) return
      // SQLite answers synchronously; without this, the process would not see signals until the copy ends.
      await endOfTurn()
      const there = await this.target.read(pair[1], after, BATCH_ROWS)
      const isWanted = (row: TableRow, index: number) => row.every((value, column) => value === rows[index]?.[column])
      if (!there.slice(0, rows.length).every(isWanted)) throw this.differs(pair)
      yield rows.slice(there.length)
      after = rows.at(-1)
      this.done += rows.length
      this.onProgress({ step, done: this.done, total: this.total })
    }
  }

  private differs([{ name }]: Pair): StartError {
    return new StartError(
      `${this.targetName} has other ${name.replaceAll('_', ' ')} than the source; they were not changed. Stop the servers of both stores, and copy to an empty store.`,
    )
  }
}

/** The columns for the comparison of both stores. A boolean is a number, as in SQLite. */
function describe(tables: readonly Table[]): string[] {
  return tables.flatMap(({ name, columns }) =>
    columns.map((column) => `${name}.${column.name} (${column.type === 'text' ? 'text' : 'a number'})`),
  )
}
