// Idempotency keys in PostgreSQL, which several servers write and delete, by the database's clock.

import { expect, test } from 'bun:test'
import { cluster, PET, storeWithKey } from '../../../../../test/support/postgres-store.ts'
import { until } from '../../../../../test/support/until.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { FORGOTTEN_AFTER_MS, KEPT_MS } from '../../../src/store/shared/rows.ts'

/** A time by the database's clock, a minute longer ago than keys are kept. */
const OVER = `petstore_now() - ${FORGOTTEN_AFTER_MS} - 60000`

test('deletes any number of expired idempotency keys after changes, even if a wrong clock gave others a later time', async () => {
  const { address, store, by, name } = await storeWithKey()
  await store.close()
  const keep = (prefix: string, count: number, at: string) =>
    cluster.run(
      `INSERT INTO idempotency_answers (key_id, key, operation, request, answer, created_at)
          SELECT ${by}, '${prefix}' || n, 'createPet', '{}', '{}', ${at} FROM generate_series(1, ${count}) AS n`,
      name,
    )
  await keep('later', 100, 'petstore_now() + 365 * 86400000::bigint')
  // A clock that jumps by less than seven days shortens the 24 hours of no key.
  await keep('young', 1, `petstore_now() - ${KEPT_MS} - 7 * 86400000::bigint + 60000`)
  await keep('over', 12_000, OVER)
  // The clock of the server does not matter.
  const other = await openStore(address, { now: () => 0 })
  const kept = () =>
    cluster.run(`SELECT DISTINCT rtrim(key, '0123456789') AS key FROM idempotency_answers ORDER BY 1`, name)
  await until('old keys are deleted', async () => {
    await other.createPet(PET, by, 'new')
    return (await kept()).length < 4
  })
  expect((await kept()).map(({ key }) => key)).toEqual(['later', 'new', 'young'])
  await other.close()
})
