// Every response belongs to its statement behind a real PgBouncer in transaction mode.

import { describe, expect, test } from 'bun:test'
import postgres from 'postgres'
import { recordPiece } from '../../../../../endurance/history/record.ts'
import { inWords } from '../../../../../endurance/history/words.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { PgBouncer, pgbouncerVersion } from '../../../../../test/support/pgbouncer.ts'
import { databaseOf, sharedCluster } from '../../../../../test/support/postgres.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { kindOf, openStore } from '../../../src/store/kinds.ts'

const now = Date.now
const cluster = await sharedCluster()

describe.skipIf(!pgbouncerVersion)(
  pgbouncerVersion ? `behind PgBouncer ${pgbouncerVersion}` : 'behind PgBouncer (not installed)',
  () => {
    // A short version of `npm run endurance -- history --store pgbouncer`.
    test('one order of all changes explains every response while connections, the pooler and the database are killed', async () => {
      const breaks = ['connections cut', 'the pooler killed', 'the database killed']
      const { faults, broken, checked } = await recordPiece('pgbouncer', { seed: 3, operations: 1_500, breaks })
      expect(faults.map(inWords)).toEqual([])
      expect(broken.length).toBeGreaterThan(0)
      expect(checked).toBeGreaterThan(0)
    })

    test('created and revoked keys are stored, and no prepared statement remains in the database', async () => {
      const pooler = await PgBouncer.start(cluster.port)
      const address = await cluster.newStore()
      const [store, other] = [await openStore(pooler.through(address), { now }), await openStore(address, { now })]
      const ids: bigint[] = []
      for (let n = 0; n < 12; n++) {
        // Concurrent lists make the next transaction use another connection.
        const lists = Array.from({ length: 8 }, (_, limit) => store.listPets(petFilter({ limit: limit + 1 })))
        const [{ id }] = await Promise.all([store.createKey(newKey({ name: `key ${n}` })), ...lists])
        ids.push(id)
        if (n % 2 === 0) await store.revokeKey(id)
      }
      const found = (await other.listKeys()).map(({ id, revokedAt }) => [id, revokedAt !== undefined] as const)
      expect(found).toEqual(ids.map((id, n) => [id, n % 2 === 0]))
      expect(await preparedThrough(pooler.through(address))).toBe(0)
      await Promise.all([store.close(), other.close()])
      await pooler.stop()
    })

    test('rejects a setting that sessions cannot change behind the pooler', async () => {
      const pooler = await PgBouncer.start(cluster.port)
      const address = await cluster.newStore()
      const setting = `ALTER DATABASE ${databaseOf(address)} SET array_nulls = off`
      await cluster.run(setting)
      const refused = await rejectionOf(openStore(pooler.through(address), { now }))
      expect(refused.message).toMatch(/its array_nulls is 'off': set it to 'on' for the role/)
      await pooler.stop()
    })

    test('no server starts if its statements have no time limit, but commands run', async () => {
      const pooler = await PgBouncer.start(cluster.port)
      const address = pooler.through(await cluster.newStore())
      await (await openStore(address, { now })).close()
      const refused = await rejectionOf(openStore(address, { now, serves: true }))
      expect(refused.message).toContain("statement_timeout is 0. Run ALTER ROLE postgres SET statement_timeout = '2s'")
      await cluster.run(`ALTER DATABASE ${databaseOf(address)} SET statement_timeout = '2s'`)
      await pooler.stop()
      const other = await PgBouncer.start(cluster.port, pooler.port)
      await (await openStore(address, { now, serves: true })).close()
      await other.stop()
    })

    test('recovered sees a server even if PgBouncer adds the address of the client to its name', async () => {
      const pooler = await PgBouncer.start(cluster.port, undefined, 'application_name_add_host = 1')
      const address = await cluster.newStore()
      const store = await openStore(pooler.through(address), { now })
      const recovery = { skipIds: 1n, revoke: async () => [] }
      const refused = await rejectionOf(kindOf(address).recover(address, recovery))
      expect(refused.message).toContain('petstore servers are connected to it')
      await store.close()
      await pooler.stop()
    })
  },
)

/** How many prepared statements the connections of a pooler have. */
async function preparedThrough(address: string): Promise<number> {
  const sql = postgres(address, { max: 8, prepare: false, fetch_types: false })
  const slow = 'SELECT count(*)::int AS n, pg_sleep(0.05) FROM pg_prepared_statements'
  const counting = Array.from({ length: 8 }, () => sql.unsafe(slow))
  const counts = await Promise.all(counting)
  await sql.end({ timeout: 1 })
  return counts.reduce((sum, [row]) => sum + row?.n, 0)
}
