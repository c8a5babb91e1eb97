// Random sequences on a database of PostgreSQL that two servers share, whose connections end.

import { sharedCluster } from '../../../../../test/support/postgres.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { sequences } from '../sequences/sequences.ts'

const cluster = await sharedCluster()

sequences(
  'PostgreSQL',
  async (use) => {
    const address = await cluster.newStore()
    await cluster.asAdmin(
      (sql) =>
        use({
          servers: 2,
          open: (options) => openStore(address, { ...options, now: Date.now }),
          async setClock(at) {
            await sql.unsafe(
              `CREATE OR REPLACE FUNCTION petstore_now() RETURNS bigint LANGUAGE sql VOLATILE RETURN ${at}`,
            )
          },
          async crash() {
            await sql`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid()`
          },
          async lastIds() {
            const [last] = await sql`SELECT petstore_last_pet() AS pet, petstore_last_order() AS "order"`
            return { lastPet: BigInt(last?.pet), lastOrder: BigInt(last?.order) }
          },
        }),
      address,
    )
  },
  { seed: 3, runs: 4, length: 50 },
)
