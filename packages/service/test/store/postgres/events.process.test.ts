// The feed of events in PostgreSQL: the promises of every store, and what is peculiar to a database of many servers.

import { sharedCluster } from '../../../../../test/support/postgres.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { eventsConformance } from '../events.conformance.ts'

const cluster = await sharedCluster()

eventsConformance('PostgreSQL', async () => {
  const address = await cluster.newStore()
  const run = (sql: string) => cluster.run(sql, address)
  return {
    store: await openStore(address, { now: Date.now }),
    run,
    async setClock(ms) {
      await run(`CREATE OR REPLACE FUNCTION petstore_now() RETURNS bigint LANGUAGE sql VOLATILE
        RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${ms}`)
    },
  }
})
