// PostgreSQL's functions. functions.process.test.ts tests what they create in a database.

import { expect, test } from 'bun:test'
import { FUNCTIONS, NEWEST_VERSION } from '../../../src/store/postgres/schema/schema.ts'

/**
 * The version and digest of the functions without comments. If the digest differs, add a migration, even an empty
 * one, because databases of the newest schema would not get the change. Then update both values.
 */
const INSTALLED = { version: 23, digest: '7c302531f29a9d26' }

test('a function that changes raises the number of the schema', () => {
  const hasher = new Bun.CryptoHasher('sha256')
  hasher.update(FUNCTIONS.replace(/^ *--.*\n/gm, ''))
  expect(hasher.digest('hex').slice(0, 16)).toBe(INSTALLED.digest)
  expect(INSTALLED.version).toBeLessThanOrEqual(NEWEST_VERSION)
})
