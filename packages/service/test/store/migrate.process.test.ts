// `petstore migrate` on both kinds of stores, and migrations by the next version, which has one more
// (test/support/next-version.ts).

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import type postgres from 'postgres'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { freePort } from '../../../../test/support/ports.ts'
import { sharedCluster, untilWaiting } from '../../../../test/support/postgres.ts'
import { answers, nextVersion, run, serve, start } from '../../../../test/support/process.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { until } from '../../../../test/support/until.ts'
import { kindOf, migrateStore, openStore } from '../../src/store/kinds.ts'
import { parsePostgresAddress } from '../../src/store/postgres/address.ts'
import { writableHost } from '../../src/store/postgres/connect/hosts.ts'
import { migrate } from '../../src/store/postgres/schema/schema.ts'
import { FIRST_VERSION } from '../../src/store/shared/schema-versions.ts'
import { NEWEST_VERSION } from '../../src/store/sqlite/schema/schema.ts'

const cluster = await sharedCluster()

function emptyFile(): string {
  const path = temporaryFile('petstore.db')
  writeFileSync(path, '')
  return path
}

describe('petstore migrate', () => {
  const stores = Object.entries({ PostgreSQL: () => cluster.newDatabase(), 'an empty file': async () => emptyFile() })
  test.each(['--check', '--apply'])('%s fails for a file that does not exist', async (flag) => {
    const database = temporaryFile('petstore.db')
    const { status, stdout, stderr } = await run(['migrate', flag, '--database', database])
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('There is no store at /')])
    expect(existsSync(database)).toBe(false)
  })

  for (const [what, newStore] of stores) {
    test(`--check changes nothing and --apply migrates ${what}`, async () => {
      const env = { PETSTORE_DATABASE: await newStore() }
      const migrate = (flag: string) => run(['migrate', flag], { env })
      for (const _ of [1, 2]) {
        const { status, stdout } = await migrate('--check')
        expect(status).toBe(1)
        expect(stdout).toContain(`schema 0 of ${NEWEST_VERSION}. Run petstore migrate --apply`)
      }
      for (const flag of ['--apply', '--apply', '--check']) {
        const { status, stdout } = await migrate(flag)
        expect(status).toBe(0)
        expect(stdout).toContain(`schema ${NEWEST_VERSION}, up to date`)
      }
    })
  }
})

const MIGRATED = `the schema was migrated from ${NEWEST_VERSION} to ${NEWEST_VERSION + 1}`
const versionOf = async (address: string) => (await kindOf(address).schema(address)).version
const inDatabase = (address: string, sql: string) => cluster.run(sql, address)

async function storeFile(version = NEWEST_VERSION): Promise<string> {
  const path = emptyFile()
  if (version === NEWEST_VERSION) await migrateStore(path)
  else await next(path, ['migrate', '--apply'])
  return path
}

/** Runs `use` while a lock keeps the store from being migrated. */
async function lockedFor<Result>(address: string, use: () => Promise<Result>): Promise<Result> {
  if (address.startsWith('postgres')) {
    const locking = async () => ({ result: await use() })
    return (await cluster.locked(address, locking, 'SELECT pg_advisory_xact_lock(1346720851, 0)')).result
  }
  using database = new Database(address)
  database.run('BEGIN IMMEDIATE')
  return await use()
}

/** Runs a command of the next version. */
function next(address: string, args: string[], env: Record<string, string> = {}, before: string[] = []) {
  return run(args, { env: { PETSTORE_DATABASE: address, ...env }, command: [...before, ...nextVersion] })
}

describe.each([
  ['a file', storeFile],
  ['PostgreSQL', () => cluster.newStore()],
])('the next version migrates %s', (_, newStore) => {
  test('and reports it, and then this version rejects the store', async () => {
    const address = await newStore()
    expect(await next(address, ['migrate', '--check'])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(`${NEWEST_VERSION} of ${NEWEST_VERSION + 1}. Run petstore migrate --apply.`),
    })
    const migrated = { stdout: expect.stringContaining('up to date'), stderr: expect.stringContaining(MIGRATED) }
    expect(await next(address, ['migrate', '--apply'])).toMatchObject({ status: 0, ...migrated })
    expect(await run(['migrate', '--check'], { env: { PETSTORE_DATABASE: address } })).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('was written by a newer petstore'),
    })
  })

  test('or leaves it unchanged if a statement fails', async () => {
    const address = await newStore()
    const NEXT_MIGRATION = 'CREATE TABLE half (id integer);'
    const failing = `${NEXT_MIGRATION} INSERT INTO nothing VALUES (1)`
    expect((await next(address, ['migrate', '--apply'], { NEXT_MIGRATION: failing })).status).toBe(1)
    expect(await versionOf(address)).toBe(NEWEST_VERSION)
    expect((await next(address, ['migrate', '--apply'], { NEXT_MIGRATION })).status).toBe(0)
  })

  test('when it starts, which it logs, and answers health checks in the meantime, and 503 to other requests', async () => {
    const address = await newStore()
    const port = freePort()
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { method: path === '/' ? 'HEAD' : 'GET' })
    const starting = await lockedFor(address, async () => {
      const starting = start(['serve', '--port', `${port}`], {
        env: { PETSTORE_DATABASE: address },
        command: nextVersion,
      })
      await until('it listens', () => answers(`http://127.0.0.1:${port}/`))
      expect((await get('/healthz')).status).toBe(200)
      for (const path of ['/readyz', '/v1/pets', '/none', '/']) {
        const { status, headers } = await get(path)
        expect([path, status, headers.get('Retry-After')]).toEqual([path, 503, '1'])
      }
      return { starting }
    })
    const service = await starting.starting
    expect((await get('/none')).status).toBe(404)
    await service.stop()
    expect(service.stderr()).toMatch(new RegExp(`"msg":"[^"]*${MIGRATED}"`))
  })

  test('while a server that shares its port gets all requests', async () => {
    const env = { PETSTORE_DATABASE: await newStore(), PETSTORE_SHARE_PORT: 'yes' }
    const old = await serve([], { env })
    const { port } = new URL(old.url)
    const adminPort = String(freePort())
    const statuses = await lockedFor(env.PETSTORE_DATABASE, async () => {
      void start(['serve', '--port', port], { env: { ...env, PETSTORE_ADMIN_PORT: adminPort }, command: nextVersion })
      await until('it waits for the store', () => answers(`http://127.0.0.1:${adminPort}/`))
      const lists = Array.from({ length: 40 }, () => fetch(new URL('/readyz', old.url), { keepalive: false }))
      return new Set((await Promise.all(lists)).map(({ status }) => status))
    })
    expect([...statuses]).toEqual([200])
  })

  test('but not by other commands, which use the older schema or name the command to run', async () => {
    const address = await newStore()
    const isFile = !address.startsWith('postgres')
    const to = temporaryFile('to.db')
    const backup = temporaryFile('backup.db')
    const refused = ['keys list', 'deprecated', `copy --from ${address} --to ${to}`]
    refused.push(`copy --from ${await storeFile(NEWEST_VERSION + 1)} --to ${address}`)
    const advice = `has schema ${NEWEST_VERSION}, but this version needs ${NEWEST_VERSION + 1}: run petstore migrate --apply`
    for (const args of refused) {
      const { status, stderr } = await next(address, args.split(' '))
      expect([args, status, stderr]).toEqual([args, 1, expect.stringContaining(advice)])
    }
    expect(existsSync(to)).toBe(false)
    const files = [`backup ${backup}`, `check-backup ${backup}`, `restore ${backup}`]
    for (const args of [...(isFile ? files : []), 'recovered --yes']) {
      const { status, stderr } = await next(address, args.split(' '))
      expect([args, status, stderr]).toEqual([args, 0, ''])
    }
    expect(await versionOf(address)).toBe(NEWEST_VERSION)
  })

  test('rejects a store of a schema from before the first release', async () => {
    const version = FIRST_VERSION - 1
    const address = await newStore()
    if (address.startsWith('postgres')) await inDatabase(address, `UPDATE petstore_schema SET version = ${version}`)
    else {
      using database = new Database(address)
      database.run(`PRAGMA user_version = ${version}`)
    }
    const env = { PETSTORE_DATABASE: address }
    const restore = `restore ${address} --database ${temporaryFile('to.db')}`
    const more = address.startsWith('postgres') ? [] : [restore]
    for (const args of ['migrate --check', 'migrate --apply', 'serve --port 0', 'recovered --yes', ...more]) {
      const { status, stdout, stderr } = await run(args.split(' '), { env })
      const refusal = `has schema ${version}, from before the first release: run petstore migrate --apply of version 1.0.0`
      expect([args, status, stdout + stderr]).toEqual([args, 1, expect.stringContaining(refusal)])
    }
    expect(await versionOf(address)).toBe(version)
  })
})

test('PostgreSQL: a migration prints the grants that a role has lost, and functions keep their owner and rights', async () => {
  const address = await cluster.newStore()
  await inDatabase(
    address,
    `DO $$ BEGIN CREATE ROLE till LOGIN; EXCEPTION WHEN duplicate_object THEN END $$;
     GRANT ALL ON ALL TABLES IN SCHEMA public TO till;
     ALTER FUNCTION petstore_take_turns() OWNER TO till; REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
     GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO till`,
  )
  const functions = () =>
    inDatabase(
      address,
      `SELECT oid::regprocedure::text AS name, proowner::regrole::text AS owner, proacl::text AS rights
       FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`,
    )
  const before = await functions()
  const NEXT_MIGRATION = `DROP TABLE deprecated_calls; CREATE TABLE deprecated_calls
    (key_id bigint, operation_id text, calls bigint, last_at bigint, PRIMARY KEY (key_id, operation_id))`
  const { stderr } = await next(address, ['migrate', '--apply'], { NEXT_MIGRATION })
  expect(await functions()).toEqual(before)
  expect(stderr).toContain('till needs these rights now:')
  const asTill = address.replace('postgres@', 'till@')
  const till = () => next(asTill, ['keys', 'list'])
  expect((await till()).stderr).toContain('lacks privileges (SELECT ON deprecated_calls')
  await inDatabase(address, stderr.match(/GRANT .*;/g)?.join('\n') ?? '')
  expect((await till()).status).toBe(0)
})

const NEXT = { NEXT_MIGRATION: 'ALTER TABLE pets ADD COLUMN extra text' }
const reading = <Result>(address: string, use: (sql: postgres.TransactionSql) => Promise<Result>) =>
  cluster.locked(address, use, 'LOCK TABLE pets IN ACCESS SHARE MODE')

test('lets writes continue, shows the session that holds the lock, and ends after it', async () => {
  const address = await cluster.newStore()
  const store = await openStore(address, { now: Date.now })
  const { id } = await store.createKey(newKey())
  let ending: ReturnType<typeof next> | undefined
  const reader = await reading(address, async (sql) => {
    const [backend] = await sql`SELECT pg_backend_pid() AS pid`
    ending = next(address, ['migrate', '--apply'], NEXT)
    await untilWaiting(sql, 1, 'relation')
    for (let pets = 0; pets < 5; pets++) await store.createPet(newPet(), id)
    return backend?.pid
  })
  const holder = `pid ${reader} \\(role postgres, application "postgres.js", since 20\\S+Z\\)`
  const waited = expect.stringMatching(new RegExp(`the migration waits for a lock that ${holder} holds\\n`))
  expect(await ending).toMatchObject({ status: 0, stderr: waited })
  expect(await versionOf(address)).toBe(NEWEST_VERSION + 1)
  await store.close()
})

test('PostgreSQL: while another session reads, a migration leaves no waiting process in the database if it is killed', async () => {
  const address = await cluster.newStore()
  await reading(address, async (sql) => {
    const env = { ...process.env, ...NEXT, PETSTORE_DATABASE: address }
    const command = Bun.spawn([...nextVersion, 'migrate', '--apply'], { env })
    const [backend] = await untilWaiting(sql, 1, 'relation')
    command.kill('SIGKILL')
    await until('its backend has ended', async () => {
      const [found] = await cluster.run(`SELECT FROM pg_stat_activity WHERE pid = ${backend?.pid}`)
      return found === undefined
    })
  })
  expect(await versionOf(address)).toBe(NEWEST_VERSION)
})

test('PostgreSQL: while another session reads, a migration fails in the end, and shows the session that holds the lock', async () => {
  const address = await cluster.newDatabase()
  const reason = await cluster.locked(address, async (sql) => {
    const [holder] = await sql`SELECT pg_backend_pid() AS pid`
    const [parsed, host] = [parsePostgresAddress(address), await writableHost(parsePostgresAddress(address))]
    const { message } = await rejectionOf(migrate(parsed, host, { waitMs: 0 }))
    return message.replace(holder?.pid, 'PID')
  })
  expect(reason).toContain(
    'its migration needs a lock that pid PID (role postgres, application "postgres.js", since 20',
  )
})
