// The feed of events in PostgreSQL: the promises of every store, and what is peculiar to a database of many servers.

import { test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../src/store/kinds.ts'
import { eventsConformance } from './events.conformance.ts'
import { sharedCluster } from './support/postgres.ts'
import { expectTold, OF_17 } from './support/told-events.ts'

const cluster = await sharedCluster()

eventsConformance('PostgreSQL', async () => {
  const address = await cluster.newDatabase()
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
  const address = await cluster.newDatabase()
  const folder = join(import.meta.dir, '../src/store/postgres/migrations')
  await cluster.asAdmin(async (sql) => {
    for (const file of readdirSync(folder).sort().slice(0, 17))
      await sql.unsafe(readFileSync(join(folder, file), 'utf8'))
    await sql.unsafe(`CREATE TABLE petstore_schema AS SELECT 17 AS version; ${OF_17('false')}`)
  }, new URL(address).pathname.slice(1))
  await expectTold(await openStore(address, { now: Date.now }))
})
