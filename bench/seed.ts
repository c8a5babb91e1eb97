// Stores filled with animals, made by inserting into the service's own schema and kept under the temporary directory
// from run to run. The same animals every time.

import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PetStatus } from '../src/generated/contract.ts'

export const STATUSES: readonly PetStatus[] = ['available', 'pending', 'sold']

const NAMES = ['Bella', 'Max', 'Luna', 'Charlie', 'Lucy', 'Cooper', 'Daisy', 'Milo', 'Zoë', 'Buddy', 'Lily', 'Rocky']

export interface Seeded {
  /** The file. */
  database: string
  /** The text of a key that the store knows. */
  key: string
}

/**
 * The store of this many animals in the schema of the source tree at `root`, made when it is not there yet: for 10^7
 * animals that takes half a minute and 600 MB. Not to be written to.
 */
export async function seeded(root: string, animals: number): Promise<Seeded> {
  const folder = join(tmpdir(), `petstore-bench-${fingerprint(root)}`)
  const path = join(folder, `${animals}.db`)
  const keyPath = join(folder, `${animals}.key`)
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true })
    const making = `${path}.${process.pid}`
    writeFileSync(keyPath, await seed(root, making, animals))
    renameSync(making, path)
  }
  return { database: path, key: readFileSync(keyPath, 'utf8') }
}

/** A copy at `path`, to be used and thrown away; on disk already, so that no later sync has to wait for it. */
export async function copyOfSeeded(root: string, animals: number, path: string): Promise<Seeded> {
  const { database, key } = await seeded(root, animals)
  copyFileSync(database, path)
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
  return { database: path, key }
}

/** Makes the store at `path` and returns its key. The tree's own code makes the schema, so that it is what it opens. */
export async function seed(root: string, path: string, animals: number): Promise<string> {
  rmSync(path, { force: true })
  const { openStore }: typeof import('../src/store/open.ts') = await import(join(root, 'src/store/open.ts'))
  const { generateKey, hashKey }: typeof import('../src/keys.ts') = await import(join(root, 'src/keys.ts'))
  const text = generateKey('production')
  const store = await openStore(path, { now: Date.now })
  const { id } = await store.createKey({ name: 'bench', hash: hashKey(text), readOnly: false, expiresAt: undefined })
  await store.close()
  const database = new Database(path, { readwrite: true, safeIntegers: true })
  try {
    fill(database, animals, id)
  } finally {
    database.close()
  }
  return text
}

function fill(database: Database, animals: number, key: bigint): void {
  // Nothing is lost when this dies half-way: the file gets its name only when it is whole.
  database.run('PRAGMA synchronous = OFF')
  database.run('PRAGMA journal_mode = OFF')
  database.run('PRAGMA cache_size = -200000')
  const indexes = database
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'pets' AND sql IS NOT NULL",
    )
    .all()
  // Building an index at the end is several times faster than keeping it while rows arrive.
  for (const { name } of indexes) database.run(`DROP INDEX ${name}`)
  const names = `'${JSON.stringify(NAMES)}'`
  const statuses = `'${JSON.stringify(STATUSES)}'`
  // Knuth's multiplicative hash, so that neighbours have nothing in common. 70 % available, 20 % pending, 10 % sold.
  database.run(`
    WITH RECURSIVE
      name(i, name) AS MATERIALIZED (SELECT key, value FROM json_each(${names})),
      status(i, status) AS MATERIALIZED (SELECT key, value FROM json_each(${statuses})),
      number(id, mixed) AS (
        SELECT 1, 2654435761 UNION ALL
        SELECT id + 1, ((id + 1) * 2654435761) & 4294967295 FROM number WHERE id < ${animals}
      )
    INSERT INTO pets (id, name, category_id, status, created_at, created_by)
    SELECT id,
      (SELECT name.name FROM name WHERE i = (mixed >> 16) % ${NAMES.length}) || ' ' || (mixed >> 24),
      (mixed >> 8) % 1000,
      (SELECT status.status FROM status WHERE i = (mixed % 10 >= 7) + (mixed % 10 >= 9)),
      1763683200000 + id, ${key}
    FROM number`)
  for (const { sql } of indexes) database.run(sql)
  database.run('PRAGMA journal_mode = WAL')
}

/** A name for the schema and for how it is filled, so that what has changed is made anew. */
function fingerprint(root: string): string {
  const migrations = join(root, 'src/store/migrations/sqlite')
  const hash = createHash('sha256')
  for (const name of readdirSync(migrations).sort()) hash.update(readFileSync(join(migrations, name)))
  hash.update(readFileSync(import.meta.path))
  return hash.digest('hex').slice(0, 12)
}
