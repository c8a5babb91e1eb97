// The files of PostgreSQL's functions. What they make in a database is packages/service/test/store/postgres/functions.process.test.ts.

import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FUNCTIONS, NEWEST_VERSION } from '../../../src/store/postgres/schema/schema.ts'

/**
 * The functions, comments aside, and the schema with which they came. Where the digest differs, they have changed: add a migration, if only
 * for its number, since no database of the newest schema would get the change. Then write that number and the new digest here.
 */
const INSTALLED = { version: 22, digest: '1b6f099cdc336bd5' }

const FOLDER = join(import.meta.dir, '../../../src/store/postgres/schema/functions')
const texts = readdirSync(FOLDER)
  .sort()
  .map((file) => readFileSync(join(FOLDER, file), 'utf8'))

test('a function that changes raises the number of the schema', () => {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const text of texts) hasher.update(text.replace(/^ *--.*\n/gm, ''))
  expect(hasher.digest('hex').slice(0, 16)).toBe(INSTALLED.digest)
  expect(INSTALLED.version).toBeLessThanOrEqual(NEWEST_VERSION)
})

test('every file of functions/ is installed', () => {
  expect(new Set<string>(FUNCTIONS)).toEqual(new Set(texts))
})
