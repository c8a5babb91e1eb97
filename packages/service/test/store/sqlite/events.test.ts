// The epochs of the feed in SQLite files.

import { expect, test } from 'bun:test'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { kindOf, openStore, type StoreFiles } from '../../../src/store/kinds.ts'

test('a backup and each store that is restored from it begin a new epoch', async () => {
  const [path, backup] = [temporaryFile('petstore.db'), temporaryFile('backup.db')]
  const files = kindOf(path).files as StoreFiles
  const epochOf = async (file: string) => {
    const store = await openStore(file, { now: Date.now })
    const { epoch } = await store.findEnd()
    await store.close()
    return epoch
  }
  const epochs = [await epochOf(path)]
  files.backUp(path, backup)
  epochs.push(await epochOf(backup), await epochOf(path))
  expect(epochs[2]).toBe(epochs[0] as bigint)
  for (let n = 0; n < 2; n++) {
    files.restore(backup, path, 1n)
    epochs.push(await epochOf(path))
  }
  expect(new Set(epochs).size).toBe(4)
})
