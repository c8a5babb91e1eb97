// Commands about whole stores, on real ones: `petstore copy` from SQLite to PostgreSQL and back, `petstore migrate`, and
// what backups say to PostgreSQL.

import { Database } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { generateKey, hashKey } from '../src/keys.ts'
import type { NewPet } from '../src/pets.ts'
import { openStore } from '../src/store/open.ts'
import { temporaryFile } from './support/files.ts'
import { sharedCluster } from './support/postgres.ts'
import { run } from './support/process.ts'

const cluster = await sharedCluster()
const TABLES = ['keys', 'pets', 'idempotency_keys', 'deprecated_calls']
const PETS = 2_500

/** A store with something of everything, and an id that was given to an animal which is not there any more. */
async function filledFile(): Promise<string> {
  const path = temporaryFile('petstore.db')
  let at = 1_000
  const store = await openStore(path, { now: () => at++ })
  const newKey = (name: string) => ({
    name,
    hash: hashKey(generateKey('production')),
    readOnly: name === 'b',
    expiresAt: 9e12,
  })
  const keys = await Promise.all(['a', 'b', 'c'].map((name) => store.createKey(newKey(name))))
  const by = keys[0]?.id as bigint
  await store.revokeKey(keys[2]?.id as bigint)
  const statuses = ['available', 'pending', 'sold'] as const
  const pets: NewPet[] = Array.from({ length: PETS }, (_, n) => ({
    name: n % 2 ? `Ada "é" \\ ${n}` : `\u{1F436}\n${n}`,
    categoryId: n % 3 ? BigInt(n) : -(2n ** 63n) + BigInt(n),
    status: statuses[n % 3] as NewPet['status'],
  }))
  await Promise.all(pets.map((pet) => store.createPet(pet, by)))
  for (const key of ['x', 'Y']) await store.createPetOnce(pets[0] as NewPet, by, key)
  await store.countDeprecatedCalls([
    { keyId: by, operationId: 'getPet', calls: 3, lastAt: 5 },
    { keyId: by, operationId: 'Zoo', calls: 3, lastAt: 5 },
  ])
  await store.createPet(pets[0] as NewPet, by)
  await store.close()
  const database = new Database(path)
  database.run(`DELETE FROM pets WHERE id = ${PETS + 3}`)
  database.close()
  return path
}

/** Every value of every row, as text. */
function rowsOfFile(path: string): Record<string, string[]> {
  const database = new Database(path, { safeIntegers: true })
  const rows = TABLES.map((table) => [
    table,
    database
      .query(`SELECT * FROM ${table}`)
      .values()
      .map((row) => row.join('|'))
      .sort(),
  ])
  database.close()
  return Object.fromEntries(rows)
}

function copy(from: string, to: string) {
  return run(['copy', '--from', from, '--to', to])
}

describe('petstore copy', () => {
  let file: string
  let address: string
  beforeAll(async () => {
    file = await filledFile()
    address = await cluster.newDatabase()
  })

  test('moves a file to PostgreSQL and back, with ids, keys and times', async () => {
    const { status, stdout, stderr } = await copy(file, address)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toBe(`Copied and compared: 3 keys, ${PETS + 2} pets, 2 idempotency keys, 2 deprecated calls.\n`)
    const back = temporaryFile('back.db')
    expect((await copy(address, back)).status).toBe(0)
    expect(rowsOfFile(back)).toEqual(rowsOfFile(file))
    for (const where of [address, back]) {
      const store = await openStore(where, { now: Date.now })
      const pet = await store.createPet({ name: 'new', categoryId: 1n, status: 'sold' }, 1n)
      // Also not the id of the animal that was removed.
      expect(pet.id).toBe(BigInt(PETS + 4))
      await store.close()
    }
  }, 30_000)

  test('refuses a target that holds something else, and leaves it as it is', async () => {
    const before = await cluster.asAdmin(
      (sql) => sql`SELECT * FROM pets ORDER BY id`,
      new URL(address).pathname.slice(1),
    )
    const { status, stderr } = await copy(file, address)
    expect(status).toBe(1)
    expect(stderr).toContain('holds other pets than the source')
    const after = await cluster.asAdmin(
      (sql) => sql`SELECT * FROM pets ORDER BY id`,
      new URL(address).pathname.slice(1),
    )
    expect(after).toEqual(before)
  }, 30_000)

  test('interrupted, and run again, it goes on and ends the same', async () => {
    const target = await cluster.newDatabase()
    const name = new URL(target).pathname.slice(1)
    const first = Bun.spawn([process.execPath, 'src/cli/main.ts', 'copy', '--from', file, '--to', target], {
      cwd: `${import.meta.dir}/..`,
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const copied = () =>
      cluster.asAdmin(async (sql) => {
        const [there] = await sql`SELECT to_regclass('pets') IS NOT NULL AS exists`
        return there?.exists ? ((await sql`SELECT count(*)::int AS n FROM pets`)[0]?.n as number) : 0
      }, name)
    while ((await copied()) === 0) await Bun.sleep(1)
    first.kill('SIGKILL')
    await first.exited
    expect((await copy(file, target)).status).toBe(0)
    const back = temporaryFile('back.db')
    expect((await copy(target, back)).status).toBe(0)
    expect(rowsOfFile(back)).toEqual(rowsOfFile(file))
  }, 30_000)

  test('makes nothing where there is no source', async () => {
    const [from, to] = [temporaryFile('nowhere.db'), temporaryFile('target.db')]
    const { status, stderr } = await copy(from, to)
    expect(status).toBe(1)
    expect(stderr).toContain('There is no store at')
    expect(existsSync(from)).toBe(false)
    expect(existsSync(to)).toBe(false)
  })

  test('shows no password', async () => {
    const { status, stderr } = await copy(file, 'postgres://petstore:hunter2@127.0.0.1:1/pets')
    expect(status).toBe(1)
    expect(stderr).toContain('postgres://127.0.0.1:1/pets cannot be used: it cannot be reached')
    expect(stderr).not.toContain('hunter2')
  })
})

test('backup and restore are for files, and show no password', async () => {
  const env = { PETSTORE_DATABASE: 'postgres://petstore:hunter2@127.0.0.1:1/pets' }
  for (const command of ['backup', 'restore']) {
    const { status, stderr } = await run([command, temporaryFile('backup.db')], { env })
    expect(status).toBe(1)
    expect(stderr).toContain('PostgreSQL is backed up with its own tools')
    expect(stderr).not.toContain('hunter2')
  }
})

describe('petstore migrate', () => {
  const stores: [string, () => Promise<string>][] = [
    ['PostgreSQL', async () => cluster.newDatabase()],
    ['a file', async () => temporaryFile('petstore.db')],
  ]
  for (const [what, newStore] of stores) {
    test(`checks without a change, and applies: ${what}`, async () => {
      const env = { PETSTORE_DATABASE: await newStore() }
      const migrate = (flag: string) => run(['migrate', flag], { env })
      for (const _ of [1, 2]) {
        const { status, stdout } = await migrate('--check')
        expect(status).toBe(1)
        expect(stdout).toContain('schema 0 of 2: 2 migrations are to be applied')
      }
      for (const flag of ['--apply', '--apply', '--check']) {
        const { status, stdout } = await migrate(flag)
        expect(status).toBe(0)
        expect(stdout).toContain('schema 2, up to date')
      }
    })
  }

  test('asks for one of its two flags', async () => {
    expect((await run(['migrate'])).status).not.toBe(0)
    expect((await run(['migrate', '--check', '--apply'])).status).toBe(2)
  })
})
