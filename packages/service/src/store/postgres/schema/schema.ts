// The schema of a PostgreSQL database: its version and its migrations.

import { StartError } from '../../../domain/start-error.ts'
import type { StoreOptions } from '../../../domain/store.ts'
import { monotonicMs, sleep } from '../../../system/runtime.ts'
import { UNFINISHED_COPY } from '../../shared/failures.ts'
import { FIRST_VERSION, migratedSentence, refusedVersion } from '../../shared/schema-versions.ts'
import type { PostgresAddress } from '../address.ts'
import { Client } from '../connect/client.ts'
import { isLocked } from '../connect/errors.ts'
import { openSession, type WritableHost } from '../connect/hosts.ts'
import { beginWith, type RunQuery, Session } from '../connect/session.ts'
import functions from './functions.sql' with { type: 'text' }
import schema from './migrations/0021-schema.sql' with { type: 'text' }
import orderTerms from './migrations/0022-order-terms.sql' with { type: 'text' }
import secondRelease from './migrations/0023-second-release.sql' with { type: 'text' }
import { newGrants } from './rights.ts'

// What each version of the schema adds: the schema of 1.0.0, then a file for each later version. Released files never
// change.

export const MIGRATIONS: readonly string[] = [schema, orderTerms, secondRelease]

export const NEWEST_VERSION = FIRST_VERSION + MIGRATIONS.length - 1

/** Petstore's advisory locks have two keys, of which this is the first. */
const LOCKS = 1346720851
/** Servers that start at the same time migrate one after another. */
const TAKE_MIGRATION_LOCK = `pg_advisory_xact_lock(${LOCKS}, 0)`
/** SQL that takes the lock that orders commits (functions.sql). Servers of all versions use this number. */
export const TAKE_WRITE_LOCK = `pg_advisory_xact_lock(${LOCKS}, 1)`

export const FUNCTIONS = functions.replaceAll(':take_write_lock', TAKE_WRITE_LOCK)

/** Like TRANSACTION_IDLE_MS, but longer, because a migration would have to start over. */
export const MIGRATION_IDLE_MS = 10_000
/** How long a migration waits for a lock in one attempt, and then lets writes continue before the next one. */
export const MIGRATION_LOCK_MS = 1_000
const MIGRATION_PAUSE_MS = 1_000
/** How long a start or a command repeats a migration that other sessions block. */
const MIGRATION_WAIT_MS = 300_000

interface MigrateOptions extends Pick<StoreOptions, 'onMigration'> {
  /** How long to repeat the migration while other sessions hold its locks; 0 for one attempt. */
  waitMs?: number
}

const OBSERVED_EVERY_MS = 300
/** The sessions that block process `$1`. A role may not see since when the transaction of another role is open. */
const HOLDERS = `SELECT DISTINCT CASE pid WHEN 0 THEN 'a prepared transaction (see pg_prepared_xacts)' ELSE
    concat('pid ', pid, ' (role ', usename, ', application "', application_name, '"',
      to_char(xact_start AT TIME ZONE 'UTC', '", since" YYYY-MM-DD"T"HH24:MI:SS"Z"'), ')') END AS holder
  FROM unnest(pg_blocking_pids($1)) AS pid LEFT JOIN pg_stat_activity USING (pid)`

/** Earlier versions made this table until a copy was complete. Seeing it needs no privilege. */
const UNFINISHED = 'petstore_unfinished_copy'

/** Returns 0 if there is no schema yet. Throws StartError for a copy that an earlier version did not complete. */
export async function schemaVersion(query: RunQuery): Promise<number> {
  const [found] = await query<{ exists: boolean; unfinished: boolean }>(
    `SELECT to_regclass('petstore_schema') IS NOT NULL AS exists, to_regclass('${UNFINISHED}') IS NOT NULL AS unfinished`,
  )
  if (found?.unfinished) throw new StartError(UNFINISHED_COPY)
  if (!found?.exists) return 0
  const [row] = await query<{ version: number }>('SELECT version FROM petstore_schema')
  return row?.version ?? 0
}

/** Whether the user owns the existing schema. */
export async function mayMigrate(query: RunQuery): Promise<boolean> {
  const [row] = await query<{ owned: boolean }>(
    `SELECT pg_has_role(relowner, 'USAGE') AS owned FROM pg_class WHERE oid = to_regclass('petstore_schema')`,
  )
  return row?.owned ?? false
}

/** Throws StartError unless the user owns the schema or, if there is none, can create it. */
export async function checkOwner(query: RunQuery): Promise<void> {
  const [row] = await query<{ creates: boolean }>(
    `SELECT to_regclass('petstore_schema') IS NULL AND has_schema_privilege(current_schema(), 'CREATE') AS creates`,
  )
  if (!row?.creates && !(await mayMigrate(query)))
    throw new StartError('this user does not own the tables: use the address of their owner')
}

/** Throws StartError unless this program can open or migrate the version. */
export function checkVersion(version: number): void {
  const reason = refusedVersion(version, NEWEST_VERSION)
  if (reason !== undefined) throw new StartError(`it ${reason}`)
}

/**
 * Runs the missing migrations and installs the functions, in one transaction. `onMigration` receives the sessions that the migration waits for, the result for an existing store, and
 * the grants that other roles need. Throws StartError if it cannot get its locks within `waitMs`.
 *
 * A `pg_dump` can hold a lock for hours. All writes wait while the migration waits, and PostgreSQL keeps waiting after
 * this process was killed, so an attempt waits only MIGRATION_LOCK_MS.
 */
export async function migrate(address: PostgresAddress, host: WritableHost, options: MigrateOptions): Promise<void> {
  const { onMigration: report, waitMs = MIGRATION_WAIT_MS } = options
  await using session = await openSession(address, host)
  await using observer = new Session(() => Client.open(address, host, { statementTimeoutMs: MIGRATION_LOCK_MS }))
  const deadline = monotonicMs() + waitMs
  for (let reported = ''; ; ) {
    const holders = await tryToMigrate(session, observer, options)
    if (holders === undefined) return
    if (holders !== reported) report?.(`the migration waits for a lock that ${holders} holds`)
    reported = holders
    await sleep(MIGRATION_PAUSE_MS)
    if (monotonicMs() < deadline) continue
    throw new StartError(`its migration needs a lock that ${holders} holds. End that session, or wait, and try again`)
  }
}

/** Call it in a transaction. Resolves with the version before. */
export async function applyMigrations(execute: RunQuery): Promise<number> {
  await execute(`SELECT ${TAKE_MIGRATION_LOCK}`)
  const version = await schemaVersion(execute)
  checkVersion(version)
  if (version === NEWEST_VERSION) return version
  // A write in progress can hold one table and need another whose trigger is being replaced.
  await execute(`SELECT ${TAKE_WRITE_LOCK}`)
  if (version === 0) await execute('CREATE TABLE petstore_schema (version integer NOT NULL)')
  const made = version === 0 ? 0 : version - FIRST_VERSION + 1
  for (const statements of MIGRATIONS.slice(made)) await execute(statements)
  await execute(FUNCTIONS)
  await execute('DELETE FROM petstore_schema')
  await execute(`INSERT INTO petstore_schema VALUES (${NEWEST_VERSION})`)
  return version
}

/** If the migration was rolled back because it waited for a lock, resolves with the sessions that held it. */
async function tryToMigrate(session: Session, observer: Session, { onMigration: report }: MigrateOptions) {
  const { execute } = session
  let holders = 'another session'
  let isOver = false
  async function observe(pid: number): Promise<void> {
    for (; !isOver; await sleep(OBSERVED_EVERY_MS)) {
      const found = await observer.execute<{ holder: string }>(HOLDERS, pid)
      if (found.length > 0) holders = found.map(({ holder }) => holder).join(', ')
    }
  }

  const work = async () => {
    const [backend] = await execute<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    // If this connection fails, the message cannot show which session holds the lock.
    observe(backend?.pid ?? 0).catch(() => {})
    const version = await applyMigrations(execute)
    if (version === 0 || version === NEWEST_VERSION || !report) return
    for (const sentence of [migratedSentence(version, NEWEST_VERSION), ...(await newGrants(execute))]) report(sentence)
  }
  const limits = { idle_in_transaction_session_timeout: MIGRATION_IDLE_MS, lock_timeout: MIGRATION_LOCK_MS }
  try {
    return void (await session.transaction(work, beginWith(limits)))
  } catch (error) {
    if (!isLocked(error)) throw error
    return holders
  } finally {
    isOver = true
  }
}
