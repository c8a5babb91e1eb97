// Litestream 0.3 copies commits from the log past SQLite: also one that a killed service has written, and SQLite does not know of yet. Other
// commits take its place in the store, but not in the copy, which then cannot be restored. Litestream begins a whole new copy where the name
// of the present one is gone; it removes that itself where it has missed something.

import { existsSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ASSIGNING } from '../shared/tables.ts'
import type { SqliteConnection } from './connection.ts'
import { lastIdOf, setLastId } from './contents.ts'

/** More than one commit gives. */
const LEFT_OUT = 1_000n

/** Where Litestream runs beside the store: for a service at its start. */
export function beginNewCopy({ database }: SqliteConnection): void {
  const { filename } = database
  const name = join(dirname(filename), `.${basename(filename)}-litestream`, 'generation')
  if (!existsSync(name)) return
  try {
    // The commit takes the place of the unknown one in the log, whose ids are given to nobody else.
    const leaveOut = (table: string) => setLastId(database, table, lastIdOf(database, table) + LEFT_OUT)
    database.transaction(() => ASSIGNING.forEach(leaveOut)).immediate()
    rmSync(name, { force: true })
  } catch {
    // A full disk is no reason not to serve. Where the copy is bad, petstore check-backup says so.
  }
}
