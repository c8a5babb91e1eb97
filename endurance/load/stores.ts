// The stores of the experiments with load: many pets, in a file or in PostgreSQL, and one server; and what the system says of them.

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createStore, fill } from '../../bench/seed.ts'
import { temporaryFile } from '../../test/support/files.ts'
import { Cluster } from '../../test/support/postgres.ts'
import { type Running, root, run, serve } from '../../test/support/process.ts'
import { until as untilWithin } from '../../test/support/until.ts'

/** How many readers wait at the end of the feed; each server is set to let so many wait. */
export const READERS = 1_000
const POLL_MS = 50
const UNTIL_MS_MAX = 600_000

export type Kind = 'sqlite' | 'postgres'
export const NAMES: Readonly<Record<Kind, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

type Row = Record<string, string | number>

export interface Store {
  readonly kind: Kind
  /** A path or a PostgreSQL address. */
  readonly database: string
  readonly key: string
  /** For other files; it is removed with the store. */
  readonly folder: string
  /** A file with the same pets. */
  readonly seed: string
  /** The cluster of a store in PostgreSQL. */
  readonly cluster?: Cluster
  query(sql: string): Promise<Row[]>
  /** Of the file with its log, or of the database. */
  bytes(): Promise<number>
  /** The size of SQLite's log. */
  logBytes(): number
  remove(): Promise<void>
}

/** A store with so many pets. */
export async function newStore(kind: Kind, pets: number): Promise<Store> {
  const folder = mkdtempSync(temporaryFile('load-'))
  const seed = join(folder, 'petstore.db')
  const key = createStore(root, seed)
  fill(seed, pets)
  const removeFolder = () => rmSync(folder, { recursive: true })
  if (kind === 'sqlite') return { ...inFile(seed), key, folder, seed, remove: async () => removeFolder() }
  const cluster = await Cluster.start()
  const database = await cluster.newDatabase()
  await petstore(['copy', '--from', seed, '--to', database])
  const remove = () => cluster.remove().finally(removeFolder)
  return { ...inPostgres(cluster, database), key, folder, seed, remove }
}

function inFile(database: string) {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const logBytes = () => sizeOf(`${database}-wal`)
  return {
    kind: 'sqlite' as const,
    database,
    async query(sql: string) {
      using file = new Database(database)
      return file.query<Row, []>(sql).all()
    },
    bytes: async () => sizeOf(database) + logBytes(),
    logBytes,
  }
}

function inPostgres(cluster: Cluster, database: string) {
  const name = new URL(database).pathname.slice(1)
  const query = (sql: string) => cluster.asAdmin(async (connection) => [...(await connection.unsafe<Row[]>(sql))], name)
  return {
    kind: 'postgres' as const,
    database,
    cluster,
    query,
    bytes: async () => Number((await query(`SELECT pg_database_size('${name}') AS size`))[0]?.size),
    logBytes: () => 0,
  }
}

/** A server on the store, or on `PETSTORE_DATABASE`, by `command` instead of the clone's launcher. */
export function startServer(
  { database }: Pick<Store, 'database'>,
  { flags = [], env = {}, command }: { flags?: string[]; env?: Record<string, string>; command?: string[] } = {},
): Promise<Running> {
  const own = { PETSTORE_DATABASE: database, PETSTORE_LOG_LEVEL: 'silent', PETSTORE_MAX_WAITING: `${READERS}` }
  return serve(flags, { env: { ...own, ...env }, ...(command ? { command } : {}) })
}

export function portOf({ url }: Running): number {
  return Number(new URL(url).port)
}

/** Runs a command to its end, which must be 0. */
export async function petstore(args: string[]): Promise<void> {
  const { status, stderr } = await run(args)
  if (status !== 0) throw new Error(`petstore ${args.join(' ')}: ${stderr}`)
}

export const until = (what: string, holds: () => boolean | Promise<boolean>) =>
  untilWithin(what, holds, { ms: UNTIL_MS_MAX, everyMs: POLL_MS })
