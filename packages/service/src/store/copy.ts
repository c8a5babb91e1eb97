// Copies a whole store to an empty one, in one transaction. Ids, keys and times stay the same. Before the transaction is
// committed, the rows of the target are read again and compared with the source by a digest, so a copy that fails,
// differs or is killed leaves no store.

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
export async function copyStore(from: string, to: string, onProgress: (progress: CopyProgress) => void) {
  const [fromKind, toKind] = [kindOf(from), kindOf(to)]
  if (fromKind.identify(from) === toKind.identify(to)) {
    throw new StartError('Both addresses are the same. Name another store with --to.')
  }
  if (!fromKind.exists(from)) throw noStoreAt(absolutePath(from))
  await migrateStore(from, { current: true })
  const source = await fromKind.contents(from)
  try {
    const names = [fromKind.describe(from), toKind.describe(to)] as const
    return await toKind.fill(to, (target) => new Copy(source, target, names, onProgress).run())
  } finally {
    await source.close()
  }
}

/** The same table in both stores. Column types can differ. */
type Pair = readonly [from: Table, to: Table]

class Copy {
  private done = 0
  private total = 0

  constructor(
    private readonly source: Contents,
    private readonly target: Contents,
    private readonly names: readonly [source: string, target: string],
    private readonly onProgress: (progress: CopyProgress) => void,
  ) {}

  /** Call it in a transaction of the target. */
  async run(): Promise<Record<string, number>> {
    const pairs = this.pairs(await this.source.tables(), await this.target.tables())
    const counts: Record<string, number> = {}
    const digests = await this.source.transaction(async () => {
      for (const [from, to] of pairs) {
        if ((await this.target.count(to)) > 0) throw this.fault(to, 'already has')
        const count = await this.source.count(from)
        counts[from.name] = count
        this.total += 2 * count
      }
      const copied: string[] = []
      for (const pair of pairs) copied.push(await this.append(pair))
      return copied
    })
    for (const [index, [, to]] of pairs.entries()) {
      const digest = await this.digestOf(this.target, to, 'checking')
      if (digest !== digests[index]) throw this.fault(to, 'did not store the same')
    }
    await this.target.beginEpoch()
    return counts
  }

  /** Throws StartError if one store has a column that the other lacks. */
  private pairs(ours: readonly Table[], theirs: readonly Table[]): Pair[] {
    const [here, there] = [new Set(describe(ours)), new Set(describe(theirs))]
    const only = (where: string, what: Set<string>) => (what.size ? [`only ${where} has ${[...what].join(', ')}`] : [])
    const differences = [...only(this.names[0], here.difference(there)), ...only(this.names[1], there.difference(here))]
    if (differences.length > 0) {
      throw new StartError(`The two stores have different tables, so nothing was copied: ${differences.join('; ')}.`)
    }
    return ours.map((from, index) => [from, theirs[index] as Table])
  }

  /** Copies the table, and resolves with the digest of its rows. */
  private async append([from, to]: Pair): Promise<string> {
    const digest = await this.digestOf(this.source, from, 'copying', (rows) => this.target.write(to, rows))
    if (!from.assigned) return digest
    const [ours, theirs] = [await this.source.lastId(from.name), await this.target.lastId(to.name)]
    // PostgreSQL's sequence does not count ids that were inserted explicitly.
    const last = ours > theirs ? ours : theirs
    if (last > 0n) await this.target.setLastId(to.name, last)
    return digest
  }

  private async digestOf(
    store: Contents,
    table: Table,
    step: CopyProgress['step'],
    use?: (rows: readonly TableRow[]) => Promise<void>,
  ): Promise<string> {
    const digest = new Bun.CryptoHasher('sha256')
    for (let after: TableRow | undefined; ; ) {
      const rows = await store.read(table, after, BATCH_ROWS)
      if (rows.length === 0) return digest.digest('hex')
      // SQLite responds synchronously. Without this, the process would not see signals until the copy ends.
      await endOfTurn()
      digest.update(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value)))
      await use?.(rows)
      after = rows.at(-1)
      this.done += rows.length
      this.onProgress({ step, done: this.done, total: this.total })
    }
  }

  private fault({ name }: Table, what: string): StartError {
    const rows = name.replaceAll('_', ' ')
    return new StartError(`${this.names[1]} ${what} ${rows}, so nothing was copied. Copy to an empty store.`)
  }
}

/** The columns for the comparison of both stores. A boolean is a number, as in SQLite. */
function describe(tables: readonly Table[]): string[] {
  return tables.flatMap(({ name, columns }) =>
    columns.map((column) => `${name}.${column.name} (${column.type === 'text' ? 'text' : 'a number'})`),
  )
}
