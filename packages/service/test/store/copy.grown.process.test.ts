// `petstore copy` of columns that later versions can add, and with tables of other programs.

import { describe, expect, test } from 'bun:test'
import { copy, filledFile, PETS, rowsOfFile } from '../../../../test/support/copied-stores.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { sharedCluster } from '../../../../test/support/postgres.ts'
import { runOnFile } from '../../../../test/support/sqlite.ts'
import { openStore } from '../../src/store/kinds.ts'

const cluster = await sharedCluster()

describe.concurrent('petstore copy of a schema that has grown', () => {
  /** Columns that later migrations can add. */
  const GROWTH = {
    sqlite: `
      ALTER TABLE pets ADD COLUMN note TEXT;
      ALTER TABLE pets ADD COLUMN tame INTEGER NOT NULL DEFAULT 0;`,
    postgres: 'ALTER TABLE pets ADD COLUMN tame boolean NOT NULL DEFAULT false, ADD COLUMN note text;',
  }

  async function newFile(growth = GROWTH.sqlite): Promise<string> {
    const path = temporaryFile('petstore.db')
    await (await openStore(path, { now: Date.now })).close()
    runOnFile(path, growth)
    return path
  }

  async function newDatabase(growth = GROWTH.postgres): Promise<string> {
    const address = await cluster.newDatabase()
    await (await openStore(address, { now: Date.now })).close()
    await cluster.run(growth, address)
    return address
  }

  /** Returns a function that copies from a file to PostgreSQL and back, with the given changes to their schemas. */
  async function copies() {
    // A refused copy changes neither store, so they are reused.
    const [plainFile, plainAddress] = [await newFile(''), await newDatabase('')]
    return async (sqlite: string, postgres: string) => {
      const file = sqlite ? await newFile(sqlite) : plainFile
      const address = postgres ? await newDatabase(postgres) : plainAddress
      return [await copy(file, address), await copy(address, file)]
    }
  }

  test('copies new columns to PostgreSQL and back', async () => {
    const file = await filledFile()
    runOnFile(file, `${GROWTH.sqlite} UPDATE pets SET note = 'note ' || id, tame = id % 2 WHERE id <> 5`)
    const address = await newDatabase()
    const back = await newFile()
    expect(await copy(file, address)).toMatchObject({ status: 0, stderr: '' })
    expect(await copy(address, back)).toMatchObject({ status: 0, stderr: '' })
    expect(rowsOfFile(back)).toEqual(rowsOfFile(file))
    expect(rowsOfFile(back, ['pets']).pets?.join()).toContain(`note ${PETS}`)
  })

  test('leaves tables of other programs unchanged', async () => {
    // Like the tables of Litestream.
    const file = await newFile('CREATE TABLE _litestream_lock (id INTEGER); INSERT INTO _litestream_lock VALUES (1)')
    const address = await newDatabase('CREATE TABLE notes (text text); INSERT INTO notes VALUES (1)')
    expect(await copy(file, address)).toMatchObject({ status: 0, stderr: '' })
    expect(await copy(address, file)).toMatchObject({ status: 0, stderr: '' })
    expect(runOnFile(file, 'UPDATE _litestream_lock SET id = 1 RETURNING id AS number')).toEqual([{ number: 1 }])
  })

  const NOTE = 'ALTER TABLE pets ADD COLUMN note TEXT'
  const DIFFERENT = 'The two stores have different tables, so nothing was copied: only '
  test('refuses a column that only one store has, and an unknown column type', async () => {
    const cases: [sqlite: string, postgres: string, ...message: string[]][] = [
      [NOTE, '', DIFFERENT, 'pets.note (text)'],
      ['', 'ALTER TABLE pets ADD COLUMN note text', DIFFERENT, 'pets.note (text)'],
      [NOTE, 'ALTER TABLE pets ADD COLUMN note bigint', DIFFERENT, 'pets.note (a number)'],
      ['ALTER TABLE pets ADD COLUMN price REAL', '', 'pets.price has the type REAL'],
      ['ALTER TABLE pets ADD COLUMN photo BLOB', '', 'pets.photo has the type BLOB'],
      ['', 'ALTER TABLE pets ADD COLUMN price numeric(10,2)', 'pets.price has the type numeric(10,2)'],
    ]
    const copiedBothWays = await copies()
    for (const [sqlite, postgres, ...message] of cases) {
      for (const { status, stderr } of await copiedBothWays(sqlite, postgres)) {
        expect(status).toBe(1)
        for (const part of message) expect(stderr).toContain(part)
        expect(stderr.trim()).not.toContain('\n')
      }
    }
  })
})
