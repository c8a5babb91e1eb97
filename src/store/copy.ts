// Copies everything from one store to another that has nothing else: ids, keys and times stay as they are. It goes on
// where an earlier copy was interrupted, because a row that is there already is compared and left.

import { existsSync } from 'node:fs'
import { describeAddress, isPostgresAddress } from '../address.ts'
import { StartError } from '../errors.ts'
import { type Contents, type Row, TABLES, type Table } from './contents.ts'
import { openStore } from './open.ts'
import { openPostgresContents } from './postgres/contents.ts'
import { openSqliteContents } from './sqlite/contents.ts'

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
  if (from === to) throw new StartError('Both addresses are the same. Name another store with --to.')
  if (!isPostgresAddress(from) && !existsSync(from)) throw new StartError(`There is no store at ${from}.`)
  const source = await openContents(from)
  try {
    const target = await openContents(to)
    try {
      return await copyContents(source, target, describeAddress(to), report)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function copyContents(
  source: Contents,
  target: Contents,
  targetName: string,
  report: (progress: CopyProgress) => void,
): Promise<Record<string, number>> {
  let total = 0
  for (const table of TABLES) total += 2 * (await source.count(table))
  let done = 0
  const step = (name: CopyProgress['step']) => (rows: number) => {
    done += rows
    report({ step: name, done, total: Math.max(total, done) })
  }
  const differs = (table: Table) =>
    new StartError(
      `${targetName} holds other ${table.name} than the source: nothing of them was changed. Copy to an empty store, and let no server use either one meanwhile.`,
    )

  for (const table of TABLES) {
    for await (const { rows, there } of batches(source, target, table)) {
      const missing = absent(rows, there, table)
      if (!missing) throw differs(table)
      if (missing.length > 0) await target.write(table, missing)
      step('copying')(rows.length)
    }
    if (table.assigned) {
      const [ours, theirs] = [await source.lastId(table), await target.lastId(table)]
      if (theirs < ours) await target.setLastId(table, ours)
    }
  }

  const counts: Record<string, number> = {}
  for (const table of TABLES) {
    counts[table.name] = 0
    for await (const { rows, there } of batches(source, target, table)) {
      if (absent(rows, there, table)?.length !== 0) throw differs(table)
      counts[table.name] = (counts[table.name] ?? 0) + rows.length
      step('checking')(rows.length)
    }
    if ((await target.count(table)) !== counts[table.name]) throw differs(table)
  }
  return counts
}

/** The source's rows, and what the target has from the last batch's end on. */
async function* batches(
  source: Contents,
  target: Contents,
  table: Table,
): AsyncGenerator<{ rows: Row[]; there: Row[] }> {
  for (let after: Row | undefined; ; ) {
    const rows = await source.read(table, after, BATCH_ROWS)
    if (rows.length === 0) return
    yield { rows, there: await target.read(table, after, BATCH_ROWS) }
    after = rows.at(-1)
  }
}

/**
 * The rows that the target lacks; `undefined` when it has others in their place. What is there is the beginning of what
 * is wanted, since rows are copied in order.
 */
function absent(rows: readonly Row[], there: readonly Row[], table: Table): readonly Row[] | undefined {
  const same = there.slice(0, rows.length).every((row, index) => equal(row, rows[index] as Row, table))
  return same ? rows.slice(there.length) : undefined
}

function equal(one: Row, other: Row, { columns }: Table): boolean {
  return columns.every((_, index) => one[index] === other[index])
}

/** Opened as a store first: made when it is not there, of our schema, and refused in its own words. */
async function openContents(address: string): Promise<Contents> {
  const store = await openStore(address, { now: Date.now })
  await store.close()
  return isPostgresAddress(address) ? openPostgresContents(address) : openSqliteContents(address)
}
