// How often the store is asked for a key: once for all requests that arrive together, and not again while nothing was committed.

import { expect, test } from 'bun:test'
import type { Store } from '../src/domain/store.ts'
import { openStore } from '../src/store/kinds.ts'
import { startService, TODAY } from './support/service.ts'

test('requests that arrive together share the look-up of their key', async () => {
  const opened = await openStore(':memory:', { now: () => TODAY })
  let lookups = 0
  const store: Store = {
    ...opened,
    findKey(hash) {
      lookups++
      return opened.findKey(hash)
    },
  }
  const service = await startService({ store })
  const together = () => Promise.all(Array.from({ length: 50 }, () => service.get('/pets/1')))

  await together()
  // The requests may reach the server in a few turns of the event loop; each turn finds the key known.
  expect(lookups).toBe(1)
  await together()
  expect(lookups).toBe(1)
  await service.addKey()
  await together()
  expect(lookups).toBe(2)
  await service.stop()
})
