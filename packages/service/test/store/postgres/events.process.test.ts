// The feed of events in PostgreSQL: the promises of every store, and what is peculiar to a database of many servers.

import { test } from 'bun:test'
import { expectEventsOf17, OF_17 } from '../../../../../test/support/events-of-17.ts'
import { sharedCluster } from '../../../../../test/support/postgres.ts'
import { fixtureDatabase } from '../../../../../test/support/store-fixtures.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { eventsConformance } from '../events.conformance.ts'

const cluster = await sharedCluster()

eventsConformance('PostgreSQL', async () => {
  const address = await cluster.newStore()
  const name = new URL(address).pathname.slice(1)
  const run = (sql: string) => cluster.asAdmin(async (ask) => Array.from(await ask.unsafe(sql)), name)
  return {
    store: await openStore(address, { now: Date.now }),
    run,
    async setClock(ms) {
      await run(`CREATE OR REPLACE FUNCTION petstore_now() RETURNS bigint LANGUAGE sql VOLATILE
        RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${ms}`)
    },
  }
})

test('a store of schema 17 keeps every event and its id, and the next one goes on', async () => {
  const address = await fixtureDatabase(cluster)
  await cluster.asAdmin(
    (sql) =>
      sql.unsafe(`SET search_path = public; TRUNCATE keys, deprecated_calls, pets, orders, events, changed_pets, idempotency_answers
        RESTART IDENTITY; ${OF_17('false')}`),
    new URL(address).pathname.slice(1),
  )
  await expectEventsOf17(await openStore(address, { now: Date.now }))
})
