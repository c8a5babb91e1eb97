// Stores filled with the same pets every time.

import { Database } from 'bun:sqlite'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PetStatus } from '../src/contract/generated.ts'
import { lastingFolder } from './folders.ts'

export const STATUSES: readonly PetStatus[] = ['available', 'pending', 'sold']

const NAMES = ['Bella', 'Max', 'Luna', 'Charlie', 'Lucy', 'Cooper', 'Daisy', 'Milo', 'Zoë', 'Buddy', 'Lily', 'Rocky']

export interface Seeded {
  /** The file. */
  database: string
  /** An API key of the store. */
  key: string
}

const made = new Map<string, Seeded>()

/**
 * Copies a store with this many pets, in the schema of the source tree at `root`, to `path`. The first time in a process it
 * is made; for 10^7 pets that takes half a minute and 600 MB. `prepare`: SQL to change the copy with.
 */
export function copyOfSeeded(root: string, pets: number, path: string, prepare = ''): Seeded {
  const name = `${root} ${pets}`
  let seeded = made.get(name)
  if (!seeded) {
    const database = join(lastingFolder(), `seeded-${made.size}.db`)
    seeded = { database, key: createStore(root, database) }
    fill(database, pets)
    made.set(name, seeded)
  }
  copyFileSync(seeded.database, path)
  if (prepare !== '') withDatabase(path, (database) => database.run(prepare))
  // On disk now, it makes no later sync wait.
  Bun.spawnSync(['sync', path])
  return { database: path, key: seeded.key }
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

/** Adds pets to the store at `path`, which has one key and no pets. An interruption leaves the file corrupt. */
export function fill(path: string, pets: number): void {
  withDatabase(path, (database) => {
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
  })
}

/** Fast, without a journal. */
function withDatabase(path: string, use: (database: Database) => void): void {
  const database = new Database(path, { readwrite: true })
  database.run('PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA cache_size = -200000')
  use(database)
  database.run('PRAGMA journal_mode = WAL')
  database.close()
}
