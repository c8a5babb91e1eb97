// The feed of events in PostgreSQL: the promises of every store, and what is peculiar to a database of many servers.

import { describe, expect, test } from 'bun:test'
import postgres from 'postgres'
import { openStore } from '../src/store/kinds.ts'
import { eventsConformance } from './events.conformance.ts'
import { allEvents, inventoryOf } from './support/events.ts'
import { newKey } from './support/keys.ts'
import { sharedCluster } from './support/postgres.ts'

const cluster = await sharedCluster()

eventsConformance('PostgreSQL', async () => {
  const address = await cluster.newDatabase()
  const name = new URL(address).pathname.slice(1)
  return {
    store: await openStore(address, { now: Date.now }),
    run: (sql) => cluster.asAdmin(async (ask) => Array.from(await ask.unsafe(sql)), name),
  }
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
