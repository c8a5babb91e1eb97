// The kinds of stores: everything that depends on whether a store is a file of SQLite's or a PostgreSQL database. The rest of the program asks
// here and never looks at an address itself.

import { existsSync } from 'node:fs'
import type { SchemaState, Store, StoreOptions } from '../domain/store.ts'
import { wallMs } from '../system/runtime.ts'
import { absolutePath } from './absolute-path.ts'
import type { Contents } from './contents.ts'
import { describeAddress, isPostgresAddress, parsePostgresAddress } from './postgres/connect/address.ts'
import type { Recovery } from './shared/recovery.ts'
import { schemaState } from './shared/schema-versions.ts'
import { fileVersion } from './sqlite/connect/connection.ts'
import { backUp } from './sqlite/file/backup.ts'
import { identityOf } from './sqlite/file/checks.ts'
import { openSqliteContents } from './sqlite/file/contents.ts'
import { checkCopy, type LastEvent, type Origin, originOf } from './sqlite/file/integrity.ts'
import { recover } from './sqlite/file/recovery.ts'
import { restore } from './sqlite/file/restore.ts'
import { NEWEST_VERSION } from './sqlite/schema/schema.ts'
import { openSqliteStore } from './sqlite/store.ts'

/**
 * Call `check` first: the other methods expect a valid address. They throw StartError, whose message says what to do, when the
 * store cannot be used.
 */
interface StoreKind {
  /** Throws an Error whose message completes a sentence ("must be …") and contains nothing of the address. */
  check(address: string): void
  /** The address for people, without user and password. */
  describe(address: string): string
  /** The same for two addresses that are known to name one store. */
  identify(address: string): string
  /** `false` when opening the store would create it. A PostgreSQL database is assumed to exist. */
  exists(address: string): boolean
  /** Creates the store if it does not exist, and brings its schema up to date. */
  open(address: string, options: StoreOptions): Promise<Store>
  /** Open and close the store first, so that its schema is up to date. */
  contents(address: string): Promise<Contents>
  /** Changes nothing. */
  schema(address: string): Promise<SchemaState>
  /** For a store that was set back to an earlier state. All or nothing. No other process may use it. */
  recover(address: string, recovery: Recovery): Promise<void>
  /** Absent when the database has its own tools for backups. */
  files?: StoreFiles
}

/** Must not be used in a process that has the store open, except `origin`: see store/sqlite/file/checks.ts. */
export type StoreFiles = typeof files

export type { LastEvent, Origin }

/** `open` makes a new, empty store in memory of it. No setting may name it. */
export const MEMORY = ':memory:'

/** Loaded when a store needs it: with its driver it would take a tenth of the start of a service that keeps a file. */
const postgresStore = () => import('./postgres/store.ts')

const postgres: StoreKind = {
  check: parsePostgresAddress,
  describe: describeAddress,
  identify: (address) => address,
  exists: () => true,
  open: async (address, options) => (await postgresStore()).openPostgresStore(address, options),
  contents: async (address) => (await import('./postgres/contents.ts')).openPostgresContents(address),
  schema: async (address) => (await postgresStore()).postgresSchema(address),
  recover: async (address, recovery) => (await import('./postgres/recovery.ts')).recover(address, recovery),
}

/** Addresses as other programs write them: URLs of another scheme, libpq's keywords, SQLite's URIs, Windows' drives. */
const ADDRESS_ELSEWHERE = /:\/\/|^postgres(ql)?\/\/|^(jdbc|file|sqlite3?|[a-z]):|(^|\s)(host|hostaddr|dbname)\s*=/i
const FORMS = "must be a file's path, or have the form postgres://USER:PASSWORD@HOST:PORT/DATABASE"

const files = {
  /** Writes a consistent copy of the store to the new file `to`. */
  backUp: (address: string, to: string) => backUp(absolutePath(address), absolutePath(to)),
  /** Whether the copy is whole. Changes nothing. Throws StartError when it cannot be checked. */
  check: (copy: string) => checkCopy(absolutePath(copy)),
  /** Tells whose copy it is; `undefined` if it cannot be read, or is the store itself. May be used beside the open store. */
  origin: (copy: string, address: string): Origin | undefined =>
    file.identify(copy) === file.identify(address) ? undefined : originOf(copy),
  /** Replaces the store with the backup `from`, and does what `recover` does, but revokes nothing. */
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
  open: async (address, options) => openSqliteStore(address === MEMORY ? address : absolutePath(address), options),
  contents: async (address) => openSqliteContents(absolutePath(address)),
  schema: async (address) => schemaState(fileVersion(absolutePath(address)), NEWEST_VERSION),
  recover: async (address, recovery) => recover(absolutePath(address), recovery),
  files,
}

/** Returns "must not …" for a path with something that a shell removes or replaces, but an env file or a unit of systemd keeps. */
export function pathFault(path: string): string | undefined {
  if (/^[\s'"]|[\s'"]$/.test(path)) return 'must not begin or end with a quote or white space'
  return /^[~$]/.test(path) ? 'must not begin with ~ or $, which only a shell replaces' : undefined
}

export function kindOf(address: string): StoreKind {
  return isPostgresAddress(address) ? postgres : file
}

/** As `StoreKind.open`. */
export async function openStore(address: string, options: StoreOptions): Promise<Store> {
  return kindOf(address).open(address, options)
}

/** Creates the store if it does not exist, and brings its schema up to date. Throws StartError when it cannot be used. */
export async function migrateStore(
  address: string,
  options: Pick<StoreOptions, 'copying' | 'onMigration'> = {},
): Promise<void> {
  const store = await openStore(address, { now: wallMs, ...options })
  await store.close()
}
