// postgres/schema/functions.sql creates every function and trigger of a store. migrate.process.test.ts tests
// their rights after a migration.

import { expect, test } from 'bun:test'
import { sharedCluster } from '../../../../../test/support/postgres.ts'
import { openStore } from '../../../src/store/kinds.ts'
import { FUNCTIONS } from '../../../src/store/postgres/schema/schema.ts'

const DEFINITIONS = `
  SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  ORDER BY 1`

test('no function or trigger comes from a migration only', async () => {
  const cluster = await sharedCluster()
  const address = await cluster.newDatabase()
  await (await openStore(address, { now: Date.now })).close()
  await cluster.asAdmin(async (sql) => {
    const definitions = () => sql.unsafe(DEFINITIONS).values()
    const before = await definitions()
    expect(before.length).toBeGreaterThan(0)
    await sql.unsafe(`DO $$
      DECLARE name text;
      BEGIN
        FOR name IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'public'::regnamespace LOOP
          EXECUTE format('DROP FUNCTION IF EXISTS %s CASCADE', name);
        END LOOP;
      END $$`)
    expect(await definitions()).toHaveLength(0)
    await sql.unsafe(`BEGIN; ${FUNCTIONS} COMMIT`)
    expect(await definitions()).toEqual(before)
  }, address)
})
