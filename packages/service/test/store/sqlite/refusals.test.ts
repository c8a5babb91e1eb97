// The files that a start refuses: those that are no store, damaged, newer or out of reach. Each is refused with a sentence and stays as
// it was.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newKey } from '../../../../../test/support/keys.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { now, PET, runOnFile, storeWithKey } from '../../../../../test/support/sqlite.ts'
import { openStore } from '../../../src/store/kinds.ts'

describe('a file that cannot serve is refused with a sentence, and stays as it was', () => {
  const made = async (): Promise<string> => {
    const { path, store, by } = await storeWithKey()
    for (let n = 0; n < 200; n++) await store.createPet({ ...PET, name: 'x'.repeat(200) }, by)
    await store.close()
    return path
  }
  const foreign = (path: string): void => {
    runOnFile(path, 'CREATE TABLE pets (id)')
  }

  const cases: [string, () => Promise<string> | string, string][] = [
    ['text', () => written('Dear diary,\n'.repeat(100)), 'not a petstore database'],
    ['a few bytes', () => written('x'), 'not a petstore database'],
    ['a database of another program', () => touched(foreign), 'a database of another program'],
    [
      'a newer version',
      async () => {
        const path = await made()
        runOnFile(path, 'PRAGMA user_version = 99')
        runOnFile(path, 'PRAGMA wal_checkpoint(TRUNCATE)')
        return path
      },
      'newer petstore (schema 99',
    ],
    [
      'pages overwritten',
      async () => {
        const path = await made()
        const bytes = readFileSync(path)
        bytes.fill(0xab, 4096 * 3, 4096 * 6)
        writeFileSync(path, bytes)
        return path
      },
      'damaged',
    ],
    [
      'the schema overwritten',
      async () => {
        const path = await made()
        const bytes = readFileSync(path)
        bytes.fill(0xab, 100, 4096)
        writeFileSync(path, bytes)
        return path
      },
      'damaged',
    ],
    [
      'cut short',
      async () => {
        const path = await made()
        truncateSync(path, statSync(path).size - 8192)
        return path
      },
      'damaged',
    ],
    [
      'read-only',
      async () => {
        const path = await made()
        chmodSync(path, 0o444)
        return path
      },
      'read-only',
    ],
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

  test('cut short, where it is too large to be read whole', async () => {
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

  test('a folder', async () => {
    const path = temporaryFile('folder')
    mkdirSync(path)
    expect((await rejectionOf(openStore(path, { now }))).message).toContain('is not a file')
  })

  test('a place where no file can be', async () => {
    expect((await rejectionOf(openStore(`${written('x')}/a.db`, { now }))).message).toContain('cannot be reached')
  })

  test('an empty file is a new one', async () => {
    const store = await openStore(written(''), { now })
    expect((await store.createPet(PET, (await store.createKey(newKey())).id)).value.id).toBe(1n)
    await store.close()
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
