// The feed of events in SQLite: the promises of every store, and what is peculiar to a file.

import { expect, test } from 'bun:test'
import { temporaryFile } from '../../../../../test/support/files.ts'
import { runOnFile } from '../../../../../test/support/sqlite.ts'
import { kindOf, openStore, type StoreFiles } from '../../../src/store/kinds.ts'
import { eventsConformance } from '../events.conformance.ts'

eventsConformance('SQLite', async () => {
  const path = temporaryFile('petstore.db')
  return {
    store: await openStore(path, { now: Date.now }),
    async run(sql) {
      runOnFile(path, sql)
    },
  }
})

test('a backup, and a store that was restored from it, begin a new epoch each', async () => {
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
