// The two kinds of stores, a SQLite file or a PostgreSQL database. The rest of the program goes through this file and
// never inspects an address itself.

import { existsSync } from 'node:fs'
import type { SchemaState, Store, StoreOptions } from '../domain/store.ts'
import { wallMs } from '../system/runtime.ts'
import { absolutePath } from './absolute-path.ts'
import type { Contents } from './contents.ts'
import { describeAddress, isPostgresAddress, parsePostgresAddress } from './postgres/address.ts'
import type { Recovery } from './shared/recovery.ts'
import { schemaState } from './shared/schema-versions.ts'
import { fileVersion } from './sqlite/connect/connection.ts'
import { startThreads, threadsOpened } from './sqlite/connect/thread.ts'
import { backUp } from './sqlite/file/backup.ts'
import { isOlder } from './sqlite/file/checks.ts'
import { fillSqlite, openSqliteContents } from './sqlite/file/contents.ts'
import { identityOf } from './sqlite/file/guard.ts'
import { checkCopy, originOf } from './sqlite/file/integrity.ts'
import { recover } from './sqlite/file/recovery.ts'
import { restore } from './sqlite/file/restore.ts'
import { NEWEST_VERSION } from './sqlite/schema/schema.ts'
import { openSqliteStore } from './sqlite/store.ts'

/**
 * Call `check` first; the other methods expect a valid address. They throw StartError, with advice, if the store
 * cannot be used.
 */
interface StoreKind {
  /** Throws an Error whose message completes a sentence ("must be …") and repeats nothing of the address. */
  check(address: string): void
  /** Returns the address without user and password, to show to people. */
  describe(address: string): string
  /** Returns the same text for two addresses that are known to name the same store. */
  identify(address: string): string
  /** Returns `false` if opening the store would create it. A PostgreSQL database is assumed to exist. */
  exists(address: string): boolean
  /** Creates the store if it does not exist, and migrates its schema, unless `options.current` forbids it. */
  open(address: string, options: StoreOptions): Promise<Store>
  /** Open and close the store first, so that its schema is current. */
  contents(address: string): Promise<Contents>
  /**
   * Creates the store if it does not exist, and runs `work` in one transaction. If it fails, no new store is left, and
   * an existing one is unchanged.
   */
  fill<Result>(address: string, work: (target: Contents) => Promise<Result>): Promise<Result>
  /** Returns the schema's version without changing the store. */
  schema(address: string): Promise<SchemaState>
  /**
   * For a store that was reset to an earlier state. Changes everything or nothing. No other process may use the store.
   */
  recover(address: string, recovery: Recovery): Promise<void>
  /** Absent if the database has its own backup tools. */
  files?: StoreFiles
}

/** Do not use these in a process that has the store open, except `origin`: see store/sqlite/file/checks.ts. */
export type StoreFiles = typeof files

export type { FoundContents } from './shared/recovery.ts'
export type { LastEvent } from './sqlite/file/integrity.ts'

/** `open` creates an empty in-memory store for this address. Settings cannot name it. */
export const MEMORY = ':memory:'

/** Imported on demand: loading it with its driver would add a tenth to the startup of a service with a SQLite file. */
const postgresStore = () => import('./postgres/store.ts')

const postgres: StoreKind = {
  check: parsePostgresAddress,
  describe: describeAddress,
  identify: (address) => address,
  exists: () => true,
  open: async (address, options) => (await postgresStore()).openPostgresStore(address, options),
  contents: async (address) => (await import('./postgres/contents.ts')).openPostgresContents(address),
  fill: async (address, work) => (await import('./postgres/contents.ts')).fillPostgres(address, work),
  schema: async (address) => (await postgresStore()).postgresSchema(address),
  recover: async (address, recovery) => (await import('./postgres/recovery.ts')).recover(address, recovery),
}

/** Addresses for other programs: URLs with another scheme, libpq keywords, SQLite URIs, Windows drives. */
const ADDRESS_ELSEWHERE = /:\/\/|^postgres(ql)?\/\/|^(jdbc|file|sqlite3?|[a-z]):|(^|\s)(host|hostaddr|dbname)\s*=/i
const FORMS = 'must be a file path or have the form postgres://USER:PASSWORD@HOST:PORT/DATABASE'

const files = {
  /** Starts the threads of a store that is opened later, for searches and for checkpoints: see thread.ts. */
  startThreads: () => startThreads(2),
  /** See `isOlder` in checks.ts. */
  isOlder: (address: string) => isOlder(absolutePath(address)),
  /** Writes a consistent copy of the store to the new file `to`. */
  backUp: (address: string, to: string) => backUp(absolutePath(address), absolutePath(to)),
  /** Checks a copy without changing it. Throws StartError if it cannot be checked. */
  check: (copy: string) => checkCopy(absolutePath(copy)),
  /**
   * Identifies the store that a copy came from. Returns `undefined` if the copy cannot be read or is the store itself.
   * Safe while the store is open.
   */
  origin: (copy: string, address: string) => originOf(copy, file.identify(address)),
  /** Replaces the store with the backup `from`, then does the same as `recover` without revoking keys. */
  restore: (from: string, address: string, skipIds: bigint) =>
    restore(absolutePath(from), absolutePath(address), skipIds),
}

const file: StoreKind = {
  check(address) {
    if (address === MEMORY) throw new Error('must be a file: `petstore serve --ephemeral` keeps everything in memory')
    if (address.trim() === '') throw new Error('must not be empty')
    const exists = existsSync(address)
    const isPath = /^\.?\//.test(address)
    const fault = pathFault(address) ?? (!isPath && ADDRESS_ELSEWHERE.test(address) ? FORMS : undefined)
    if (fault === undefined || (isPath && exists)) return
    throw new Error(exists ? `${fault}. A file of that name exists: put ./ before the name to open it` : fault)
  },
  describe: (address) => address,
  identify(address) {
    const path = absolutePath(address)
    return identityOf(path) ?? path
  },
  exists: (address) => identityOf(absolutePath(address)) !== undefined,
  async open(address, options) {
    const store = openSqliteStore(address === MEMORY ? address : absolutePath(address), options)
    await threadsOpened()
    return store
  },
  contents: async (address) => openSqliteContents(absolutePath(address)),
  async fill(address, work) {
    const path = absolutePath(address)
    if (identityOf(path) !== undefined) await migrateStore(address, { current: true })
    return fillSqlite(path, work)
  },
  schema: async (address) => schemaState(fileVersion(absolutePath(address)), NEWEST_VERSION),
  recover: async (address, recovery) => recover(absolutePath(address), recovery),
  files,
}

/**
 * Returns "must not …" if a shell would remove or replace part of the path, but an env file or a systemd unit would
 * not.
 */
export function pathFault(path: string): string | undefined {
  if (/^[\s'"]|[\s'"]$/.test(path)) return 'must not begin or end with a quote or white space'
  return /^[~$]/.test(path) ? 'must not begin with ~ or $, which only a shell expands' : undefined
}

export function kindOf(address: string): StoreKind {
  return isPostgresAddress(address) ? postgres : file
}

/** See `StoreKind.open`. */
export async function openStore(address: string, options: StoreOptions): Promise<Store> {
  return kindOf(address).open(address, options)
}

/** As `StoreKind.open`, and closes the store again. */
export async function migrateStore(address: string, options: Pick<StoreOptions, 'current' | 'onMigration'> = {}) {
  const store = await openStore(address, { now: wallMs, ...options })
  await store.close()
}
