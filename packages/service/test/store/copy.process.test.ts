// `petstore copy` from SQLite to PostgreSQL and back.

import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { copy, FIRST_ORDER, filledFile, LATER, PETS, rowsOfFile } from '../../../../test/support/copied-stores.ts'
import { ended } from '../../../../test/support/ended.ts'
import { allEvents } from '../../../../test/support/events.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { newPet, petBody } from '../../../../test/support/pets.ts'
import { databaseOf, sharedCluster } from '../../../../test/support/postgres.ts'
import { ask, run, serve } from '../../../../test/support/process.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { runOnFile } from '../../../../test/support/sqlite.ts'
import { petNotAvailable } from '../../src/domain/decisions/refusal-messages.ts'
import { type CopyProgress, copyStore } from '../../src/store/copy.ts'
import { openStore } from '../../src/store/kinds.ts'
import { grants } from '../../src/store/postgres/schema/rights.ts'
import { UNFINISHED_ID } from '../../src/store/sqlite/file/checks.ts'

const cluster = await sharedCluster()

describe('petstore copy', () => {
  let file: string
  beforeAll(async () => {
    file = await filledFile()
  })

  test('moves a file to PostgreSQL and back, with ids, keys and times', async () => {
    const address = await cluster.newDatabase()
    const { status, stdout, stderr } = await copy(file, address)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toBe(
      `Copied and compared: 3 keys, ${PETS + 2} pets, 5 orders, ${PETS + 17} events, 7 idempotency answers, 2 deprecated calls.\n`,
    )
    const back = temporaryFile('back.db')
    expect((await copy(address, back)).status).toBe(0)
    expect(rowsOfFile(back)).toEqual(rowsOfFile(file))
    // Cursors are valid in one store only.
    expect(rowsOfFile(back, ['event_epoch'])).not.toEqual(rowsOfFile(file, ['event_epoch']))
    const source = await openStore(file, { now: () => LATER })
    const emitted = await allEvents(source)
    await source.close()
    expect(emitted.length).toBe(PETS + 3 + 14)
    // Otherwise the database considers answers from 1970 expired.
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
      // Orders and idempotency keys keep working: a second sale is refused, and a key replays its first answer.
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

  test('moves a file to a database with an ICU collation and back', async () => {
    const target = await cluster.newDatabase(`LOCALE_PROVIDER icu ICU_LOCALE 'en-US' TEMPLATE template0`)
    const [source, back] = [await filledFile(3), temporaryFile('back.db')]
    expect((await copy(source, target)).status).toBe(0)
    expect((await copy(target, back)).status).toBe(0)
    expect(rowsOfFile(back)).toEqual(rowsOfFile(source))
  })

  const emptyPostgres = async () => {
    const to = await cluster.newDatabase()
    await (await openStore(to, { now: Date.now })).close()
    return [file, to] as const
  }
  const fromPostgres = async () => {
    const from = await cluster.newDatabase()
    expect(await copy(file, from)).toMatchObject({ status: 0, stderr: '' })
    return [from, temporaryFile('target.db')] as const
  }
  test.each([
    ['a file to an empty store in PostgreSQL', emptyPostgres],
    ['PostgreSQL to a new file', fromPostgres],
  ])('of %s, if interrupted: every command refuses the target until the copy is repeated', async (_, places) => {
    const [from, target] = await places()
    const onProgress = ({ done }: CopyProgress) => {
      if (done > PETS / 2) throw new Error('interrupted')
    }
    const interrupted = await rejectionOf(copyStore(from, target, onProgress))
    expect(interrupted.message).toBe('interrupted')

    const backup = temporaryFile('backup.db')
    for (const args of [
      ['keys', 'list', '--database', target],
      ['serve', '--port', '0', '--database', target],
      ['migrate', '--check', '--database', target],
      ['migrate', '--apply', '--database', target],
      ['copy', '--from', target, '--to', temporaryFile('other.db')],
      ...(target.startsWith('/') ? [['backup', backup, '--database', target]] : []),
    ]) {
      const { status, stdout, stderr } = await run(args)
      expect([args[0], status, stdout]).toEqual([args[0], 1, ''])
      expect(stderr).toContain('a copy to it was not completed')
    }
    expect(existsSync(backup)).toBe(false)

    expect(await copy(from, target)).toMatchObject({ status: 0, stderr: '' })
    expect((await run(['keys', 'list', '--database', target])).status).toBe(0)
    if (target.startsWith('/')) return expect(rowsOfFile(target)).toEqual(rowsOfFile(file))
    const back = temporaryFile('back.db')
    expect((await copy(target, back)).status).toBe(0)
    expect(rowsOfFile(back)).toEqual(rowsOfFile(from))
  })

  test('refuses a new target of a copy that ended before it wrote a row, until the copy is repeated', async () => {
    const grown = await filledFile(1)
    runOnFile(grown, 'ALTER TABLE pets ADD COLUMN note TEXT')
    for (const target of [temporaryFile('target.db'), await cluster.newDatabase()]) {
      expect((await copy(grown, target)).stderr).toContain('have different tables')
      const refused = await run(['keys', 'create', '--name', 'till', '--database', target])
      expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('a copy to it was not completed')])
      expect((await copy(file, target)).status).toBe(0)
      expect((await run(['keys', 'list', '--database', target])).status).toBe(0)
    }
    const [bare, backup, database] = [temporaryFile('bare.db'), await filledFile(1), await filledFile(2)]
    for (const path of [bare, backup])
      runOnFile(path, `PRAGMA application_id = ${UNFINISHED_ID}; PRAGMA wal_checkpoint(TRUNCATE)`)
    for (const args of [
      ['keys', 'create', '--name', 'till', '--database', bare],
      ['restore', backup, '--database', database],
    ])
      expect((await run(args)).stderr).toContain('a copy to it was not completed')
    expect(rowsOfFile(database).pets?.length).toBe(4)
  })

  test('leaves a target with other rows unchanged', async () => {
    for (const target of [temporaryFile('target.db'), await cluster.newDatabase()]) {
      const store = await openStore(target, { now: Date.now })
      await store.createKey(newKey())
      await store.close()
      const rows = target.startsWith('/') && rowsOfFile(target)
      expect(await copy(file, target)).toMatchObject({ status: 1, stderr: expect.stringContaining('has other keys') })
      if (rows) expect(rowsOfFile(target)).toEqual(rows)
      expect((await run(['keys', 'list', '--database', target])).status).toBe(0)
    }
  })

  test('refuses an unfinished target for a server without rights on its mark', async () => {
    const target = await cluster.newDatabase()
    await (await openStore(target, { now: Date.now })).close()
    const role = `copied_${databaseOf(target)}`
    const statement = `CREATE ROLE ${role} LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`
    await cluster.run(`${statement}; CREATE TABLE petstore_unfinished_copy ()`, target)
    const error = await openStore(target.replace('postgres@', `${role}@`), { now: Date.now }).catch((thrown) => thrown)
    expect(error.message).toContain('a copy to it was not completed')
  })

  test('needs the owner of the tables', async () => {
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

  test('creates no file if the source does not exist', async () => {
    const [from, to] = [temporaryFile('nowhere.db'), temporaryFile('target.db')]
    const { status, stderr } = await copy(from, to)
    expect(status).toBe(1)
    expect(stderr).toContain('There is no store at')
    expect(existsSync(from)).toBe(false)
    expect(existsSync(to)).toBe(false)
  })
})

test('petstore copy refuses a file in use, as source and as target', async () => {
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

test('petstore copy refuses to copy a file to itself under another name', async () => {
  const file = await filledFile(1)
  const { status, stderr } = await copy(file, file.replace('/petstore.db', '/./petstore.db'))
  expect([status, stderr]).toEqual([1, 'petstore: Both addresses are the same. Name another store with --to.\n'])
})
