// `petstore copy` of tables and columns that later versions add.

import { describe, expect, test } from 'bun:test'
import { openStore } from '../src/store/kinds.ts'
import { copy, filledFile, rowsOfFile, runOnFile, runOnPostgres, TABLES } from './support/copied-stores.ts'
import { temporaryFile } from './support/files.ts'
import { sharedCluster } from './support/postgres.ts'

const cluster = await sharedCluster()

describe.concurrent('petstore copy of a schema that has grown', () => {
  /** What later migrations may add; `visits` stands before the tables that it refers to. */
  const GROWTH = {
    sqlite: `
      ALTER TABLE pets ADD COLUMN note TEXT;
      ALTER TABLE pets ADD COLUMN tame INTEGER NOT NULL DEFAULT 0;
      CREATE TABLE "Visits of pets" (
        day TEXT NOT NULL, pet_id INTEGER NOT NULL REFERENCES pets (id), "order" INTEGER REFERENCES receipts (number),
        PRIMARY KEY (pet_id, day)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE receipts (paid INTEGER NOT NULL, number INTEGER PRIMARY KEY AUTOINCREMENT, pet_id INTEGER NOT NULL REFERENCES pets (id)) STRICT;`,
    postgres: `
      ALTER TABLE pets ADD COLUMN tame boolean NOT NULL DEFAULT false, ADD COLUMN note text;
      CREATE TABLE "Visits of pets" (
        pet_id bigint NOT NULL REFERENCES pets, "order" bigint, day text NOT NULL, PRIMARY KEY (pet_id, day)
      );
      CREATE TABLE receipts (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, pet_id bigint NOT NULL REFERENCES pets, paid boolean NOT NULL);
      ALTER TABLE "Visits of pets" ADD FOREIGN KEY ("order") REFERENCES receipts;`,
  }
  const NEW_TABLES = ['"Visits of pets"', 'receipts']

  async function newFile(growth = GROWTH.sqlite): Promise<string> {
    const path = temporaryFile('petstore.db')
    await (await openStore(path, { now: Date.now })).close()
    runOnFile(path, growth)
    return path
  }

  async function newDatabase(growth = GROWTH.postgres): Promise<string> {
    const address = await cluster.newDatabase()
    await (await openStore(address, { now: Date.now })).close()
    await runOnPostgres(cluster, address, growth)
    return address
  }

  /** The result tells what `petstore copy` says from a file to PostgreSQL, and then the other way, when they have grown so. */
  async function copies() {
    // What is refused changes neither of them.
    const [plainFile, plainAddress] = [await newFile(''), await newDatabase('')]
    return async (sqlite: string, postgres: string) => {
      const file = sqlite ? await newFile(sqlite) : plainFile
      const address = postgres ? await newDatabase(postgres) : plainAddress
      return [await copy(file, address), await copy(address, file)]
    }
  }

  test('takes new tables and columns to PostgreSQL and back', async () => {
    const file = await filledFile(1_200)
    runOnFile(
      file,
      `${GROWTH.sqlite}
       UPDATE pets SET note = 'note ' || id, tame = id % 2 WHERE id <> 5;
       INSERT INTO receipts SELECT id % 2, id, id FROM pets ORDER BY id LIMIT 1101;
       DELETE FROM receipts WHERE number = 1101;
       INSERT INTO "Visits of pets" SELECT char(64 + day.value), receipts.pet_id, nullif(number, 7)
         FROM receipts, json_each('[1, 2, 40]') AS day;`,
    )
    const address = await newDatabase()
    const back = await newFile()
    const there = await copy(file, address)
    expect(there).toMatchObject({ status: 0, stderr: '' })
    expect(there.stdout).toContain('3300 Visits of pets')
    expect(await copy(address, back)).toMatchObject({ status: 0, stderr: '' })
    const tables = [...TABLES, ...NEW_TABLES]
    expect(rowsOfFile(back, tables)).toEqual(rowsOfFile(file, tables))
    expect(rowsOfFile(back, ['pets']).pets?.join()).toContain('note 1200')
    for (const where of [back, address]) {
      // The next number is assigned behind those that were copied.
      const next = 'INSERT INTO receipts (pet_id, paid) VALUES (1, false) RETURNING number'
      const [row] = where === back ? runOnFile(where, next) : await runOnPostgres(cluster, where, next)
      expect(Number(row?.number)).toBe(1102)
    }
  })

  test('refuses a table or column that only one of the stores has', async () => {
    const cases: [sqlite: string, postgres: string, message: string][] = [
      ['ALTER TABLE pets ADD COLUMN note TEXT', '', 'pets.note (text)'],
      ['', 'ALTER TABLE pets ADD COLUMN note text', 'pets.note (text)'],
      ['CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT', '', 'the table notes'],
      ['', 'CREATE TABLE notes (id bigint PRIMARY KEY)', 'the table notes'],
      ['ALTER TABLE pets ADD COLUMN note TEXT', 'ALTER TABLE pets ADD COLUMN note bigint', 'pets.note (a number)'],
    ]
    const copiedBothWays = await copies()
    for (const [sqlite, postgres, message] of cases) {
      for (const { status, stderr } of await copiedBothWays(sqlite, postgres)) {
        expect(status).toBe(1)
        expect(stderr).toStartWith('petstore: The two stores have different tables, so nothing was copied: only ')
        expect(stderr).toContain(message)
      }
    }
  })

  test('refuses an unknown column type and a table without a primary key', async () => {
    const cases: [sqlite: string, postgres: string, message: string][] = [
      ['ALTER TABLE pets ADD COLUMN price REAL', '', 'pets.price is of the type REAL'],
      ['CREATE TABLE notes (id INTEGER PRIMARY KEY)', '', 'The table notes is not STRICT'],
      ['ALTER TABLE pets ADD COLUMN photo BLOB', '', 'pets.photo is of the type BLOB'],
      ['', 'ALTER TABLE pets ADD COLUMN price numeric(10,2)', 'pets.price is of the type numeric(10,2)'],
      ['CREATE TABLE notes (text TEXT) STRICT', '', 'The table notes has no primary key'],
      ['', 'CREATE TABLE notes (text text)', 'The table notes has no primary key'],
    ]
    const copiedBothWays = await copies()
    for (const [sqlite, postgres, message] of cases) {
      for (const { status, stderr } of await copiedBothWays(sqlite, postgres)) {
        expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
        expect(stderr.trim()).not.toContain('\n')
      }
    }
  })
})
