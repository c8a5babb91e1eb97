// Checks a copy of a store: SQLite's own checks, the schema, and whether rows, inventory and events agree.

import { constants, Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { markOf } from '../../../domain/events.ts'
import { StartError } from '../../../domain/start-error.ts'
import { checkFinished } from '../connect/connection.ts'
import { isSqliteCode } from '../connect/errors.ts'
import { checkVersion, schemaOf, schemaVersion } from '../schema/schema.ts'
import { checkLog, logOf, realPath } from './checks.ts'
import { identityOf } from './guard.ts'

export interface LastEvent {
  id: bigint
  at: number
  mark: number
}

const DAMAGED = 'is damaged'

/** Counts rows whose status differs from their last event, rows without events, and events of missing rows. */
function untold(table: string, id: string, status: string): string {
  const last = `id = (SELECT max(id) FROM events AS each WHERE each.${id} = events.${id})`
  return `SELECT
    (SELECT count(*) FROM ${table} WHERE status IS NOT
      (SELECT ${status} FROM events WHERE ${id} = ${table}.id ORDER BY id DESC LIMIT 1)) +
    (SELECT count(*) FROM events WHERE ${status} IS NOT NULL AND ${id} NOT IN (SELECT id FROM ${table}) AND ${last}) AS n`
}

/** Each query counts errors; its name completes a sentence about the file. */
const FAULTS = {
  'has rows that refer to missing rows': 'SELECT count(*) AS n FROM pragma_foreign_key_check',
  'has wrong counts in its inventory': `SELECT count(*) AS n FROM inventory WHERE pets <>
    (SELECT count(*) FROM pets WHERE pets.status = inventory.status AND id <= counted_to)`,
  'has pets that differ from its feed of events': untold('pets', 'pet_id', 'pet_status'),
  'has orders that differ from its feed of events': untold('orders', 'order_id', 'order_status'),
}

/** Throws StartError if the file at `path` is damaged. */
export function checkContents(path: string) {
  using database = new Database(path, { readonly: true })
  const { fault, ...summary } = examine(database, path, {})
  if (fault !== undefined) throw new StartError(`The backup ${fault}, so it was not used.`)
  return summary
}

/**
 * Changes nothing and creates no files. Throws StartError if the file is not a copy of a store, or has a version that
 * cannot be checked.
 */
export function checkCopy(path: string) {
  using database = openCopy(findCopy(path))
  const checked = examine(database, path, FAULTS)
  return { ...checked, last: checked.fault === undefined ? lastEvent(database) : undefined }
}

/**
 * Resolves symbolic links. Throws StartError if the file does not exist, or if some of its changes are in a log next to
 * it.
 */
export function findCopy(path: string): string {
  const copy = realPath(path)
  if (identityOf(copy) === undefined) throw new StartError(`There is no backup at ${path}.`)
  checkLog(copy)
  if (logOf(copy)) {
    throw new StartError(`${path} is a store with changes in its log, ${path}-wal. Back it up with petstore backup.`)
  }
  return copy
}

/**
 * Returns the first key and the last event, which distinguish the copies of one store from the copies of another.
 * Returns `undefined` for anything that cannot be read as a store, such as a loop of links, and for the file with the
 * identity `store`, which this process may have open.
 */
export function originOf(path: string, store: string) {
  try {
    if (identityOf(path) === store || !statSync(path).isFile()) return undefined
    using database = openCopy(path)
    const first = database.query<{ id: bigint; createdAt: bigint }, []>(
      'SELECT id, created_at AS createdAt FROM keys ORDER BY id LIMIT 1',
    )
    const key = first.safeIntegers(true).get()
    return { firstKey: key ? { id: key.id, createdAt: Number(key.createdAt) } : undefined, last: lastEvent(database) }
  } catch {
    return undefined
  }
}

/** `immutable` keeps SQLite from creating files next to one in WAL mode, such as a file restored by Litestream. */
function openCopy(path: string): Database {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
  try {
    return new Database(`${pathToFileURL(path)}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
  } catch (cause) {
    throw new StartError(`${path} cannot be read as a file.`, { cause })
  }
}

function examine(database: Database, path: string, faults: Readonly<Record<string, string>>) {
  const count = (sql: string) => database.query<{ n: number }, []>(sql).get()?.n ?? 0
  const nothing = { pets: 0, orders: 0, keys: 0, bytes: statSync(path).size }
  try {
    checkFinished(database, path)
    checkVersion(path, schemaVersion(database))
    const [result] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all()
    const lack = result?.integrity_check === 'ok' ? lackOf(database) : DAMAGED
    if (lack !== undefined) return { ...nothing, fault: lack }
    const rows = (table: string) => count(`SELECT count(*) AS n FROM ${table}`)
    const fault = Object.keys(faults).find((each) => count(faults[each] as string) > 0)
    return { ...nothing, pets: rows('pets'), orders: rows('orders'), keys: rows('keys'), fault }
  } catch (error) {
    if (!isSqliteCode(error, 'SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_ERROR')) throw error
    return { ...nothing, fault: DAMAGED }
  }
}

function lastEvent(database: Database): LastEvent | undefined {
  const last = database.query<Record<'id' | 'at' | 'petId', bigint> & { type: string; orderId: bigint | null }, []>(
    'SELECT id, type, at, pet_id AS petId, order_id AS orderId FROM events ORDER BY id DESC LIMIT 1',
  )
  const row = last.safeIntegers(true).get()
  if (!row) return undefined
  const at = Number(row.at)
  return { id: row.id, at, mark: markOf({ ...row, at, orderId: row.orderId ?? undefined }) }
}

const SHOWN = 5

/**
 * Names, and columns of tables with their types. Does not compare SQL, which SQLite rewrites when a table is renamed,
 * nor columns of views, which SQLite can only read if their tables exist.
 */
const PARTS = `SELECT each.type || ' ' || each.name || ifnull('.' || columns.name || ' ' || columns.type, '') AS part, each.name AS name
  FROM sqlite_schema AS each LEFT JOIN pragma_table_xinfo(iif(each.type = 'table', each.name, NULL)) AS columns
  WHERE each.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`

/**
 * Completes a sentence about the file: `lacks orders, events and 2 more of schema 17`. `undefined` if nothing is
 * missing.
 */
export function lackOf(database: Database): string | undefined {
  const version = schemaVersion(database)
  const names = missing(database, version)
  if (names.length === 0) return undefined
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''
  return `lacks ${names.slice(0, SHOWN).join(', ')}${more} of schema ${version}`
}

/**
 * Returns the StartError for an error that a missing part caused while the file was opened or used; other errors are
 * returned unchanged.
 */
export function lackError(path: string, error: unknown): unknown {
  if (!isSqliteCode(error, 'SQLITE_ERROR')) return error
  using database = new Database(path, { readonly: true })
  const lack = lackOf(database)
  if (lack === undefined) return error
  const advice = 'Replace it with a backup (petstore restore, which keeps this file), or name another file.'
  return new StartError(`${path} ${lack}. ${advice}`, { cause: error })
}

function missing(database: Database, version: number): string[] {
  using whole = new Database(':memory:')
  for (const statements of schemaOf(version)) whole.run(statements)
  const parts = (of: Database) => of.query<{ part: string; name: string }, []>(PARTS).all()
  const there = new Set(parts(database).map(({ part }) => part))
  return [...new Set(parts(whole).flatMap(({ part, name }) => (there.has(part) ? [] : name)))]
}
