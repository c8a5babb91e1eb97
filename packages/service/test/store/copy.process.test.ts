// `petstore copy` from SQLite to PostgreSQL and back, including columns that later versions can add.

import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { copy, FIRST_ORDER, filledFile, LATER, PETS, rowsOfFile } from '../../../../test/support/copied-stores.ts'
import { ended } from '../../../../test/support/ended.ts'
import { allEvents } from '../../../../test/support/events.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { newPet, petBody } from '../../../../test/support/pets.ts'
import { databaseOf, sharedCluster } from '../../../../test/support/postgres.ts'
import { ask, launcher, run, serve } from '../../../../test/support/process.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { runOnFile } from '../../../../test/support/sqlite.ts'
import { until } from '../../../../test/support/until.ts'
import { petNotAvailable } from '../../src/domain/decisions/refusal-messages.ts'
import { type CopyProgress, copyStore } from '../../src/store/copy.ts'
import { kindOf, openStore } from '../../src/store/kinds.ts'
import { grants } from '../../src/store/postgres/schema/rights.ts'
import { UNFINISHED_ID } from '../../src/store/sqlite/file/checks.ts'

const cluster = await sharedCluster()

/** Columns that later migrations can add. */
const GROWTH = {
  sqlite: 'ALTER TABLE pets ADD COLUMN note TEXT; ALTER TABLE pets ADD COLUMN tame INTEGER NOT NULL DEFAULT 0;',
  postgres: 'ALTER TABLE pets ADD COLUMN tame boolean NOT NULL DEFAULT false, ADD COLUMN note text;',
}

async function newFile(change: string): Promise<string> {
  const path = temporaryFile('petstore.db')
  await (await openStore(path, { now: Date.now })).close()
  runOnFile(path, change)
  return path
}

async function newDatabase(change: string, options?: string): Promise<string> {
  const address = await cluster.newDatabase(options)
  await (await openStore(address, { now: Date.now })).close()
  await cluster.run(change, address)
  return address
}

describe('petstore copy', () => {
  let file: string
  beforeAll(async () => {
    file = await filledFile()
  })

  test('petstore copy moves a file to PostgreSQL and back, with ids, keys, times and new columns, and leaves tables of other programs unchanged', async () => {
    const file = await filledFile()
    const note = "UPDATE pets SET note = 'note ' || id, tame = id % 2 WHERE id <> 5"
    runOnFile(file, `${GROWTH.sqlite} ${note}; CREATE TABLE _litestream_lock (id INTEGER)`)
    const notes = 'CREATE TABLE notes (text text); INSERT INTO notes VALUES (1)'
    // With an ICU collation, the database sorts texts differently than a file.
    const icu = `LOCALE_PROVIDER icu ICU_LOCALE 'en-US' TEMPLATE template0`
    const address = await newDatabase(`${GROWTH.postgres} ${notes}`, icu)
    const { status, stdout, stderr } = await copy(file, address)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toBe(
      `Copied and compared: 3 keys, ${PETS + 2} pets, 5 orders, ${PETS + 17} events, 7 idempotency answers, 2 deprecated calls, 1 category name.\n`,
    )
    const back = await newFile(`${GROWTH.sqlite} CREATE TABLE _litestream_lock AS SELECT 1 AS id`)
    expect(await copy(address, back)).toMatchObject({ status: 0, stderr: '' })
    expect(rowsOfFile(back)).toEqual(rowsOfFile(file))
    expect(rowsOfFile(back, ['_litestream_lock'])).toEqual({ _litestream_lock: ['1'] })
    expect(await cluster.run('SELECT text FROM notes', address)).toEqual([{ text: '1' }])
    // Cursors are valid in one store only.
    expect(rowsOfFile(back, ['event_epoch'])).not.toEqual(rowsOfFile(file, ['event_epoch']))
    const source = await openStore(file, { now: () => LATER })
    const emitted = await allEvents(source)
    await source.close()
    expect(emitted.length).toBe(PETS + 3 + 14)
    // Otherwise the database considers responses from 1970 expired.
    await cluster.run(`UPDATE idempotency_answers SET created_at = extract(epoch FROM now()) * 1000`, address)
    for (const where of [address, back]) {
      const store = await openStore(where, { now: () => LATER })
      const pets = rowsOfFile(back, ['pets']).pets ?? []
      const count = (status: string) => BigInt(pets.filter((row) => row.split('|').includes(status)).length)
      const [available, pending, sold] = [count('available'), count('pending'), count('sold')]
      expect(await store.getInventory()).toEqual({ available, pending, sold })
      const { value: pet } = await store.createPet(newPet({ name: 'new', status: 'available' }), 1n)
      // The id of the deleted pet is not reused.
      expect(pet.id).toBe(BigInt(PETS + 4))
      const { value: order } = await store.placeOrder({ petId: pet.id }, 1n)
      expect(order.id).toBe(6n)
      // Orders and idempotency keys keep working: a second sale is rejected, and a key replays its first response.
      const { value: first, replayed } = await store.placeOrder(FIRST_ORDER, 1n, 'order 0')
      expect([first.id, first.status, replayed]).toEqual([1n, 'pending', true])
      expect(await rejectionOf(store.placeOrder({ petId: 1n }, 1n))).toMatchObject({
        message: petNotAvailable({ id: 1n, status: 'sold' }, { id: 1n }).message,
      })
      const events = await allEvents(store)
      expect(events.slice(0, -2)).toEqual(emitted)
      expect(await allEvents(store, { orderId: 3n })).toHaveLength(3)
      expect(events.at(-1)).toMatchObject({ type: 'order.placed', orderId: 6n })
      await store.close()
    }
  })

  test('petstore copy leaves a target as it was if it is interrupted', async () => {
    const interrupted = async (to: string) => {
      const onProgress = ({ step, done, total }: CopyProgress) => {
        if (step === 'checking' && done === total) throw new Error('interrupted')
      }
      expect((await rejectionOf(copyStore(file, to, onProgress))).message).toBe('interrupted')
    }
    const [path, address] = [temporaryFile('target.db'), await cluster.newDatabase()]
    await interrupted(path)
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)))).toEqual([])
    await interrupted(address)
    expect(await kindOf(address).schema(address)).toMatchObject({ version: 0 })
    for (const to of [path, address]) {
      await (await openStore(to, { now: Date.now })).close()
      await interrupted(to)
      expect(await copy(file, to)).toMatchObject({ status: 0, stderr: '' })
    }
  })

  test('petstore copy leaves no store if it is killed, and removes the rest the next time', async () => {
    const to = temporaryFile('target.db')
    const copying = Bun.spawn([launcher, 'copy', '--from', file, '--to', to], { stdio: ['ignore', 'ignore', 'ignore'] })
    const left = () => readdirSync(dirname(to)).filter((name) => name.startsWith(basename(to)))
    await until('the copy has begun', () => left().length > 0, { everyMs: 1 })
    copying.kill('SIGKILL')
    await copying.exited
    expect(left()).not.toContain(basename(to))
    expect((await copy(file, to)).status).toBe(0)
    expect(left()).toEqual([basename(to)])
  })

  test('petstore copy of 1.0.0 or 1.1.0 that was not completed leaves a store that every command rejects', async () => {
    const [bare, backup, database] = [temporaryFile('bare.db'), await filledFile(1), await filledFile(2)]
    for (const path of [bare, backup])
      runOnFile(path, `PRAGMA application_id = ${UNFINISHED_ID}; PRAGMA wal_checkpoint(TRUNCATE)`)
    const address = await cluster.newDatabase()
    await cluster.run('CREATE TABLE petstore_unfinished_copy ()', address)
    const other = temporaryFile('other.db')
    const opening = (target: string) => [
      `keys list --database ${target}`,
      `serve --port 0 --database ${target}`,
      `migrate --apply --database ${target}`,
      `copy --from ${target} --to ${other}`,
      `copy --from ${file} --to ${target}`,
    ]
    const ofFiles = [`backup ${other} --database ${bare}`, `restore ${backup} --database ${database}`]
    for (const command of [...opening(bare), ...opening(address), ...ofFiles])
      expect({ command, ...(await run(command.split(' '))) }).toEqual({
        ...{ command, status: 1, stdout: '' },
        stderr: expect.stringContaining('a copy to it was not completed by an earlier version'),
      })
    expect(existsSync(other)).toBe(false)
    expect(rowsOfFile(database).pets?.length).toBe(4)
  })

  test('petstore copy leaves a target with other rows unchanged', async () => {
    for (const target of [temporaryFile('target.db'), await cluster.newDatabase()]) {
      const store = await openStore(target, { now: Date.now })
      await store.createKey(newKey())
      await store.close()
      const rows = target.startsWith('/') && rowsOfFile(target)
      expect(await copy(file, target)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('already has keys, so nothing was copied'),
      })
      if (rows) expect(rowsOfFile(target)).toEqual(rows)
      expect((await run(['keys', 'list', '--database', target])).status).toBe(0)
    }
  })

  test('petstore copy rejects an unfinished target for a server without rights on its mark', async () => {
    const target = await cluster.newDatabase()
    await (await openStore(target, { now: Date.now })).close()
    const role = `copied_${databaseOf(target)}`
    const statement = `CREATE ROLE ${role} LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`
    await cluster.run(`${statement}; CREATE TABLE petstore_unfinished_copy ()`, target)
    const error = await openStore(target.replace('postgres@', `${role}@`), { now: Date.now }).catch((thrown) => thrown)
    expect(error.message).toContain('a copy to it was not completed')
  })

  test('petstore copy needs the owner of the tables', async () => {
    const target = await cluster.newDatabase()
    const till = `till_${databaseOf(target)}`
    const copyAsTill = () => copy(file, target.replace('postgres@', `${till}@`))
    const refused = ended(1, 'not own the tables: use the address of their owner.')
    await cluster.run(`CREATE ROLE ${till} LOGIN`)
    expect(await copyAsTill()).toMatchObject(refused)
    await (await openStore(target, { now: Date.now })).close()
    await cluster.run(grants(till), target)
    expect(await copyAsTill()).toMatchObject(refused)
    expect((await run(['keys', 'list', '--database', target])).status).toBe(0)
  })

  const NOTE = 'ALTER TABLE pets ADD COLUMN note TEXT'
  const DIFFERENT = 'The two stores have different tables, so nothing was copied: only '
  test('petstore copy rejects a column that only one store has, and an unknown column type', async () => {
    const cases: [sqlite: string, postgres: string, ...message: string[]][] = [
      [NOTE, '', DIFFERENT, 'pets.note (text)'],
      ['', 'ALTER TABLE pets ADD COLUMN note text', DIFFERENT, 'pets.note (text)'],
      [NOTE, 'ALTER TABLE pets ADD COLUMN note bigint', DIFFERENT, 'pets.note (a number)'],
      ['ALTER TABLE pets ADD COLUMN price REAL', '', 'pets.price has the type REAL'],
      ['ALTER TABLE pets ADD COLUMN photo BLOB', '', 'pets.photo has the type BLOB'],
      ['', 'ALTER TABLE pets ADD COLUMN price numeric(10,2)', 'pets.price has the type numeric(10,2)'],
    ]
    for (const [sqlite, postgres, ...message] of cases) {
      const [path, address] = [await newFile(sqlite), await newDatabase(postgres)]
      for (const { status, stderr } of [await copy(path, address), await copy(address, path)]) {
        expect([status, stderr.trim().split('\n').length]).toEqual([1, 1])
        for (const part of message) expect(stderr).toContain(part)
      }
    }
  })

  test('petstore copy creates no file if the source does not exist', async () => {
    const [from, to] = [temporaryFile('nowhere.db'), temporaryFile('target.db')]
    const { status, stderr } = await copy(from, to)
    expect(status).toBe(1)
    expect(stderr).toContain('There is no store at')
    expect(existsSync(from)).toBe(false)
    expect(existsSync(to)).toBe(false)
  })
})

test('petstore copy rejects a file in use, as source and as target', async () => {
  const used = temporaryFile('petstore.db')
  const service = await serve(['--database', used])
  const other = temporaryFile('other.db')
  await (await openStore(other, { now: Date.now })).close()
  for (const [from, to] of [
    [used, other],
    [other, used],
  ] as const) {
    const { status, stderr } = await copy(from, to)
    const sentence = `petstore: ${used} is in use by another process. Stop the servers of both stores first.\n`
    expect([status, stderr]).toEqual([1, sentence])
  }
  const { status } = await ask('POST', `${service.url}/pets`, service.key, petBody())
  expect(status).toBe(201)
  expect(await service.stop()).toBe(0)
  expect((await copy(used, other)).status).toBe(0)
})

test('petstore copy does not copy a file to itself under another name', async () => {
  const file = await filledFile(1)
  const { status, stderr } = await copy(file, file.replace('/petstore.db', '/./petstore.db'))
  expect([status, stderr]).toEqual([1, 'petstore: Both addresses are the same. Name another store with --to.\n'])
})
