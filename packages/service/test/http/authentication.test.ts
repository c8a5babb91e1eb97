// Caching of API keys: requests share a look-up, and no cached key outlives a revocation. The simulator
// (endurance/simulate/) tests look-ups across commits.

import { expect, test } from 'bun:test'
import { newKey } from '../../../../test/support/keys.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { TODAY } from '../../../../test/support/service.ts'
import { generateKey, hashKey, type KeyHash, refusedKey } from '../../src/domain/keys.ts'
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

/** A store whose first look-up reads immediately, but returns only after `release`. */
async function slowAtFirst() {
  const opened = await openStore(':memory:', { now: () => TODAY })
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let lookups = 0
  const findKey = async (hash: KeyHash) => {
    const found = await opened.findKey(hash)
    if (++lookups > 1) return found
    begin()
    await released
    return found
  }
  return { opened, authentication: new Authentication({ findKey }, 'production'), begun, release }
}

test('a key that is revoked during its look-up is not cached', async () => {
  const { opened, authentication, begun, release } = await slowAtFirst()
  // As with PostgreSQL, where the number increases within half a second.
  const context = (keys: number) => ({ version: { data: undefined, keys }, now: TODAY }) as Context
  const token = generateKey('production')
  const { id } = await opened.createKey(newKey({ hash: hashKey(token) }))
  const early = authentication.verify(token, context(1))
  await begun
  await opened.revokeKey(id)
  expect(await rejectionOf(authentication.verify(token, context(2)))).toEqual(refusedKey('revoked'))
  release()
  expect((await early).id).toBe(id)
  expect(authentication.known(token, context(2))).toBeUndefined()
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
