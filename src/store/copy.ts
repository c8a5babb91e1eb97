// Copies everything from one store to another that has nothing else: ids, keys and times stay as they are. It goes on
// where an earlier copy was interrupted, because a row that is there already is compared and left.

import { StartError } from '../domain/errors.ts'
import type { Contents, Row, Table } from './contents.ts'
import { kindOf, MEMORY, migrateStore } from './kinds.ts'

const BATCH_ROWS = 1_000

export interface CopyProgress {
  step: 'copying' | 'checking'
  /** Of `total`, in both steps together. */
  done: number
  total: number
}

/** How many rows of each table the copy has. Throws StartError when the target holds anything else. */
export async function copyStore(
  from: string,
  to: string,
  report: (progress: CopyProgress) => void,
): Promise<Record<string, number>> {
  const [fromKind, toKind] = [kindOf(from), kindOf(to)]
  if (fromKind.identify(from) === toKind.identify(to)) {
    throw new StartError('Both addresses are the same. Name another store with --to.')
  }
  if (!fromKind.exists(from)) throw new StartError(`There is no store at ${from}.`)
  const source = await openContents(from)
  try {
    const target = await openContents(to)
    try {
      return await new Copy(source, target, fromKind.describe(from), toKind.describe(to), report).run()
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** A table as the source's catalogue and the target's have it: the same, but for the types of a kind of store. */
interface Pair {
  name: string
  from: Table
  to: Table
}

class Copy {
  private done = 0
  private total = 0

  constructor(
    private readonly source: Contents,
    private readonly target: Contents,
    private readonly sourceName: string,
    private readonly targetName: string,
    private readonly report: (progress: CopyProgress) => void,
  ) {}

  async run(): Promise<Record<string, number>> {
    const pairs = this.pairs(await this.source.tables(), await this.target.tables())
    for (const { from } of pairs) this.total += 2 * (await this.source.count(from))
    const filled = await filledWhenNew()
    const counts: Record<string, number> = {}
    for (const pair of pairs) {
      counts[pair.name] = await this.source.count(pair.from)
      if (!(await this.append(pair)) && !filled.has(pair.name)) throw this.differs(pair)
    }
    for (const pair of pairs) {
      if (!filled.has(pair.name) && !(await this.isEqual(pair))) throw this.differs(pair)
    }
    // What a migration put there, or a trigger counted while rows were copied, is replaced now that all else is equal.
    for (const pair of pairs) {
      if (!filled.has(pair.name) || (await this.isEqual(pair))) continue
      await this.target.clear(pair.to)
      if (!(await this.append(pair)) || !(await this.isEqual(pair))) throw this.differs(pair)
    }
    return counts
  }

  /** Throws StartError when one of them has a table or a column that the other has not. */
  private pairs(ours: readonly Table[], theirs: readonly Table[]): Pair[] {
    const [here, there] = [new Set(describe(ours, theirs)), new Set(describe(theirs, ours))]
    const only = (where: string, what: Set<string>) => (what.size ? [`only ${where} has ${[...what].join(', ')}`] : [])
    const differences = [
      ...only(this.sourceName, here.difference(there)),
      ...only(this.targetName, there.difference(here)),
    ]
    if (differences.length > 0) {
      throw new StartError(
        `The tables of the two stores are not the same, so nothing was copied: ${differences.join('; ')}.`,
      )
    }
    return ours.map((from) => ({
      name: from.name,
      from,
      to: theirs.find(({ name }) => name === from.name) as Table,
    }))
  }

  /** Adds the rows that the target lacks. Gives false, and leaves them as they are, when it has others in their place. */
  private async append(pair: Pair): Promise<boolean> {
    const { from, to } = pair
    for await (const { rows, there } of this.batches(pair)) {
      const missing = absent(rows, there)
      if (!missing) return false
      if (missing.length > 0) await this.target.write(to, missing)
      this.step('copying', rows.length)
    }
    if (from.assigned !== undefined) {
      const [ours, theirs] = [await this.source.lastId(from), await this.target.lastId(to)]
      if (theirs < ours) await this.target.setLastId(to, ours)
    }
    return true
  }

  private async isEqual(pair: Pair): Promise<boolean> {
    for await (const { rows, there } of this.batches(pair)) {
      if (absent(rows, there)?.length !== 0) return false
      this.step('checking', rows.length)
    }
    return (await this.target.count(pair.to)) === (await this.source.count(pair.from))
  }

  /** The source's rows, and what the target has from the last batch's end on. */
  private async *batches({ from, to }: Pair): AsyncGenerator<{ rows: Row[]; there: Row[] }> {
    for (let after: Row | undefined; ; ) {
      const rows = await this.source.read(from, after, BATCH_ROWS)
      if (rows.length === 0) return
      yield { rows, there: await this.target.read(to, after, BATCH_ROWS) }
      after = rows.at(-1)
    }
  }

  private step(step: CopyProgress['step'], rows: number): void {
    this.done += rows
    this.report({ step, done: this.done, total: Math.max(this.total, this.done) })
  }

  private differs({ name }: Pair): StartError {
    return new StartError(
      `${this.targetName} holds other ${name} than the source: nothing of them was changed. Copy to an empty store, and let no server use either one meanwhile.`,
    )
  }
}

/**
 * The rows that the target lacks; `undefined` when it has others in their place. What is there is the beginning of what
 * is wanted, since rows are copied in order.
 */
function absent(rows: readonly Row[], there: readonly Row[]): readonly Row[] | undefined {
  const isWanted = (row: Row, index: number) => row.every((value, column) => value === rows[index]?.[column])
  return there.slice(0, rows.length).every(isWanted) ? rows.slice(there.length) : undefined
}

/** What two catalogues must have in common; SQLite has no booleans of its own. Of a table that only one has, its name. */
function describe(tables: readonly Table[], others: readonly Table[]): string[] {
  return tables.flatMap(({ name, columns, keyLength, assigned }) => {
    if (!others.some((other) => other.name === name)) return [`the table ${name}`]
    return columns.map((column, index) => {
      const kind = column.type === 'text' ? 'text' : 'a number'
      const key = index < keyLength ? ', in the primary key' : ''
      return `${name}.${column.name} (${kind}${key}${column.name === assigned ? ', assigned' : ''})`
    })
  })
}

/** The tables in which a new store has rows: its migrations put them there, so they are no sign of a store in use. */
async function filledWhenNew(): Promise<Set<string>> {
  const fresh = await kindOf(MEMORY).contents(MEMORY)
  try {
    const filled = new Set<string>()
    for (const table of await fresh.tables()) if ((await fresh.count(table)) > 0) filled.add(table.name)
    return filled
  } finally {
    await fresh.close()
  }
}

async function openContents(address: string): Promise<Contents> {
  await migrateStore(address)
  return kindOf(address).contents(address)
}
