// Preload this to add a migration with the statements of `NEXT_MIGRATION`.

import { readFileSync } from 'node:fs'
import { plugin } from 'bun'

const { NEXT_MIGRATION = 'SELECT 1' } = process.env

plugin({
  name: 'next version',
  setup(build) {
    build.onLoad({ filter: /\/store\/(sqlite|postgres)\/schema\/schema\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replace(
        /(?<=MIGRATIONS: .*= \[.*)(?=\])/,
        `, ${JSON.stringify(NEXT_MIGRATION)}`,
      ),
    }))
  },
})
