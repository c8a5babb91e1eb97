// Stores filled with the same pets every time. They are kept in the temporary directory from run to run.

import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
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
  /** An API key of the store. */
  key: string
}

/**
 * The store with this many pets, in the schema of the source tree at `root`; made if there is none, which takes half a minute
 * and 600 MB for 10^7 pets. Do not write to it.
 */
export function seeded(root: string, pets: number): Seeded {
  const empty = join(tmpdir(), `petstore-bench-${process.pid}.db`)
  const key = createStore(root, empty)
  const folder = join(tmpdir(), `petstore-bench-${fingerprint(empty)}`)
  const [path, keyPath] = [join(folder, `${pets}.db`), join(folder, `${pets}.key`)]
  if (existsSync(path)) rmSync(empty)
  else {
    fill(empty, pets)
    mkdirSync(folder, { recursive: true })
    writeFileSync(keyPath, key)
    renameSync(empty, path)
  }
  return { database: path, key: readFileSync(keyPath, 'utf8') }
}

/** A copy at `path`, to use and throw away. It is on disk already, so that no later sync waits for it. */
export function copyOfSeeded(root: string, pets: number, path: string): Seeded {
  const { database, key } = seeded(root, pets)
  copyFileSync(database, path)
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
  return { database: path, key }
}

/** Makes an empty store at `path` and returns an API key of it. The tree's own command line makes the schema. */
export function createStore(root: string, path: string): string {
  rmSync(path, { force: true })
  const command = [join(root, 'bin/petstore'), 'keys', 'create', '--name', 'bench', '--database', path]
  const { PATH = '', HOME = '' } = process.env
  const { stdout, stderr } = Bun.spawnSync(command, { env: { PATH, HOME } })
  const key = /pets_live_\w+/.exec(stdout.toString())?.[0]
  if (!key) throw new Error(`petstore keys create: ${stderr}`)
  return key
}

/** Adds pets to the store at `path`, which has one key and no pets. */
export function fill(path: string, pets: number): void {
  const database = new Database(path, { readwrite: true })
  // Nothing is lost if this is interrupted: the file gets its name when it is complete.
  database.run('PRAGMA synchronous = OFF')
  database.run('PRAGMA journal_mode = OFF')
  database.run('PRAGMA cache_size = -200000')
  const indexes = database
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'pets' AND sql IS NOT NULL",
    )
    .all()
  // An index is built several times faster at the end.
  for (const { name } of indexes) database.run(`DROP INDEX ${name}`)
  // Knuth's multiplicative hash makes neighbours differ. 70 % are available, 20 % pending, 10 % sold.
  database.run(`
    WITH RECURSIVE
      name(i, name) AS MATERIALIZED (SELECT key, value FROM json_each('${JSON.stringify(NAMES)}')),
      status(i, status) AS MATERIALIZED (SELECT key, value FROM json_each('${JSON.stringify(STATUSES)}')),
      number(id, mixed) AS (
        SELECT 1, 2654435761 UNION ALL
        SELECT id + 1, ((id + 1) * 2654435761) & 4294967295 FROM number WHERE id < ${pets}
      )
    INSERT INTO pets (id, name, category_id, status, created_at, created_by)
    SELECT id,
      (SELECT name.name FROM name WHERE i = (mixed >> 16) % ${NAMES.length}) || ' ' || (mixed >> 24),
      (mixed >> 8) % 1000,
      (SELECT status.status FROM status WHERE i = (mixed % 10 >= 7) + (mixed % 10 >= 9)),
      1763683200000 + id, (SELECT id FROM keys)
    FROM number`)
  for (const { sql } of indexes) database.run(sql)
  database.run('PRAGMA journal_mode = WAL')
  database.close()
}

/** Names the schema and the way it is filled, so that a store is made again when either has changed. */
function fingerprint(path: string): string {
  const database = new Database(path, { readonly: true })
  const schema = database.query('SELECT sql FROM sqlite_schema ORDER BY name').values()
  database.close()
  const hash = createHash('sha256')
    .update(JSON.stringify(schema))
    .update(readFileSync(import.meta.path))
  return hash.digest('hex').slice(0, 12)
}
