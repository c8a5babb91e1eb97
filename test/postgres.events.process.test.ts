// The feed of events in PostgreSQL: the promises of every store, and what is peculiar to a database of many servers.

import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { openStore } from '../src/store/kinds.ts'
import { eventsConformance } from './events.conformance.ts'
import { allEvents, inventoryOf } from './support/events.ts'
import { newKey } from './support/keys.ts'
import { movedTwice } from './support/moved-twice.ts'
import { sharedCluster } from './support/postgres.ts'

const FOLDER = join(import.meta.dir, '../src/store/postgres/migrations')
const MIGRATIONS = readdirSync(FOLDER).sort()

const cluster = await sharedCluster()

eventsConformance('PostgreSQL', async () => {
  const address = await cluster.newDatabase()
  const name = new URL(address).pathname.slice(1)
  return {
    store: await openStore(address, { now: Date.now }),
    run: (sql) => cluster.asAdmin(async (ask) => Array.from(await ask.unsafe(sql)), name),
  }
})

test('a store that had each move twice loses none', async () => {
  const address = await cluster.newDatabase()
  await cluster.asAdmin(async (sql) => {
    for (const file of MIGRATIONS.slice(0, 14)) await sql.unsafe(readFileSync(join(FOLDER, file), 'utf8'))
    // Without the trigger of that version no event is made: the migration makes all.
    await sql.unsafe(`CREATE TABLE petstore_schema AS SELECT 14 AS version; ${movedTwice('false')}`)
  }, new URL(address).pathname.slice(1))
  const store = await openStore(address, { now: Date.now })
  const events = await allEvents(store)
  expect(events.map(({ id, type, at, by }) => [id, type, Date.parse(at), by].join(' '))).toEqual([
    '1 pet.added 1 till',
    '2 pet.added 2 till',
    '3 order.placed 11 till',
    '4 order.completed 12 till',
    '5 order.returned 13 till',
    '6 order.placed 14 till',
    '7 order.cancelled 15 ',
  ])
  await store.close()
})

test('a row that is put into order_transitions by plain SQL is an event, though its user may do no more', async () => {
  const address = await cluster.newDatabase()
  const name = new URL(address).pathname.slice(1)
  const store = await openStore(address, { now: Date.now })
  await cluster.asAdmin(
    (sql) =>
      sql.unsafe(`${movedTwice('false')};
        CREATE ROLE clerk_${name}; GRANT INSERT ON order_transitions TO clerk_${name}; SET ROLE clerk_${name};
        INSERT INTO order_transitions (order_id, status, at) VALUES (2, 'expired', 16); RESET ROLE`),
    name,
  )
  expect((await allEvents(store)).slice(-2)).toMatchObject([
    { id: 7n, type: 'order.cancelled', orderId: 2n },
    { id: 8n, type: 'order.expired', orderId: 2n },
  ])
  await store.close()
})

describe('servers of a version before, with the rights that it asked for', () => {
  const PLACED = [{ pet_id: '1', key_id: '1' }]
  // As schemas 4 to 6, and schemas 7 and 8 call them.
  const CALLS = [
    [
      'SELECT id, status FROM petstore_change_orders($1::text::bigint[], $2::text::text[], $3::text::bigint[], $4::text::json, 0, 0)',
      (ids: string, to: string) => [`{${ids}}`, `{${to}}`, ids ? '{1}' : '{}', JSON.stringify(ids ? [] : PLACED)],
    ],
    [
      "SELECT id, status FROM petstore_change_orders('{1}', $1::text::bigint[], $2::text::text[], $3::text::bigint[], NULL, $4::text::json)",
      (ids: string, to: string) => [`{${ids}}`, `{${to}}`, ids ? '{1}' : '{}', JSON.stringify(ids ? [] : PLACED)],
    ],
  ] as const

  test.each(CALLS)('what they do to orders and pets is in the feed: %s', async (statement, parameters) => {
    const address = await cluster.newDatabase()
    const name = new URL(address).pathname.slice(1)
    const store = await openStore(address, { now: Date.now })
    await store.createKey(newKey({ name: 'till' }))
    const role = `old_${name}`
    await cluster.asAdmin(
      (sql) =>
        sql.unsafe(`CREATE ROLE ${role} LOGIN; GRANT SELECT, INSERT, UPDATE (status) ON pets TO ${role};
          GRANT SELECT, INSERT, UPDATE ON orders, keys TO ${role}; GRANT INSERT ON order_transitions TO ${role};
          GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_answers TO ${role}`),
      name,
    )
    const old = postgres(address.replace('postgres@', `${role}@`), { max: 1 })
    const add = () =>
      old`INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('Rex', 7, 'available', 0, 1)`
    await add()
    await old.unsafe(statement, [...parameters('', '')])
    await add()
    await old.unsafe(statement, [...parameters('1', 'completed')])
    await store.returnOrder(1n, 1n)
    const events = await allEvents(store)
    expect(events.map(({ type, petId, orderId, by }) => [type, petId, orderId, by].join(' '))).toEqual([
      'pet.added 1  till',
      'order.placed 1 1 till',
      'pet.added 2  till',
      'order.completed 1 1 till',
      'order.returned 1 1 till',
    ])
    expect(inventoryOf(events)).toEqual(await store.getInventory())
    await old.end()
    await store.close()
  })
})
