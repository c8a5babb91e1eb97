// Idempotency keys in PostgreSQL, which several servers write and delete, by the database's clock.

import { expect, test } from 'bun:test'
import { cluster, now, PET, storeWithKey } from '../../../../../test/support/postgres-store.ts'
import { until } from '../../../../../test/support/until.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { FORGOTTEN_AFTER_MS, KEPT_MS } from '../../../src/store/shared/idempotency.ts'

/** A time by the database's clock, a minute longer ago than keys are kept. */
const OVER = `petstore_now() - ${FORGOTTEN_AFTER_MS} - 60000`

test('deletes expired idempotency keys after a change', async () => {
  const { address, store, by, name } = await storeWithKey()
  for (const key of ['a', 'b', 'c']) await store.createPet(PET, by, key)
  await store.close()
  const date = (key: string, at: string) =>
    cluster.run(`UPDATE idempotency_answers SET created_at = ${at} WHERE key = '${key}'`, name)
  await date('a', OVER)
  await date('b', OVER)
  await date('c', `petstore_now() - ${KEPT_MS}`)
  // The clock of the server does not matter.
  const other = await openStore(address, { now: () => 0 })
  await other.placeOrder({ petId: 1n }, by, 'd')
  const kept = async () =>
    (await cluster.run('SELECT key FROM idempotency_answers ORDER BY key', name)).map(({ key }) => key)
  await until('old keys are deleted', async () => (await kept()).length <= 2)
  expect(await kept()).toEqual(['c', 'd'])
  await other.close()
})

test('deletes any number of expired idempotency keys, even if a wrong clock gave others a later time', async () => {
  const { address, store, by, name } = await storeWithKey()
  await store.close()
  const keep = (prefix: string, count: number, at: string) =>
    cluster.run(
      `INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
          SELECT ${by}, '${prefix}' || n, 'createPet', '{}', '{}', ${at} FROM generate_series(1, ${count}) AS n`,
      name,
    )
  await keep('later', 100, 'petstore_now() + 365 * 86400000::bigint')
  await keep('over', 12_000, OVER)
  const other = await openStore(address, { now })
  const kept = async () => (await cluster.run('SELECT count(*)::int AS n FROM idempotency_answers', name))[0]?.n
  while ((await kept()) > 100) {
    await other.createPet(PET, by)
    await Bun.sleep(10)
  }
  expect(await kept()).toBe(100)
  await other.close()
})

test('a server with a wrong clock neither deletes nor ignores the idempotency keys of another server', async () => {
  const { address, store, by, name } = await storeWithKey()
  const { value: pet } = await store.createPet(PET, by, 'k')
  const DAY_MS = 86_400_000
  for (const days of [400, -400]) {
    const wrong = await openStore(address, { now: () => Date.now() + days * DAY_MS })
    await wrong.createPet(PET, by)
    const { value: its } = await wrong.createPet(PET, by, `its ${days}`)
    // Deletion runs in the background, and has ended when the store is closed.
    await wrong.close()
    const right = await openStore(address, { now: Date.now })
    await right.createPet(PET, by)
    await right.close()
    for (const server of [store, await openStore(address, { now: () => Date.now() + days * DAY_MS })]) {
      expect(await server.createPet(PET, by, 'k')).toEqual({ value: pet, replayed: true })
      expect(await server.createPet(PET, by, `its ${days}`)).toEqual({ value: its, replayed: true })
      if (server !== store) await server.close()
    }
  }
  const ages = await cluster.run(`SELECT abs(created_at - petstore_now()) < 600000 AS recent FROM pets`, name)
  expect(ages.every(({ recent }) => recent)).toBe(true)
  await store.close()
})
