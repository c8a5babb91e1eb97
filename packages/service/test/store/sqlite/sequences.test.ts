// Random sequences on SQLite: in memory, and on a file that two servers share. The simulator (endurance/simulate/) tests
// crashes and failing disks.

import { temporaryFile } from '../../../../../test/support/files.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { sequences } from '../sequences/sequences.ts'

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
    const path = temporaryFile('petstore.db')
    let clocks: readonly number[] = []
    return use({
      servers: 2,
      open: (options, server) => openStore(path, { ...options, now: () => clocks[server] as number }),
      async setClocks(at) {
        clocks = at
      },
      lasts: true,
    })
  },
  { seed: 2, runs: 15, length: 50 },
)
