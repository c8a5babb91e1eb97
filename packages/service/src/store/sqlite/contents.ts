// The rows of a SQLite store, for copying. No other process may have the file open: its writes during the copy would be copied in
// part.

import { Database } from 'bun:sqlite'
import { StartError } from '../../domain/start-error.ts'
import { type ColumnEntry, type Contents, describeTables, keyOf, quoted, type Row, type Table } from '../contents.ts'
import { BUSY_TIMEOUT_MS } from './connection.ts'
import { isSqliteCode, translated } from './errors.ts'
import { BEGIN_EPOCH } from './events.ts'
import { APPLICATION_ID, UNFINISHED_ID } from './file-checks.ts'
import { COUNT_TO } from './inventory.ts'
import { searchIndex } from './search.ts'
import { Statements } from './statements.ts'

/** For STRICT tables. In others, a column's type does not determine the type of its values. */
const TYPES = { INTEGER: 'integer', INT: 'integer', TEXT: 'text' } as const

/** `path` is absolute. Throws StartError when another process uses the file. */
export function openSqliteContents(path: string): Contents {
  const inUse = `${path} is in use by another process. Stop the servers of both stores first.`
  const database = translated(() => openAlone(path, inUse))
  const select = <Values extends readonly unknown[]>(sql: string, ...parameters: (bigint | string | number | null)[]) =>
    translated(() => database.query(sql).values(...parameters) as unknown as Values[])
  const transact = (work: () => void) => translated(() => database.transaction(work)())

  const search = searchIndex(new Statements({ database }))

  const identify = (id: number) => translated(() => void database.run(`PRAGMA application_id = ${id}`))

  return {
    tables: async () => {
      const columns = translated(() =>
        database
          .query<ColumnEntry, []>(
            `SELECT tables.name AS "table", columns.name, upper(columns.type) AS type
             FROM sqlite_schema AS tables JOIN pragma_table_xinfo(tables.name) AS columns
             WHERE tables.type = 'table' AND hidden = 0`,
          )
          .all(),
      )
      return describeTables(columns, TYPES)
    },
    count: async ({ name }) => Number(select<[bigint]>(`SELECT count(*) FROM ${quoted(name)}`)[0]?.[0]),
    read: async (table, after, limit) => {
      const key = keyOf(table).map(({ name }) => quoted(name))
      const where = after ? `WHERE (${key}) > (${key.map(() => '?')})` : ''
      return select<Row>(
        `SELECT ${columnsOf(table)} FROM ${quoted(table.name)} ${where} ORDER BY ${key} LIMIT ?`,
        ...(after?.slice(0, table.key.length) ?? []),
        limit,
      )
    },
    write: async (table, rows) => {
      const insert = database.query(
        `INSERT INTO ${quoted(table.name)} (${columnsOf(table)}) VALUES (${table.columns.map(() => '?')})`,
      )
      transact(() => {
        for (const row of rows) insert.run(...row)
        const [first = 0n] = rows[0] as [bigint]
        if (table.name === 'pets' || table.name === 'orders') search.addRows(table.name, first - 1n, rows.length)
        if (table.name === 'pets') database.query(COUNT_TO).run(rows.at(-1)?.[0] ?? 0n)
      })
    },
    markUnfinished: async () => identify(UNFINISHED_ID),
    markFinished: async () => {
      transact(() => database.run(BEGIN_EPOCH))
      identify(APPLICATION_ID)
    },
    lastId: async ({ name }) => translated(() => lastIdOf(database, name)),
    setLastId: async ({ name }, id) => transact(() => setLastId(database, name, id)),
    close: async () => database.close(),
  }
}

/** The last id that the table has assigned, or holds; 0 before the first. */
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

/** Belongs to a transaction. */
export function setLastId(database: Database, table: string, id: bigint): void {
  database.query('DELETE FROM sqlite_sequence WHERE name = ?').run(table)
  database.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, id)
}

/** In exclusive mode from the first access: throws a StartError with `inUse` when another process has the file open, and then keeps others out. */
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

function columnsOf({ columns }: Table): string {
  return columns.map(({ name }) => quoted(name)).join(', ')
}
