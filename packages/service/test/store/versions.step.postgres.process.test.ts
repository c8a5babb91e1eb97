// The step from schema 17 to that of 1.0.0 in PostgreSQL: what it says and makes, and what servers of before can do meanwhile and afterwards. What
// the database then holds is packages/service/test/store/versions.process.test.ts.

import { expect, test } from 'bun:test'
import type postgres from 'postgres'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { dataFolder, NOBODY, sharedCluster, untilWaiting } from '../../../../test/support/postgres.ts'
import { run } from '../../../../test/support/process.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { canMount, smallDisk, WHY_SKIPPED } from '../../../../test/support/small-disk.ts'
import { fillDatabase, fixtureDatabase, fixtureJson } from '../../../../test/support/store-fixtures.ts'
import { kindOf, openStore } from '../../src/store/kinds.ts'
import { STEP_VERSION } from '../../src/store/shared/versions.ts'
import { NEWEST_VERSION } from '../../src/store/sqlite/schema.ts'

const cluster = await sharedCluster()
const PETS = fixtureJson<{ pets: unknown[] }>('postgres-17', 'contents').pets.length
const named = (address: string) => new URL(address).pathname.slice(1)
const admin = <Result>(address: string, use: (sql: postgres.Sql) => Promise<Result>) =>
  cluster.asAdmin(use, named(address))
const migrate = (address: string, flag = '--apply') => run(['migrate', flag], { env: { PETSTORE_DATABASE: address } })
const versionOf = async (address: string) => (await kindOf(address).schema(address)).version

/** All that the catalogue says of tables, indexes, constraints, functions and triggers. */
const CATALOGUE = `
  SELECT concat_ws(' ', table_name, ordinal_position, column_name, data_type, is_nullable, column_default, is_identity, identity_generation)
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT concat_ws(' ', relkind, relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace
  ORDER BY 1`
const catalogue = (address: string) => admin(address, async (sql) => (await sql.unsafe(CATALOGUE).values()).flat())

/** Every row of every table, as text. */
const contents = (address: string) =>
  admin(address, async (sql) => {
    const tables =
      await sql`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`
    return Promise.all(
      tables.map(({ relname }) => sql.unsafe(`SELECT '${relname}', t::text FROM ${relname} AS t ORDER BY 2`).values()),
    )
  })

/** A role that servers use, with all rights on what is there. */
async function grantTill(address: string): Promise<void> {
  await admin(address, (sql) =>
    sql.unsafe(`DO $$ BEGIN CREATE ROLE till LOGIN; EXCEPTION WHEN duplicate_object THEN END $$;
      GRANT ALL ON ALL TABLES IN SCHEMA public TO till`),
  )
}

test('--check says what the step takes; --apply makes what a new database is, and prints the grants that roles need', async () => {
  const [address, fresh] = [await fixtureDatabase(cluster), await cluster.newDatabase()]
  await grantTill(address)
  const checked = await migrate(address, '--check')
  expect([checked.status, await versionOf(address)]).toEqual([1, STEP_VERSION])
  expect(checked.stdout).toMatch(
    /schema 17 of \d+\. .* with 43 pets and 6 orders, takes about 1 s and 1 MB of room; stop all/,
  )

  const { status, stdout, stderr } = await migrate(address)
  expect([status, stdout]).toEqual([0, expect.stringContaining(`schema ${NEWEST_VERSION}, up to date`)])
  expect(stderr).toMatch(/takes about 1 s and 1 MB of room[\s\S]*step to schema 21: 60 events written/)
  await migrate(fresh)
  expect(await catalogue(address)).toEqual(await catalogue(fresh))

  const asTill = address.replace('postgres@', 'till@')
  expect((await rejectionOf(openStore(asTill, { now: Date.now }))).message).toContain('lacks privileges')
  expect(stderr).toContain('till needs these rights now:')
  const granted = stderr.match(/GRANT .*;/g)?.join('\n') ?? ''
  await admin(address, (sql) => sql.unsafe(granted))
  const store = await openStore(asTill, { now: Date.now })
  expect((await store.createPet(newPet(), 1n)).value.id).toBeGreaterThan(BigInt(PETS))
  await store.close()
})

test('copy takes the step with its source, and shows its progress', async () => {
  const from = await fixtureDatabase(cluster)
  const { status, stdout, stderr } = await run(['copy', '--from', from, '--to', temporaryFile('to.db')])
  expect([status, stdout]).toEqual([0, expect.stringContaining(`${PETS} pets`)])
  expect(stderr).toMatch(/from schema 17 to 21, with 43 pets and 6 orders[\s\S]*step to schema 21: 60 events written/)
  expect(await versionOf(from)).toBe(NEWEST_VERSION)
})

test('functions that stay keep their owner and the rights on them', async () => {
  const address = await fixtureDatabase(cluster)
  const rights = () =>
    admin(
      address,
      (sql) => sql`SELECT oid::regprocedure::text AS name, proowner::regrole::text AS owner, proacl::text AS rights
      FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
    )
  await grantTill(address)
  await admin(address, (sql) =>
    sql.unsafe(
      `ALTER FUNCTION petstore_take_turns() OWNER TO till; REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC`,
    ),
  )
  const before = await rights()
  await migrate(address)
  const after = await rights()
  const kept = before.filter(({ name }) => after.some((other) => other.name === name))
  expect(kept.length).toBeGreaterThan(5)
  expect(after).toEqual(expect.arrayContaining(kept))
})

/** What a server of 60c4a71 sends to change something, and where its call is when the step comes. */
const CREATE = `SELECT * FROM petstore_add_pets('{1}'::bigint[],
  '[{"name":"Rex","category_id":1,"status":"sold","created_by":1,"key":"of before","request":"{}"}]'::json)`
const PLACE = `SELECT * FROM petstore_change_orders(
  '{1}'::bigint[], '{}'::bigint[], '{}'::text[], '{}'::bigint[], NULL::text[], '[{"pet_id":16,"key_id":1}]'::json)`
const CORRECT = 'SELECT * FROM petstore_begin_correction(1)'
const EXPIRE = 'SELECT * FROM petstore_expire_orders(10)'

test.each([
  ['a create', CREATE],
  ['an order', PLACE],
  ['a correction', CORRECT],
])('%s of a server of before that waits for the step fails, and writes nothing', async (_, statement) => {
  const address = await fixtureDatabase(cluster)
  await admin(address, async (server) => {
    let migrating: ReturnType<typeof migrate> | undefined
    let waiting: Promise<Error> | undefined
    await admin(address, (sql) =>
      sql.begin(async (holder) => {
        await holder`SELECT pg_advisory_xact_lock(1346720851, 1)`
        migrating = migrate(address)
        await untilWaiting(holder, 1)
        waiting = rejectionOf(server.unsafe(statement) as Promise<unknown>) as Promise<Error>
        await untilWaiting(holder, 2)
      }),
    )
    expect((await migrating)?.status).toBe(0)
    const before = await contents(address)
    expect(await waiting).toMatchObject({ code: '42883' })
    expect(await contents(address)).toEqual(before)
  })
  expect(await versionOf(address)).toBe(NEWEST_VERSION)
})

test('what a server of before does after the step fails, and writes nothing', async () => {
  const address = await fixtureDatabase(cluster)
  await admin(address, async (server) => {
    // Whatever it has prepared, it has prepared before.
    await server.unsafe(CREATE.replace('of before', 'before the step'))
    await migrate(address)
    const before = await contents(address)
    for (const statement of [CREATE, PLACE, EXPIRE, CORRECT]) {
      expect((await rejectionOf(server.unsafe(statement) as Promise<unknown>)).message).toBeString()
      expect(await contents(address)).toEqual(before)
    }
  })
})

test('a step that fails, or whose process is killed, leaves the database as it was', async () => {
  const address = await fixtureDatabase(cluster)
  const before = [await catalogue(address), await contents(address)]
  // In the way of what the step makes last.
  await admin(address, (sql) => sql`CREATE INDEX search_orders_by_word ON orders (id)`)
  expect((await migrate(address)).status).toBe(1)
  await admin(address, (sql) => sql`DROP INDEX search_orders_by_word`)
  expect([await catalogue(address), await contents(address)]).toEqual(before)

  await admin(address, (sql) =>
    sql.begin(async (holder) => {
      // The step waits in its midst, where it takes this table away.
      await holder`LOCK TABLE search_changes IN ACCESS SHARE MODE`
      const migrating = migrate(address)
      const [{ pid } = { pid: 0 }] = await untilWaiting(holder, 1, 'relation')
      await holder`SELECT pg_terminate_backend(${pid})`
      expect((await migrating).status).toBe(1)
    }),
  )
  expect([await catalogue(address), await contents(address)]).toEqual(before)
  expect((await migrate(address)).status).toBe(0)
})

test.skipIf(!canMount)(
  `a disk that is full leaves the database as it was, and the message says what to do${WHY_SKIPPED}`,
  async () => {
    using disk = smallDisk(`size=32m,mode=700,uid=${NOBODY.uid},gid=${NOBODY.gid}`, dataFolder())
    await cluster.asAdmin((sql) => sql.unsafe(`CREATE TABLESPACE small LOCATION '${disk.folder}'`))
    const address = await cluster.newDatabase('TABLESPACE small')
    try {
      await fillDatabase(cluster, named(address))
      await admin(address, (sql) =>
        sql.unsafe(`INSERT INTO pets (name, category_id, status, created_at, created_by)
          SELECT 'Rex ' || i, i, 'sold', i, 1 FROM generate_series(1, 5000) AS i; CHECKPOINT`),
      )
      const before = [await catalogue(address), await contents(address)]
      disk.fill(500_000)
      const { status, stderr } = await migrate(address)
      const sentence = 'cannot be used: its disk is full or failing. Make room'
      expect([status, stderr]).toEqual([1, expect.stringContaining(sentence)])
      expect([await catalogue(address), await contents(address)]).toEqual(before)

      disk.empty()
      expect((await migrate(address)).status).toBe(0)
      expect(await versionOf(address)).toBe(NEWEST_VERSION)
    } finally {
      // Without its files the server could not write a checkpoint, nor make another database.
      await cluster.asAdmin((sql) => sql.unsafe(`DROP DATABASE ${named(address)}`))
      await cluster.asAdmin((sql) => sql.unsafe('DROP TABLESPACE small'))
    }
  },
)

test('a database of a schema from before the first release is refused, with what to do, and stays as it is', async () => {
  const address = await cluster.newDatabase()
  await fillDatabase(cluster, named(address))
  for (const version of [1, 16, 19]) {
    await admin(address, (sql) => sql`UPDATE petstore_schema SET version = ${version}`)
    const before = [await catalogue(address), await contents(address)]
    for (const command of [
      ['migrate', '--check'],
      ['migrate', '--apply'],
      ['serve', '--port', '0'],
      ['recovered', '--yes'],
    ]) {
      const { status, stdout, stderr } = await run(command, { env: { PETSTORE_DATABASE: address } })
      expect([status, stdout + stderr]).toEqual([
        1,
        expect.stringContaining(`has schema ${version}, from before the first release`),
      ])
      expect((stdout + stderr).includes('Open it once with commit 60c4a71')).toBe(version < STEP_VERSION)
    }
    expect([await catalogue(address), await contents(address)]).toEqual(before)
  }
})
