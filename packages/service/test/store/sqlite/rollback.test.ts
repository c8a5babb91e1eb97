// A transaction that fails and cannot be rolled back.

import { expect, test } from 'bun:test'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { newPet } from '../../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { rows } from '../../../../../test/support/stores.ts'
import { generateKey, hashKey } from '../../../src/domain/keys.ts'
import { openConnection } from '../../../src/store/sqlite/connect/connection.ts'
import { sqliteStore } from '../../../src/store/sqlite/store.ts'

test('a connection that cannot roll back is replaced: the transaction adds nothing, and the next create succeeds', async () => {
  const path = temporaryFile('petstore.db')
  const connection = openConnection(path)
  const store = sqliteStore(connection, { now: () => 1 })
  const key = { name: 'k', hash: hashKey(generateKey('production')), readOnly: false, expiresAt: undefined }
  const { id: by } = await store.createKey(key)
  // A disk cannot be made to fail exactly here.
  const { database } = connection
  const run = database.run.bind(database)
  database.run = (sql, ...parameters) => {
    if (sql === 'ROLLBACK') throw new Error('disk I/O error')
    return run(sql, ...parameters)
  }
  // The hash exists already.
  expect(await rejectionOf(store.createKey(key))).toMatchObject({ code: 'SQLITE_CONSTRAINT_UNIQUE' })
  expect(database.inTransaction).toBe(true)
  expect((await store.createPet(newPet(), by)).value.id).toBe(1n)
  expect(connection.database).not.toBe(database)
  await store.close()
  expect(rows(path).map(({ length }) => length)).toEqual([1, 1, 3])
})
