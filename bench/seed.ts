// Creates stores with the same pets every time.

import { Database } from 'bun:sqlite'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { Statements } from '../packages/service/src/store/sqlite/connect/statements.ts'
import { searchIndex } from '../packages/service/src/store/sqlite/write/row-writer.ts'
import { run, temporaryFolder } from './machine.ts'
import type { Work } from './requests.ts'

const NAMES = ['Bella', 'Max', 'Luna', 'Charlie', 'Lucy', 'Cooper', 'Daisy', 'Milo', 'Zoë', 'Buddy', 'Lily', 'Rocky']

const made = new Map<string, { database: string; key: string }>()

/**
 * Copies a store with this number of pets, in the schema of the source tree at `root`, to `path`, and prepares it for the work. Returns an
 * API key. The first call in a process creates the store, which takes half a minute and 600 MB for 10^7 pets.
 */
export function copySeeded(root: string, pets: number, path: string, work: Work): string {
  const name = `${root} ${pets}`
  let seeded = made.get(name)
  if (!seeded) {
    const database = join(temporaryFolder().path, 'seeded.db')
    seeded = { database, key: createStore(root, database) }
    fill(database, pets)
    made.set(name, seeded)
  }
  copyFileSync(seeded.database, path)
  if (work.prepare) change(path, work.prepare)
  // Sync now, so that no later sync waits for it.
  run(['sync', path])
  return seeded.key
}

/** Only `serve` creates a store, and it prints the first key. */
const START_AND_STOP = `
  "$1" serve --json --port 0 --database "$2" > "$2.out" &
  tries=0
  until grep -q apiKey "$2.out" || [ $((tries += 1)) -gt 300 ]; do sleep 0.1; done
  kill $!
  wait $!
  cat "$2.out"`

/** Creates an empty store at `path` with the command line of the tree, and returns an API key. */
export function createStore(root: string, path: string): string {
  const printed = run(['sh', '-c', START_AND_STOP, 'sh', join(root, 'bin/petstore'), path])
  return /pets_live_\w+/.exec(printed)?.[0] as string
}

/** Adds pets to a store that has one key and no pets. */
export function fill(path: string, pets: number): void {
  // Knuth's multiplicative hash makes neighbours differ. 70 % are available, 20 % pending, 10 % sold.
  const sql = `
    WITH RECURSIVE
      name(i, name) AS MATERIALIZED (SELECT key, value FROM json_each('${JSON.stringify(NAMES)}')),
      number(id, mixed) AS (
        SELECT 1, 2654435761
        UNION ALL SELECT id + 1, ((id + 1) * 2654435761) & 4294967295 FROM number WHERE id < ${pets}
      )
    INSERT INTO pets (id, name, category_id, status, created_at, created_by)
    SELECT id, iif(id % 500000 = 77777, 'Rare', (SELECT name.name FROM name WHERE i = (mixed >> 16) % ${NAMES.length})) || ' ' || (mixed >> 24),
      (mixed >> 8) % 1000, iif(mixed % 10 < 7, 'available', iif(mixed % 10 < 9, 'pending', 'sold')),
      ${addedAt(0)} + id, (SELECT id FROM keys)
    FROM number`
  change(path, sql)
  change(path, ADDED)
}

/** The time at which the pet with this id was added. */
export const addedAt = (id: number) => 1763683200000 + id

/** Adds one event for each pet. */
const ADDED = `INSERT INTO events (id, type, at, reached, key_id, pet_id, pet_status, pet)
  SELECT id, 'pet.added', created_at, created_at, created_by, id, status,
    concat('{"name":', json_quote(name), ',"categoryId":', category_id, '}')
  FROM pets ORDER BY id`

/** Fills the search index. */
export function index(path: string): void {
  change(path, (database) => {
    const search = searchIndex(new Statements({ database }))
    for (const table of ['pets', 'orders'] as const) {
      for (let last: bigint | undefined = 0n; last !== undefined; ) last = search[table].addRows(last, 1_000)
    }
  })
}

/** Opens the file without a journal, which is fast. An interruption corrupts the file. */
function change(path: string, how: string | ((database: Database) => void)): void {
  using database = new Database(path, { readwrite: true, safeIntegers: true })
  database.run('PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA cache_size = -200000')
  if (typeof how === 'string') database.run(how)
  else database.transaction(how)(database)
  database.run('PRAGMA journal_mode = WAL')
}
