// Compares the list of tables with the catalogue of each database, and the lists of SQL files with their folders. A
// table that is missing in the list is not copied and gets no grants. A file that is missing never runs.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFile } from '../../../../test/support/files.ts'
import { sharedCluster } from '../../../../test/support/postgres.ts'
import { root } from '../../../../test/support/process.ts'
import { openStore } from '../../src/store/kinds.ts'
import { MIGRATIONS as OF_POSTGRES } from '../../src/store/postgres/schema/schema.ts'
import { MADE, TABLES, type TableEntry } from '../../src/store/shared/tables.ts'
import { MIGRATIONS as OF_SQLITE } from '../../src/store/sqlite/schema/schema.ts'

interface Found {
  tables: readonly string[]
  keys: readonly { name: string; key: string; assigned: boolean }[]
  references: readonly { from: string; to: string }[]
}

const cluster = await sharedCluster()

async function inSqlite(): Promise<Found> {
  const path = temporaryFile('petstore.db')
  await (await openStore(path, { now: Date.now })).close()
  using database = new Database(path)
  const ours = `type IN ('table', 'virtual') AND schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`
  const tables = database.query<{ name: string; strict: number; type: string }, []>(
    `SELECT name, strict, type FROM pragma_table_list WHERE ${ours}`,
  )
  // Copies rely on strict tables, in which every value has the type of its column.
  for (const { name, strict, type } of tables.all())
    expect([name, strict === 1 || type === 'virtual']).toEqual([name, true])
  const keys = database.query<{ name: string; key: string; sql: string }, []>(
    `SELECT tables.name, group_concat(columns.name, ',' ORDER BY pk) AS key, tables.sql
     FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
     WHERE tables.type = 'table' AND pk > 0 GROUP BY tables.name`,
  )
  const references = database.query<{ from: string; to: string }, []>(
    `SELECT tables.name AS "from", keys."table" AS "to"
     FROM sqlite_schema AS tables JOIN pragma_foreign_key_list(tables.name) AS keys WHERE tables.type = 'table'`,
  )
  return {
    tables: tables.all().map(({ name }) => name),
    keys: keys.all().map(({ name, key, sql }) => ({ name, key, assigned: /\bPRIMARY KEY AUTOINCREMENT\b/.test(sql) })),
    references: references.all(),
  }
}

async function inPostgres(): Promise<Found> {
  const address = await cluster.newDatabase()
  await (await openStore(address, { now: Date.now })).close()
  return cluster.asAdmin(async (sql) => {
    const tables = await sql`SELECT relname AS name FROM pg_class
      WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY oid`
    const keys =
      await sql`SELECT relname AS name, string_agg(attname, ',' ORDER BY array_position(indkey, attnum)) AS key,
        bool_or(attidentity <> '') AS assigned
      FROM pg_index JOIN pg_class ON pg_class.oid = indrelid JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
      WHERE indisprimary AND relnamespace = 'public'::regnamespace GROUP BY relname`
    const references = await sql`SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to"
      FROM pg_constraint WHERE contype = 'f'`
    return {
      tables: tables.map(({ name }) => name as string),
      keys,
      references,
    } as unknown as Found
  }, address)
}

test.each([
  ['sqlite', inSqlite],
  ['postgres', inPostgres],
] as const)(
  'the list of tables and the catalogue of %s have the same tables and keys, in an order that satisfies foreign keys',
  async (kind, found) => {
    const { tables, keys, references } = await found()
    const copied: readonly TableEntry[] = TABLES
    const names = copied.map(({ name }) => name)
    expect(tables.toSorted()).toEqual([...names, ...MADE[kind]].toSorted())
    expect(keys.filter(({ name }) => names.includes(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
      copied
        .map(({ name, key, assigned }) => ({ name, key: key.join(), assigned: assigned === true }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    )
    for (const { from, to } of references) {
      if (names.includes(from)) expect([from, names.indexOf(to) < names.indexOf(from)]).toEqual([from, true])
    }
  },
)

test.each([
  ['sqlite/schema/migrations', OF_SQLITE],
  ['postgres/schema/migrations', OF_POSTGRES],
])('each file in %s is in its list', async (folder, listed) => {
  const path = join(root, 'packages/service/src/store', folder)
  const files = await Promise.all(
    readdirSync(path)
      .sort()
      .map((name) => Bun.file(join(path, name)).text()),
  )
  expect(files).toEqual([...listed])
})
