// Random sequences on SQLite: in memory, and on a file that two crashing servers share.

import { copyFileSync } from 'node:fs'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { sequences } from '../sequences/sequences.ts'

sequences(
  'SQLite in memory',
  (use) => {
    let now = 0
    return use({
      servers: 1,
      open: (options) => openStore(':memory:', { ...options, now: () => now }),
      async setClock(at) {
        now = at
      },
    })
  },
  { seed: 1, runs: 40, length: 50 },
)

sequences(
  'SQLite in a file',
  (use) => {
    let path = temporaryFile('petstore.db')
    let now = 0
    return use({
      servers: 2,
      open: (options) => openStore(path, { ...options, now: () => now }),
      async setClock(at) {
        now = at
      },
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
