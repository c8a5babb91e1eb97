// Random sequences on a PostgreSQL database that two servers share. The simulator (endurance/simulate/) tests crashes and
// lost connections.

import { databaseOf } from '../../../../../test/support/postgres.ts'
import { cluster, withRightsOfServer } from '../../../../../test/support/postgres-store.ts'
import { openStore } from '../../../src/store/kinds.ts'
import type { SETTINGS } from '../../../src/store/postgres/connect/session.ts'
import { sequences } from '../sequences/sequences.ts'

/** Database settings that sessions override. */
const OTHERS: Record<keyof typeof SETTINGS, string> = {
  ...{ default_transaction_isolation: 'serializable', array_nulls: 'off' },
  ...{ client_min_messages: 'error', gin_fuzzy_search_limit: '1' },
}

sequences(
  'PostgreSQL',
  async (use) => {
    const address = await cluster.newStore()
    for (const [name, value] of Object.entries(OTHERS))
      await cluster.run(`ALTER DATABASE ${databaseOf(address)} SET ${name} = '${value}'`)
    const limited = await withRightsOfServer(address)
    let clocks: readonly number[] = []
    await cluster.asAdmin(
      (sql) =>
        use({
          servers: 2,
          hasClock: true,
          lasts: true,
          open: (options, server) => openStore(limited, { ...options, now: () => clocks[server] as number }),
          async setClocks(at) {
            clocks = at
            await sql.unsafe(
              `CREATE OR REPLACE FUNCTION petstore_now() RETURNS bigint LANGUAGE sql VOLATILE RETURN ${at[0]}`,
            )
          },
        }),
      address,
    )
  },
  { seed: 3, runs: 4, length: 50 },
)
