// Random sequences on SQLite: in memory, and on a file that two crashing servers share.

import { Database, SQLiteError } from 'bun:sqlite'
import { afterAll, spyOn } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { sequences } from '../sequences/sequences.ts'

/** Whether the next commit fails before or after it is made. */
let failing: 'before' | 'after' | undefined
const failNextCommit = (after: boolean) => {
  failing = after ? 'after' : 'before'
}
const { query } = Database.prototype
const watched = spyOn(Database.prototype, 'query').mockImplementation(function (this: Database, sql) {
  const statement = query.call(this, sql)
  if (sql !== 'COMMIT') return statement
  const run = () => {
    const when = failing
    failing = undefined
    const done = when === 'before' ? undefined : statement.run()
    if (!when) return done
    const code = when === 'before' ? 'SQLITE_FULL' : 'SQLITE_IOERR_FSYNC'
    throw Object.assign(new Error(code), { name: SQLiteError.name, code })
  }
  return { run }
} as typeof query)
afterAll(() => watched.mockRestore())

sequences(
  'SQLite in memory',
  (use) => {
    let clocks: readonly number[] = []
    return use({
      servers: 1,
      open: (options) => openStore(':memory:', { ...options, now: () => clocks[0] as number }),
      async setClocks(at) {
        clocks = at
      },
    })
  },
  { seed: 1, runs: 40, length: 50 },
)

sequences(
  'SQLite in a file',
  (use) => {
    let path = temporaryFile('petstore.db')
    let clocks: readonly number[] = []
    return use({
      servers: 2,
      open: (options, server) => openStore(path, { ...options, now: () => clocks[server] as number }),
      async setClocks(at) {
        clocks = at
      },
      breakDisk: failNextCommit,
      async crash() {
        const [copy, before] = [temporaryFile('petstore.db'), path]
        // Copies the log first, because a checkpoint can move pages from the log into the file in between.
        for (const end of ['-wal', '']) copyFileSync(before + end, copy + end)
        path = copy
      },
    })
  },
  { seed: 2, runs: 15, length: 50 },
)
