// The stores that requests wait in: many pets, in a file or in PostgreSQL, and one server.

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createStore, fill } from '../../bench/seed.ts'
import { temporaryFile } from '../../test/support/files.ts'
import { Cluster } from '../../test/support/postgres.ts'
import { type Running, root, run, serve } from '../../test/support/process.ts'

/** How many readers wait at the end of the feed; each server is set to let so many wait. */
export const READERS = 1_000
const POLL_MS = 50

type Row = Record<string, string | number>

export interface Store {
  readonly kind: 'sqlite' | 'postgres'
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
  /** The size of SQLite's log. */
  logBytes(): number
  remove(): Promise<void>
}

/** A store with so many pets. */
export async function newStore(kind: Store['kind'], pets: number): Promise<Store> {
  const folder = mkdtempSync(temporaryFile('waits-'))
  const seed = join(folder, 'petstore.db')
  const key = createStore(root, seed)
  fill(seed, pets)
  if (kind === 'sqlite') return { ...inFile(seed), key, folder, seed }
  const cluster = await Cluster.start()
  const database = await cluster.newDatabase()
  await petstore(['copy', '--from', seed, '--to', database])
  return { ...inPostgres(cluster, database), key, folder, seed }
}

function inFile(database: string) {
  return {
    kind: 'sqlite' as const,
    database,
    async query(sql: string) {
      using file = new Database(database)
      return file.query<Row, []>(sql).all()
    },
    logBytes: () => statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    async remove() {
      rmSync(dirname(database), { recursive: true })
    },
  }
}

function inPostgres(cluster: Cluster, database: string) {
  const name = new URL(database).pathname.slice(1)
  return {
    kind: 'postgres' as const,
    database,
    cluster,
    query: (sql: string) => cluster.asAdmin(async (connection) => [...(await connection.unsafe<Row[]>(sql))], name),
    logBytes: () => 0,
    remove: () => cluster.remove(),
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

/** Runs a command to its end, which must be 0. */
export async function petstore(args: string[]): Promise<void> {
  const { status, stderr } = await run(args)
  if (status !== 0) throw new Error(`petstore ${args.join(' ')}: ${stderr}`)
}

export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(POLL_MS)
}
