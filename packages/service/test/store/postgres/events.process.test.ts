// The feed of events in PostgreSQL: the promises of every store, and what is peculiar to a database of many servers.

import { sharedCluster } from '../../../../../test/support/postgres.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { eventsConformance } from '../events.conformance.ts'

const cluster = await sharedCluster()

eventsConformance('PostgreSQL', async () => {
  const address = await cluster.newStore()
  return {
    store: await openStore(address, { now: Date.now }),
    run: (sql) => cluster.run(sql, address),
  }
})
