// Creates the stores of the load experiments, with many pets in a file or in PostgreSQL, and starts servers on them.

import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createStore, fill } from '../../bench/seed.ts'
import { temporaryFile } from '../../test/support/files.ts'
import { Cluster } from '../../test/support/postgres.ts'
import { type Running, root, run, serve } from '../../test/support/process.ts'

export type Kind = 'sqlite' | 'postgres'
export const NAMES: Readonly<Record<Kind, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

type Row = Record<string, string | number>
type Store = Awaited<ReturnType<typeof newStore>>

/** Creates a store with this number of pets. */
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
  return { ...store, key, remove }
}

/** `bytes` is the size of the database with its log. */
function inFile(database: string) {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  async function query(sql: string) {
    using file = new Database(database)
    return file.query<Row, []>(sql).all()
  }
  return { database, cluster: undefined, query, bytes: async () => sizeOf(database) + sizeOf(`${database}-wal`) }
}

async function inPostgres(seed: string) {
  const cluster = await Cluster.start()
  const database = await cluster.newDatabase()
  await petstore(['copy', '--from', seed, '--to', database])
  const query = (sql: string) =>
    cluster.asAdmin(async (connection) => [...(await connection.unsafe<Row[]>(sql))], database)
  const bytes = async () => Number((await query('SELECT pg_database_size(current_database()) AS size'))[0]?.size)
  return { database, cluster, query, bytes }
}

/** Starts a server on the store. */
export function startServer({ database }: Store): Promise<Running> {
  return serve([], { env: { PETSTORE_DATABASE: database, PETSTORE_LOG_LEVEL: 'silent' } })
}

/** Runs a command and resolves with its output. Rejects if its exit status is not 0. */
export async function petstore(args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(args)
  if (status !== 0) throw new Error(`petstore ${args.join(' ')}: ${stderr}`)
  return stdout
}
