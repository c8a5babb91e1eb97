// A copy compares all rows before it completes.

import { expect, test } from 'bun:test'
import { temporaryFile } from '../../../../test/support/files.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { now, PET, runOnFile, storeWithKey } from '../../../../test/support/sqlite.ts'
import { copyStore } from '../../src/store/copy.ts'
import { openStore } from '../../src/store/kinds.ts'

test.each([
  ['dropped', 'DELETE FROM pets WHERE id = NEW.id'],
  ['changed', "UPDATE pets SET name = 'Max' WHERE id = NEW.id"],
])('a copy fails, and its target stays unfinished, if the target %s a row', async (_, effect) => {
  const { path, store, by } = await storeWithKey()
  await store.createPet(PET, by)
  await store.close()
  const target = temporaryFile('target.db')
  await (await openStore(target, { now })).close()
  runOnFile(target, `CREATE TRIGGER lossy AFTER INSERT ON pets BEGIN ${effect}; END`)
  const copying = () => copyStore(path, target, () => undefined)
  expect((await rejectionOf(copying())).message).toContain('has other pets than the source')
  expect((await rejectionOf(openStore(target, { now }))).message).toContain('a copy to it was not completed')
})
