// The functions and triggers of PostgreSQL: src/store/postgres/functions/ alone makes all of them, whatever schema a database comes from,
// and the rights on them that an operator has granted stay.

import { beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../src/store/kinds.ts'
import { FUNCTIONS, NEWEST_VERSION } from '../src/store/postgres/schema.ts'
import { sharedCluster } from './support/postgres.ts'

const MIGRATIONS = join(import.meta.dir, '../src/store/postgres/migrations')
const migrations = readdirSync(MIGRATIONS)
  .sort()
  .map((file) => readFileSync(join(MIGRATIONS, file), 'utf8'))

const DEFINITIONS = `
  SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  ORDER BY 1`
const RIGHTS = `
  SELECT oid::regprocedure::text AS name, proowner::regrole::text AS owner, proacl::text AS rights
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`
/** As an operator may: another owner, and nobody may call a function who was not granted it. */
const RESTRICT = `
  ALTER FUNCTION petstore_take_turns() OWNER TO keeper;
  REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO clerk`

const cluster = await sharedCluster()

async function newDatabase() {
  const address = await cluster.newDatabase()
  const ask = <Row extends object>(statement: string) =>
    cluster.asAdmin(
      async (sql) => Array.from(await sql.unsafe(statement)) as unknown as Row[],
      new URL(address).pathname.slice(1),
    )
  const open = async () => (await openStore(address, { now: Date.now })).close()
  const definitions = async () => (await ask<{ definition: string }>(DEFINITIONS)).map(({ definition }) => definition)
  return { ask, open, definitions }
}

let fresh: Awaited<ReturnType<typeof newDatabase>>
let definitions: string[]

beforeAll(async () => {
  await cluster.asAdmin((sql) => sql.unsafe('CREATE ROLE keeper; CREATE ROLE clerk'))
  fresh = await newDatabase()
  await fresh.open()
  definitions = await fresh.definitions()
})

test('none stands in a migration alone', async () => {
  expect(definitions.length).toBeGreaterThan(0)
  await fresh.ask(`DO $$
    DECLARE name text;
    BEGIN
      FOR name IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'public'::regnamespace LOOP
        EXECUTE format('DROP FUNCTION IF EXISTS %s CASCADE', name);
      END LOOP;
    END $$`)
  expect(await fresh.definitions()).toEqual([])
  await fresh.ask(`BEGIN; ${FUNCTIONS.join('\n')} COMMIT`)
  expect(await fresh.definitions()).toEqual(definitions)
})

/** Those of schema 14, which had a trigger more. */
const OF_14 = [
  ...FUNCTIONS,
  `CREATE FUNCTION petstore_order_events() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
   CREATE TRIGGER petstore_order_events AFTER INSERT ON order_transitions FOR EACH STATEMENT EXECUTE FUNCTION petstore_order_events();`,
]
const older = Array.from({ length: NEWEST_VERSION - 1 }, (_, index) => index + 1)

test.each(older)(
  'a database of schema %d gets those of a new one, and keeps the rights on its own',
  async (version) => {
    const { ask, open, definitions: ofThisOne } = await newDatabase()
    for (const sql of migrations.slice(0, version)) await ask(`BEGIN; ${sql} COMMIT`)
    const ofBefore = version === 14 ? OF_14 : version === NEWEST_VERSION - 1 ? FUNCTIONS : []
    // Some need columns that came later.
    if (ofBefore.length > 0) await ask(`BEGIN; SET check_function_bodies = off; ${ofBefore.join('\n')} COMMIT`)
    await ask(`CREATE TABLE petstore_schema AS SELECT ${version} AS version`)
    await ask(RESTRICT)
    const before = await ask<{ name: string }>(RIGHTS)
    await open()
    expect(await ofThisOne()).toEqual(definitions)
    const after = await ask<{ name: string }>(RIGHTS)
    const kept = before.filter(({ name }) => after.some((other) => other.name === name))
    expect(kept.length).toBeGreaterThan(0)
    expect(after).toEqual(expect.arrayContaining(kept))
  },
)
