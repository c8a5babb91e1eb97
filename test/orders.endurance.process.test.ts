// The short version of `npm run endurance:orders`: orders race while servers and databases are killed, and nothing is lost,
// done twice or done by half.

import { expect, test } from 'bun:test'
import type { Tally } from '../endurance/order-stores.ts'
import { failOver, killOnPostgres, killOnSqlite } from '../endurance/orders.ts'

function expectSound({ counts, faults }: Tally): void {
  expect(faults).toEqual([])
  expect(Math.min(counts.done, counts.refused)).toBeGreaterThanOrEqual(100)
}

test.concurrent('on SQLite, two servers of one file killed in 4 rounds', async () => {
  const tally = await killOnSqlite(4)
  expectSound(tally)
  expect(tally.counts.replayed).toBeGreaterThan(0)
})

test.concurrent('on PostgreSQL, two servers killed in 2 rounds', async () => {
  expectSound(await killOnPostgres(2))
})

test.concurrent('on PostgreSQL, the primary killed and its standby promoted', async () => {
  expectSound(await failOver(1))
})
