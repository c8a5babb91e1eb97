// The files of PostgreSQL's functions. functions.process.test.ts tests what they create in a database.

import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { FUNCTIONS, NEWEST_VERSION } from '../../../src/store/postgres/schema/schema.ts'

/**
 * The version and digest of the functions without comments. If the digest differs, add a migration, even an empty
 * one, because databases of the newest schema would not get the change. Then update both values.
 */
const INSTALLED = { version: 23, digest: '88435ee204e489bd' }

const FOLDER = join(import.meta.dir, '../../../src/store/postgres/schema/functions')

test('a function that changes raises the number of the schema', () => {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const text of FUNCTIONS) hasher.update(text.replace(/^ *--.*\n/gm, ''))
  expect(hasher.digest('hex').slice(0, 16)).toBe(INSTALLED.digest)
  expect(INSTALLED.version).toBeLessThanOrEqual(NEWEST_VERSION)
})

test('every file of functions/ is installed', () => {
  expect(new Set(FUNCTIONS).size).toBe(readdirSync(FOLDER).length)
})
