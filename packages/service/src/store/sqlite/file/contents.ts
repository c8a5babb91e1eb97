// The rows of a SQLite store, for copying. No other process may have the file open, because the copy would contain
// only part of its writes.

import { Database } from 'bun:sqlite'
import { basename, dirname } from 'node:path'
import { orStartError, StartError } from '../../../domain/start-error.ts'
import { syncFile, syncFolderOf } from '../../../system/files.ts'
import { createPartial, removeAbandoned } from '../../../system/partial.ts'
import { type Contents, contentsOf, quoted, type TableRow } from '../../contents.ts'
import { BUSY_TIMEOUT_MS } from '../connect/connection.ts'
import { isSqliteCode, translated } from '../connect/errors.ts'
import { inserter, Statements } from '../connect/statements.ts'
import { migrate } from '../schema/schema.ts'
import { COUNT_TO, searchIndex } from '../write/row-writer.ts'
import { BEGIN_EPOCH, giveName, removePartial } from './backup.ts'
import { APPLICATION_ID, checkLog } from './checks.ts'
import { identityOf } from './guard.ts'

/** STRICT tables only. In other tables the column's type does not determine the value's type. */
const TYPES = { INTEGER: 'integer', INT: 'integer', TEXT: 'text' } as const

/** `path` is absolute. Throws StartError if another process uses the file. */
export function openSqliteContents(path: string): Contents {
  const inUse = `${path} is in use by another process. Stop the servers of both stores first.`
  return contentsIn(translated(() => openAlone(path, inUse)))
}

/**
 * Runs `work` in one transaction of the store at `path`, which must be empty. A new file gets its name when it is
 * complete and durable.
 */
export async function fillSqlite<Result>(path: string, work: (target: Contents) => Promise<Result>): Promise<Result> {
  if (identityOf(path) !== undefined) return fill(openSqliteContents(path), work)
  checkLog(path)
  removeAbandoned(dirname(path), (name) => name === basename(path))
  const { path: partial, descriptor } = orStartError(
    () => createPartial(path, 0o600),
    (reason) => `${path} cannot be created (${reason}).`,
  )
  try {
    const result = await fill(contentsIn(translated(() => createAside(partial))), work)
    syncFile(partial)
    giveName(partial, path)
    syncFolderOf(path)
    return result
  } finally {
    removePartial(partial, descriptor)
  }
}

async function fill<Result>(target: Contents, work: (target: Contents) => Promise<Result>): Promise<Result> {
  try {
    return await target.transaction(() => work(target))
  } finally {
    await target.close()
  }
}

/** Creates an empty store in a file that no other process uses. The caller syncs it at the end. */
function createAside(path: string): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true, safeIntegers: true })
  database.run(`PRAGMA application_id = ${APPLICATION_ID}`)
  database.run('PRAGMA synchronous = OFF')
  database.run('PRAGMA journal_mode = MEMORY')
  database.run('PRAGMA foreign_keys = ON')
  migrate(database, path, () => undefined)
  return database
}

function contentsIn(database: Database): Contents {
  const run = (sql: string) => translated(() => void database.run(sql))
  const statements = new Statements({ database })
  const search = searchIndex(statements)
  return contentsOf({
    catalogue: `SELECT tables.name, columns.name, upper(columns.type)
      FROM sqlite_schema AS tables JOIN pragma_table_xinfo(tables.name) AS columns
      WHERE tables.type = 'table' AND hidden = 0`,
    types: TYPES,
    selected: ({ name }) => quoted(name),
    collation: 'BINARY',
    query: async (sql, ...parameters) => translated(() => database.query(sql).values(...parameters) as TableRow[]),
    async transaction(work) {
      run('BEGIN')
      try {
        const result = await work()
        run('COMMIT')
        return result
      } finally {
        if (database.inTransaction) run('ROLLBACK')
      }
    },
    async insert({ name, columns }, rows) {
      const names = columns.map((column) => quoted(column.name))
      translated(() => inserter(statements, quoted(name), names)(rows))
    },
    derive: async (table, after, rows) =>
      translated(() => {
        const last = search[table].addRows(after, rows) ?? after
        if (table === 'pets') database.query(COUNT_TO).run(last)
      }),
    lastId: async (table) => translated(() => lastIdOf(database, table)),
    setLastId: async (table, id) => translated(() => setLastId(database, table, id)),
    beginEpoch: async () => run(BEGIN_EPOCH),
    close: async () => database.close(),
  })
}

/** The last id that the table has assigned or contains; 0 if there is none. */
export function lastIdOf(database: Database, table: string): bigint {
  const [last] = database
    .query(
      `SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0),
                  coalesce((SELECT max(id) FROM ${quoted(table)}), 0))`,
    )
    .safeIntegers(true)
    .values(table)
  return last?.[0] as bigint
}

/** Call it in a transaction. */
export function setLastId(database: Database, table: string, id: bigint): void {
  database.query('DELETE FROM sqlite_sequence WHERE name = ?').run(table)
  database.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, id)
}

/**
 * Opens the file in exclusive mode, which keeps other processes out. Throws a StartError with `inUse` if another
 * process has it open.
 */
export function openAlone(path: string, inUse: string): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true, safeIntegers: true })
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    database.run('PRAGMA locking_mode = EXCLUSIVE')
    database.run('BEGIN EXCLUSIVE')
    database.run('COMMIT')
    database.run('PRAGMA synchronous = FULL')
    database.run('PRAGMA foreign_keys = ON')
    return database
  } catch (error) {
    database.close()
    if (!isSqliteCode(error, 'SQLITE_BUSY', 'SQLITE_LOCKED')) throw error
    throw new StartError(inUse, { cause: error })
  }
}
