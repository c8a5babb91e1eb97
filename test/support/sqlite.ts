// A store in a SQLite file with one key, and access to the file.

import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { openStore } from '../../packages/service/src/store/kinds.ts'
import { temporaryFile } from './files.ts'
import { newKey } from './keys.ts'
import { newPet } from './pets.ts'

export const PET = newPet()
export const DAY_MS = 86_400_000
export const now = () => 1_234

/** Opens the store at `path`, or a new one. */
export async function storeWithKey(path = temporaryFile('petstore.db')) {
  const store = await openStore(path, { now })
  const { id } = await store.createKey(newKey())
  return { path, store, by: id }
}

/** Counts the commits in the write-ahead log: frames with a database size (https://sqlite.org/fileformat.html, 4). */
export function commits(path: string): number {
  const log = readFileSync(`${path}-wal`)
  const frameBytes = 24 + log.readUInt32BE(8)
  let count = 0
  for (let at = 32; at + frameBytes <= log.length; at += frameBytes) if (log.readUInt32BE(at + 4) > 0) count++
  return count
}

/** Runs a statement. Returns its rows if it has RETURNING. */
export function runOnFile(path: string, sql: string): { number?: unknown }[] {
  const database = new Database(path)
  try {
    database.run('PRAGMA foreign_keys = ON')
    if (/RETURNING/.test(sql)) return database.query<{ number: unknown }, []>(sql).all()
    if (sql) database.run(sql)
    return []
  } finally {
    database.close()
  }
}
