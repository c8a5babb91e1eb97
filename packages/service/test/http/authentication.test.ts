// Caching of API keys: requests share a look-up. The simulator (endurance/simulate/) tests that no cached key outlives a
// commit.

import { expect, test } from 'bun:test'
import { newKey } from '../../../../test/support/keys.ts'
import { TODAY } from '../../../../test/support/service.ts'
import { generateKey, hashKey, type KeyHash } from '../../src/domain/keys.ts'
import type { Context } from '../../src/http/context.ts'
import { Authentication } from '../../src/http/request/authentication.ts'
import { openStore } from '../../src/store/kinds.ts'

test('concurrent requests share the look-up of their key', async () => {
  const opened = await openStore(':memory:', { now: () => TODAY })
  const token = generateKey('production')
  await opened.createKey(newKey({ hash: hashKey(token) }))
  let lookups = 0
  const findKey = (hash: KeyHash) => {
    lookups++
    return opened.findKey(hash)
  }
  const authentication = new Authentication({ findKey }, 'production')
  const together = async (keys: number) => {
    const context = { version: { data: 1, keys }, now: TODAY } as Context
    await Promise.all(
      Array.from({ length: 50 }, () => authentication.known(token, context) ?? authentication.verify(token, context)),
    )
    return lookups
  }
  expect([await together(1), await together(1), await together(2)]).toEqual([1, 1, 2])
  await opened.close()
})

test('caches at most 10,000 keys', async () => {
  const opened = await openStore(':memory:', { now: () => TODAY })
  const key = await opened.createKey(newKey())
  await opened.close()
  const authentication = new Authentication({ findKey: async () => key }, 'production')
  const context = { version: { data: 1, keys: 1 }, now: TODAY } as Context
  const tokens = Array.from({ length: 12_000 }, () => generateKey('production'))
  for (const token of tokens) await authentication.verify(token, context)
  expect(tokens.filter((token) => authentication.known(token, context)).length).toBeLessThanOrEqual(10_000)
  expect(authentication.known(tokens.at(-1) as string, context)).toBe(key)
})
