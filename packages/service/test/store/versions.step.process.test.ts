// The step from schema 17 to that of 1.0.0 in a file: what it says, what it makes, and that the store stays as it is unless the step comes to
// its end. What the store then holds is packages/service/test/store/versions.process.test.ts.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { temporaryFile } from '../../../../test/support/files.ts'
import { launcher, run, serve } from '../../../../test/support/process.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { fixtureFile, fixtureJson } from '../../../../test/support/store-fixtures.ts'
import { beside } from '../../../../test/support/stores.ts'
import { kindOf, openStore } from '../../src/store/kinds.ts'
import { FIRST_VERSION, STEP_VERSION } from '../../src/store/shared/versions.ts'
import { fileVersion } from '../../src/store/sqlite/connection.ts'
import { inUse } from '../../src/store/sqlite/file-checks.ts'
import { NEWEST_VERSION } from '../../src/store/sqlite/schema.ts'

const strace = Bun.which('strace')
const KEPT = 'petstore.db.schema-17'
const PETS = fixtureJson<{ pets: unknown[] }>('sqlite-17', 'contents').pets.length

const migrate = (path: string, flag = '--apply', command = [launcher]) =>
  run(['migrate', flag, '--database', path], { command })

/** Of schema 17, in which a killed service has left its log; with more pets than are written at once. */
function oldStore(pets = 0): string {
  const path = fixtureFile(STEP_VERSION)
  if (pets === 0) return path
  using database = new Database(path)
  database.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${pets})
    INSERT INTO pets (name, category_id, status, created_at, created_by) SELECT 'Rex ' || i, i, 'sold', i, 1 FROM n`)
  return path
}

/** Without what SQLite has beside a file. */
const besides = (path: string) => beside(path).filter((name) => name.includes('schema'))

const countIn = (path: string) => {
  using database = new Database(path, { readonly: true })
  return database.query<{ n: number }, []>('SELECT count(*) AS n FROM pets').get()?.n
}

describe('a file of schema 17', () => {
  test('is named by --check, with what the step takes; nothing is changed', async () => {
    const path = oldStore()
    for (const _ of [1, 2]) {
      const { status, stdout } = await migrate(path, '--check')
      expect(status).toBe(1)
      expect(stdout).toMatch(
        new RegExp(
          `schema 17 of ${NEWEST_VERSION}\\. .* with 42 pets and 6 orders, takes about 1 s and 1 MB of room; stop all`,
        ),
      )
    }
    expect(fileVersion(path)).toBe(STEP_VERSION)
  })

  test('becomes what a new file is, and is kept as it was: whoever goes back gives it its name again', async () => {
    const path = oldStore()
    const { status, stdout, stderr } = await migrate(path)
    expect(status).toBe(0)
    expect(stderr).toMatch(
      /takes about 1 s and 1 MB of room; \d+ MB are free[\s\S]*it is kept as \S+petstore\.db\.schema-17: /,
    )
    expect(stderr).toMatch(/step to schema 21: the words of 48 of 48 rows written/)
    expect(stdout).toContain(`schema ${NEWEST_VERSION}, up to date`)
    expect(besides(path)).toEqual([KEPT])
    const fresh = temporaryFile('fresh.db')
    await migrate(fresh)
    expect(schemaOf(path)).toEqual(schemaOf(fresh))

    renameSync(`${path}.schema-17`, path)
    expect([fileVersion(path), countIn(path)]).toEqual([STEP_VERSION, PETS])
  })

  test('is brought there by a service that starts, too, which logs it', async () => {
    const path = oldStore()
    const service = await serve(['--database', path])
    await service.stop()
    expect(service.stderr()).toContain('"msg":')
    expect(service.stderr()).toMatch(/from schema 17 to 21[\s\S]*it is kept as/)
    expect(fileVersion(path)).toBe(NEWEST_VERSION)
  })

  test('is brought there by a copy of it, too, which shows its progress', async () => {
    const [path, to] = [oldStore(), temporaryFile('to.db')]
    const { status, stdout, stderr } = await run(['copy', '--from', path, '--to', to])
    expect([status, stdout]).toEqual([0, expect.stringContaining(`${PETS} pets`)])
    expect(stderr).toMatch(
      /from schema 17 to 21, with 42 pets and 6 orders[\s\S]*the words of 48 of 48 rows[\s\S]*it is kept as/,
    )
    expect([fileVersion(path), fileVersion(to), besides(path)]).toEqual([NEWEST_VERSION, NEWEST_VERSION, [KEPT]])
  })

  test('is refused while a server of before has it open, which goes on', async () => {
    const path = oldStore()
    using server = new Database(path)
    server.run('PRAGMA journal_mode = WAL')
    const count = () => server.query<{ n: number }, []>('SELECT count(*) AS n FROM pets').get()?.n
    expect(count()).toBe(PETS)
    const { status, stderr } = await migrate(path)
    expect([status, stderr]).toEqual([1, expect.stringContaining(inUse(path).message)])
    server.run("INSERT INTO pets (name, category_id, status, created_at, created_by) VALUES ('Rex', 1, 'sold', 1, 1)")
    expect([count(), besides(path)]).toEqual([PETS + 1, []])
  })

  test('is not overwritten where an earlier one is kept', async () => {
    const path = oldStore()
    writeFileSync(`${path}.schema-17`, 'kept')
    const { status, stderr } = await migrate(path)
    expect([status, stderr]).toEqual([1, expect.stringContaining('is in the way')])
    expect([fileVersion(path), readFileSync(`${path}.schema-17`, 'utf8')]).toEqual([STEP_VERSION, 'kept'])
  })

  test('that lacks a table is refused, and stays as it is', async () => {
    const path = oldStore()
    using database = new Database(path)
    database.run('DROP TABLE changed_pets')
    database.close()
    const { status, stderr } = await migrate(path)
    expect([status, stderr]).toEqual([1, expect.stringContaining('lacks a part of schema 17')])
    expect([fileVersion(path), countIn(path)]).toEqual([STEP_VERSION, PETS])
  })

  test('in a backup takes the step when it is restored; the backup stays as it is', async () => {
    const [path, backup, to] = [oldStore(), temporaryFile('backup.db'), temporaryFile('petstore.db')]
    expect((await run(['backup', backup, '--database', path])).status).toBe(0)
    const bytes = readFileSync(backup)
    const { status, stdout } = await run(['restore', backup, '--database', to, '--skip-ids', '1000'])
    expect([status, stdout]).toEqual([0, expect.stringContaining(String(PETS))])
    expect([fileVersion(to), countIn(to), besides(to)]).toEqual([FIRST_VERSION, PETS, []])
    expect(readFileSync(backup)).toEqual(bytes)
  })

  test('must take the step before ids are left out', async () => {
    const path = oldStore()
    const recovery = { skipIds: 1n, revoke: async () => [] }
    const { message } = await rejectionOf(kindOf(path).recover(path, recovery))
    expect(message).toContain('has schema 17: run petstore migrate --apply first')
  })
})

describe.skipIf(!strace)(`the step that does not come to its end${strace ? '' : ' (strace is not installed)'}`, () => {
  const under = (inject: string, traced = inject.split(':')[0]) => [
    strace as string,
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${traced}`,
    '-e',
    `inject=${inject}`,
    launcher,
  ]

  for (const [when, calls, isDone] of [
    ['at the beginning', 'pwrite64:signal=SIGKILL:when=20', false],
    ['between its rows', 'pwrite64:signal=SIGKILL:when=500', false],
    ['before it is on disk', 'fsync:signal=SIGKILL:when=1', false],
    ['before it gets its name', 'renameat2:signal=SIGKILL:when=1', false],
    ['before the store of before gets its own', '?rename,?renameat:signal=SIGKILL:when=1', true],
  ] as const) {
    test(`killed ${when}: the store is ${isDone ? 'the new one' : 'as it was'}, and the next start finds all of it`, async () => {
      const path = oldStore(20_000)
      expect((await migrate(path, '--apply', under(calls))).status).not.toBe(0)
      expect(fileVersion(path)).toBe(isDone ? FIRST_VERSION : STEP_VERSION)
      expect(countIn(path)).toBe(PETS + 20_000)
      expect((await migrate(path)).status).toBe(0)
      const store = await openStore(path, { now: Date.now })
      const { available, pending, sold } = await store.getInventory()
      await store.close()
      expect(available + pending + sold).toBe(BigInt(PETS + 20_000))
      if (!isDone) expect(besides(path)).toEqual([KEPT])
    })
  }

  for (const error of ['ENOSPC', 'EIO']) {
    test(`a disk that fails (${error}) leaves the store as it was, and nothing beside it`, async () => {
      const path = oldStore(20_000)
      const { status, stderr } = await migrate(path, '--apply', under(`pwrite64:error=${error}:when=500+`))
      expect([status, stderr]).toEqual([1, expect.stringContaining('the disk is full or failing')])
      expect(besides(path)).toEqual([])
      expect([fileVersion(path), countIn(path), existsSync(`${path}.schema-17`)]).toEqual([
        STEP_VERSION,
        PETS + 20_000,
        false,
      ])
    })
  }
})

describe('a file of a schema from before the first release', () => {
  test.each([1, 16, 19])('%d is refused by every command, with what to do, and stays as it is', async (version) => {
    const path = oldStore()
    using database = new Database(path)
    database.run(`PRAGMA user_version = ${version}`)
    database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    database.close()
    const bytes = readFileSync(path)
    const commands = [
      ['migrate', '--check'],
      ['migrate', '--apply'],
      ['serve', '--port', '0'],
      ['keys', 'list'],
      ['recovered', '--yes'],
      ['backup', temporaryFile('backup.db')],
    ]
    const refused = [
      ...commands.map((args) => [...args, '--database', path]),
      ['restore', path, '--database', temporaryFile('to.db')],
    ]
    for (const args of refused) {
      const { status, stdout, stderr } = await run(args)
      const sentence =
        version < STEP_VERSION ? 'Open it once with commit 60c4a71' : 'which no version brings to schema 21'
      expect([status, stdout + stderr]).toEqual([
        1,
        expect.stringContaining(`has schema ${version}, from before the first`),
      ])
      expect(stdout + stderr).toContain(sentence)
      expect(readFileSync(path)).toEqual(bytes)
    }
  })
})

function schemaOf(path: string): unknown[] {
  using database = new Database(path, { readonly: true })
  const header = ['application_id', 'user_version', 'journal_mode'].map((name) =>
    database.query(`PRAGMA ${name}`).values(),
  )
  return [header, database.query('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name').values()]
}
