// A copy compares all rows before it completes.

import { expect, test } from 'bun:test'
import { rowsOfFile } from '../../../../test/support/copied-stores.ts'
import { temporaryFile } from '../../../../test/support/files.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { now, PET, runOnFile, storeWithKey } from '../../../../test/support/sqlite.ts'
import { copyStore } from '../../src/store/copy.ts'
import { openStore } from '../../src/store/kinds.ts'

test.each([
  ['dropped', 'DELETE FROM pets WHERE id = NEW.id'],
  ['changed', "UPDATE pets SET name = 'Max' WHERE id = NEW.id"],
])('a copy fails, and its target stays empty, if the target %s a row', async (_, effect) => {
  const { path, store, by } = await storeWithKey()
  await store.createPet(PET, by)
  await store.close()
  const target = temporaryFile('target.db')
  await (await openStore(target, { now })).close()
  runOnFile(target, `CREATE TRIGGER lossy AFTER INSERT ON pets BEGIN ${effect}; END`)
  const error = await rejectionOf(copyStore(path, target, () => undefined))
  expect(error.message).toContain('did not store the same pets, so nothing was copied')
  expect(rowsOfFile(target, ['keys', 'pets'])).toEqual({ keys: [], pets: [] })
})
