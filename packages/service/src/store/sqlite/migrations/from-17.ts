// The step from schema 17, that of commit 60c4a71, to that of 1.0.0: a new file is made beside the store, gets all its rows, and takes its place
// when it is whole and on disk. Until then the store stays as it is, whatever happens; afterwards it is kept under another name.
//
// Do not use it in a process that has the store open: see file.ts.

import { Database } from 'bun:sqlite'
import { existsSync, rmSync, statfsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { StartError } from '../../../domain/start-error.ts'
import { syncFile, syncFolderOf } from '../../../system/files.ts'
import { removeAbandoned } from '../../../system/partial.ts'
import {
  FIRST_VERSION,
  needsOf,
  needsSentence,
  STEP_VERSION,
  type StepNeeds,
  type StepProgress,
  stepReport,
} from '../../shared/versions.ts'
import { BUSY_TIMEOUT_MS } from '../connection.ts'
import { isSqliteCode, startError } from '../errors.ts'
import { APPLICATION_ID, inUse, realPath } from '../file-checks.ts'
import { openPartial, SIDE_SUFFIXES } from '../partial-file.ts'
import { giveOwner, swap } from '../replace-file.ts'
import { schemaOf } from '../schema.ts'
import { searchIndex } from '../search.ts'
import { Statements } from '../statements.ts'
import copyRest from './from-17.sql' with { type: 'text' }

/** Rows that are written between two reports. */
const ROWS = 5_000
const FIRST_ID = -(2n ** 63n)

export function stepNeeds(path: string): StepNeeds {
  using database = new Database(path, { readonly: true })
  const count = (table: string) =>
    database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n as number
  const pages = database.query<{ bytes: number }, []>(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  )
  return needsOf(count('pets'), count('orders'), pages.get()?.bytes as number)
}

/** Tells people of it. Throws StartError, and then has changed nothing. */
export async function step(given: string, report: (sentence: string) => void): Promise<void> {
  const path = realPath(given)
  const kept = `${path}.schema-${STEP_VERSION}`
  if (existsSync(kept)) throw new StartError(`${kept} is in the way: the store as it was is kept there. Move it away.`)
  const target = `${path}.schema-${FIRST_VERSION}`
  removeAbandoned(dirname(path), (name) => name === basename(target))
  const needs = stepNeeds(path)
  checkRoom(path, needs, report)
  const onProgress = stepReport(report, needs)
  try {
    using partial = openPartial(target)
    using database = openNew(partial.path)
    attachAlone(database, path)
    for (const progress of converted(database)) {
      onProgress(progress)
      // Otherwise nothing that is reported would be written before the end.
      await Bun.sleep(0)
    }
    giveOwner(partial.path, path)
    syncFile(partial.path)
    // They are empty.
    for (const suffix of SIDE_SUFFIXES) rmSync(path + suffix, { force: true })
    swap(partial.path, path, kept)
    syncFolderOf(path)
    report(
      `${path} has schema ${FIRST_VERSION}; as it was, it is kept as ${kept}: delete that once you will not go back`,
    )
  } catch (error) {
    throw startError(path, error)
  }
}

/** Makes the empty file `to` a store with all that is in `path`, which nobody else uses. */
export function convert(path: string, to: string): void {
  using database = openNew(to)
  attachAlone(database, path)
  for (const _ of converted(database));
}

function checkRoom(path: string, needs: StepNeeds, report: (sentence: string) => void): void {
  const { bavail, bsize } = statfsSync(dirname(path))
  const free = bavail * bsize
  const sentence = `${path}: ${needsSentence(needs)}; ${Math.floor(free / 1e6)} MB are free`
  if (free < needs.bytes) throw new StartError(`${sentence}.`)
  report(`${sentence}. Nothing is served meanwhile, and the store stays as it is until the end`)
}

/** A new store in the empty file. What is written there is worth nothing before it is whole. */
function openNew(path: string): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true, safeIntegers: true })
  for (const pragma of ['synchronous = OFF', 'journal_mode = OFF', 'locking_mode = EXCLUSIVE', 'cache_size = -65536'])
    database.run(`PRAGMA ${pragma}`)
  database.run(`PRAGMA application_id = ${APPLICATION_ID}`)
  for (const statements of schemaOf(FIRST_VERSION)) database.run(statements)
  database.run(`PRAGMA user_version = ${FIRST_VERSION}`)
  return database
}

/** Until the database is closed nobody else uses the store, and all of it is in the file itself, which gets another name. */
function attachAlone(database: Database, path: string): void {
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  try {
    database.query('ATTACH ? AS old').run(path)
    database.run('BEGIN EXCLUSIVE')
    database.run('COMMIT')
    database.run('PRAGMA old.wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (!isSqliteCode(error, 'SQLITE_BUSY', 'SQLITE_LOCKED')) throw error
    throw inUse(path, error)
  }
}

/** The tables that have the same columns in both schemas. */
const SAME = ['keys', 'deprecated_calls', 'pets', 'orders', 'idempotency_answers'] as const

function copyTable(database: Database, table: (typeof SAME)[number]): void {
  const columns = database.query("SELECT name FROM pragma_table_info(?, 'main')").values(table)
  // Idempotency keys are forgotten in this order.
  const order = table === 'idempotency_answers' ? 'ORDER BY rowid' : ''
  database.run(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM old.${table} ${order}`)
}

/** Gives `main`, which is new, all that `old` has. */
function* converted(database: Database): Generator<StepProgress> {
  database.run('BEGIN')
  try {
    for (const table of SAME) copyTable(database, table)
    database.run(copyRest)
    yield* writeEvents(database)
  } catch (error) {
    if (!isSqliteCode(error, 'SQLITE_ERROR')) throw error
    throw new StartError(`The store lacks a part of schema ${STEP_VERSION}: it was not used.`, { cause: error })
  }
  for (const done of searchIndex(new Statements({ database })).addAll()) yield { what: 'words', done }
  database.run('COMMIT')
}

/** `place`: the pet itself, or the last pet that was added before the change. */
type EventRow = [id: bigint, place: bigint, type: string, at: bigint, ...rest: (bigint | string | null)[]]
const COLUMNS = 'type, at, key_id, pet_id, pet_status, pet, order_id, order_status'

// A pet became pending or sold by orders alone, unless it was added so.
const ADDED = `
  SELECT id, id AS place, 'pet.added' AS type, created_at AS at, created_by AS key_id, id AS pet_id,
    iif(status <> 'available' AND EXISTS (SELECT 1 FROM old.orders WHERE orders.pet_id = pets.id), 'available', status) AS pet_status,
    concat('{"name":', json_quote(name), ',"categoryId":', category_id, '}') AS pet, NULL AS order_id, NULL AS order_status
  FROM old.pets WHERE id > ?1 AND id NOT IN (SELECT pet_id FROM changed_pets)
  UNION ALL
  SELECT pet_id, pet_id, 'pet.added', at, key_id, pet_id, pet ->> 'status', json_remove(pet, '$.id', '$.status'), NULL, NULL
  FROM changed_pets WHERE pet_id > ?1
  ORDER BY id LIMIT ${ROWS}`
const CHANGED = `
  SELECT id, after_pet, type, at, key_id, pet_id, coalesce(pet ->> 'status', CASE order_status
      WHEN 'pending' THEN 'pending' WHEN 'completed' THEN 'sold'
      WHEN 'cancelled' THEN 'available' WHEN 'expired' THEN 'available' WHEN 'returned' THEN 'available' END),
    json_remove(pet, '$.id', '$.status'), order_id, order_status
  FROM (
    SELECT *, CASE WHEN order_id IS NOT NULL
      THEN iif(type IN ('order.placed', 'order.changed'), 'pending', substr(type, length('order.') + 1)) END AS order_status
    FROM old.events WHERE id > ?1 ORDER BY id LIMIT ${ROWS}
  )`

/** In schema 17 the event of a pet that was added had no row: its id was that of the pet plus the number of changes before it. */
function* writeEvents(database: Database): Generator<StepProgress> {
  const insert = database.query(`INSERT INTO main.events (reached, id, ${COLUMNS}) VALUES (${Array(10).fill('?')})`)
  let [latest, done, changes] = [FIRST_ID, 0, 0n]
  const [added, changed] = [paged(database, ADDED), paged(database, CHANGED)]
  let [pet, change] = [added.next(), changed.next()]
  while (!pet.done || !change.done) {
    const isPet = !pet.done && (change.done || pet.value[0] <= change.value[1])
    const [id, place, type, at, ...rest] = (isPet ? pet : change).value as EventRow
    insert.run(at > latest ? at : null, isPet ? id + changes : id, type, at, ...rest)
    if (at > latest) latest = at
    if (isPet) pet = added.next()
    else {
      changes = id - place
      change = changed.next()
    }
    if (++done % ROWS === 0) yield { what: 'events', done }
  }
  // The next one gets the id that it would have had.
  database
    .query(
      `UPDATE main.sqlite_sequence SET seq = ?1 + ifnull((SELECT seq FROM old.sqlite_sequence WHERE name = 'pets'), 0) WHERE name = 'events'`,
    )
    .run(changes)
}

function* paged(database: Database, sql: string): Generator<EventRow, undefined> {
  const page = database.query(sql)
  for (let after = FIRST_ID; ; ) {
    const rows = page.values(after) as EventRow[]
    yield* rows
    if (rows.length < ROWS) return
    after = rows.at(-1)?.[0] ?? after
  }
}
