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
export type Store = Awaited<ReturnType<typeof newStore>>

/** A store with so many pets. `seed` is a file with the same pets, and `folder`, for other files, is removed with the store. */
export async function newStore(kind: Kind, pets: number) {
  const folder = mkdtempSync(temporaryFile('load-'))
  const seed = join(folder, 'petstore.db')
  const key = createStore(root, seed)
  fill(seed, pets)
  const store = kind === 'sqlite' ? inFile(seed) : await inPostgres(seed)
  const remove = async () => {
    await store.cluster?.remove()
    rmSync(folder, { recursive: true })
  }
  /** The single number that a query gives. */
  const number = async (sql: string) => Number(Object.values((await store.query(sql))[0] ?? {})[0])
  return { ...store, number, kind, key, folder, seed, remove }
}

/** `bytes` is the size of the file with its log, or of the database, and `logBytes` that of SQLite's log. */
function inFile(database: string) {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const logBytes = () => sizeOf(`${database}-wal`)
  async function query(sql: string) {
    using file = new Database(database)
    return file.query<Row, []>(sql).all()
  }
  return { database, cluster: undefined, query, bytes: async () => sizeOf(database) + logBytes(), logBytes }
}

async function inPostgres(seed: string) {
  const cluster = await Cluster.start()
  const database = await cluster.newDatabase()
  await petstore(['copy', '--from', seed, '--to', database])
  const query = (sql: string) =>
    cluster.asAdmin(async (connection) => [...(await connection.unsafe<Row[]>(sql))], database)
  const bytes = async () => Number((await query('SELECT pg_database_size(current_database()) AS size'))[0]?.size)
  return { database, cluster, query, bytes, logBytes: () => 0 }
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

/** Runs a command to its end, which must be 0. Resolves with its output. */
export async function petstore(args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(args)
  if (status !== 0) throw new Error(`petstore ${args.join(' ')}: ${stderr}`)
  return stdout
}

/** Changes settings of a server of PostgreSQL while it runs. */
export function configure(cluster: Cluster, settings: Record<string, number>): Promise<void> {
  return cluster.asAdmin(async (sql) => {
    for (const [name, value] of Object.entries(settings)) await sql.unsafe(`ALTER SYSTEM SET ${name} = ${value}`)
    await sql`SELECT pg_reload_conf()`
  })
}

export const until = (what: string, holds: () => boolean | Promise<boolean>) =>
  untilWithin(what, holds, { ms: UNTIL_MS_MAX, everyMs: POLL_MS })
