// The functions and triggers of PostgreSQL: src/store/postgres/functions/ alone makes all of them, whatever schema a database comes from,
// and the rights on them that an operator has granted stay.

import { beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../src/store/kinds.ts'
import { FUNCTIONS, NEWEST_VERSION } from '../src/store/postgres/schema.ts'
import { sharedCluster } from './support/postgres.ts'

const FOLDER = join(import.meta.dir, '../src/store/postgres')
const textsOf = (folder: string) =>
  readdirSync(join(FOLDER, folder))
    .sort()
    .map((file) => readFileSync(join(FOLDER, folder, file), 'utf8'))

/**
 * The functions, comments aside, and the schema with which they came. Where the digest differs, they have changed: add a migration, if only
 * for its number, since no database of the newest schema would get the change. Then write that number and the new digest here.
 */
const INSTALLED = { version: 9, digest: '6f78f190fad07032' }

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

test('a function that changes raises the number of the schema', () => {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const text of textsOf('functions')) hasher.update(text.replace(/^ *--.*\n/gm, ''))
  expect(hasher.digest('hex').slice(0, 16)).toBe(INSTALLED.digest)
  expect(INSTALLED.version).toBeLessThanOrEqual(NEWEST_VERSION)
})

test('every file of functions/ is installed', () => {
  expect(new Set<string>(FUNCTIONS)).toEqual(new Set(textsOf('functions')))
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

const older = Array.from({ length: NEWEST_VERSION - 1 }, (_, index) => index + 1)

test.each(older)(
  'a database of schema %d gets those of a new one, and keeps the rights on its own',
  async (version) => {
    const { ask, open, definitions: ofThisOne } = await newDatabase()
    for (const sql of textsOf('migrations').slice(0, version)) await ask(`BEGIN; ${sql} COMMIT`)
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
