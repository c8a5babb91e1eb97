// Files that a start rejects with a message, without changing them: other formats, damaged files, newer schemas and
// unreachable paths.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { now, PET, runOnFile, storeWithKey } from '../../../../../test/support/sqlite.ts'
import { openStore } from '../../../src/store/kinds.ts'

describe('rejects, and does not change,', () => {
  const made = async (change: (path: string) => void = () => undefined): Promise<string> => {
    const { path, store, by } = await storeWithKey()
    for (let n = 0; n < 200; n++) await store.createPet({ ...PET, name: 'x'.repeat(200) }, by)
    await store.close()
    change(path)
    return path
  }
  const overwritten = (from: number, to: number) =>
    made((path) => writeFileSync(path, readFileSync(path).fill(0xab, from, to)))
  const foreign = (path: string) => runOnFile(path, 'CREATE TABLE pets (id)')
  const newer = (path: string) => runOnFile(path, 'PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)')

  const cases: [string, () => Promise<string> | string, string][] = [
    ['text', () => written('Dear diary,\n'.repeat(100)), 'not a petstore database'],
    ['a few bytes', () => written('x'), 'not a petstore database'],
    ['a database of another program', () => touched(foreign), 'a database of another program'],
    ['a newer version', () => made(newer), 'newer petstore (schema 99'],
    ['overwritten pages', () => overwritten(4096 * 3, 4096 * 6), 'damaged'],
    ['an overwritten schema', () => overwritten(100, 4096), 'damaged'],
    ['a truncated file', () => made((path) => truncateSync(path, statSync(path).size - 8192)), 'damaged'],
    ['a read-only file', () => made((path) => chmodSync(path, 0o444)), 'read-only'],
  ]

  for (const [name, make, sentence] of cases) {
    test(name, async () => {
      const path = await make()
      const before = readFileSync(path)
      expect((await rejectionOf(openStore(path, { now }))).message).toContain(sentence)
      expect(readFileSync(path).equals(before)).toBe(true)
      expect(existsSync(`${path}-wal`)).toBe(false)
    })
  }

  test('a truncated file that is too large to be read completely', async () => {
    const path = await made()
    const database = new Database(path)
    const row = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90000) INSERT INTO pets'
    database.run(
      `${row} (name, category_id, status, created_at, created_by) SELECT printf('%200d', i), 1, 'sold', 1, 1 FROM n`,
    )
    database.close()
    expect(statSync(path).size).toBeGreaterThan(17 * 1024 * 1024)
    truncateSync(path, statSync(path).size - 4096)
    expect((await rejectionOf(openStore(path, { now }))).message).toContain('damaged')
  })

  test('a folder, or a path below a file', async () => {
    const path = temporaryFile('folder')
    mkdirSync(path)
    expect((await rejectionOf(openStore(path, { now }))).message).toContain('is not a file')
    expect((await rejectionOf(openStore(`${written('x')}/a.db`, { now }))).message).toContain('cannot be reached')
  })
})

function written(text: string): string {
  return touched((path) => writeFileSync(path, text))
}

function touched(make: (path: string) => void): string {
  const path = temporaryFile('petstore.db')
  make(path)
  return path
}
