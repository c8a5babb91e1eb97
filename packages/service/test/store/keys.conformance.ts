// What every store promises of API keys: how they are found, end, are listed, and what is kept of their use.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newKey } from '../../../../test/support/keys.ts'
import { hashKey, type KeyId } from '../../src/domain/keys.ts'
import type { Store, StoreOptions } from '../../src/domain/store.ts'

/** Each call gives a store with nothing in it. */
export function keysConformance(name: string, open: (options: StoreOptions) => Promise<Store>): void {
  describe(`${name} keeps the promises of a store of API keys`, () => {
    const clock = { at: 1_000 }
    let store: Store
    let by: KeyId

    beforeAll(async () => {
      store = await open({ now: () => clock.at })
      by = (await store.createKey(newKey())).id
    })
    afterAll(() => store.close())

    test('finds a key by its hash only', async () => {
      const key = newKey({ name: 'till', readOnly: true, expiresAt: 5_000 })
      const created = await store.createKey(key)
      expect(created).toMatchObject({ name: 'till', readOnly: true, expiresAt: 5_000, createdAt: clock.at })
      expect(await store.findKey(key.hash)).toEqual(created)
      expect(await store.findKey(hashKey('something else'))).toBeUndefined()
    })

    test('a key that was looked up before it existed is found once it exists', async () => {
      const key = newKey()
      expect(await store.findKey(key.hash)).toBeUndefined()
      await store.createKey(key)
      expect(await store.findKey(key.hash)).toBeDefined()
    })

    test('revokes once: a later revocation changes nothing', async () => {
      const key = newKey()
      const { id } = await store.createKey(key)
      expect((await store.findKey(key.hash))?.revokedAt).toBeUndefined()
      clock.at = 2_000
      await store.revokeKey(id)
      clock.at = 3_000
      await store.revokeKey(id)
      expect((await store.findKey(key.hash))?.revokedAt).toBe(2_000)
    })

    test('a key that is given an end expires then, and never lives longer', async () => {
      const [endless, ending] = [newKey(), newKey({ expiresAt: 4_000 })]
      for (const key of [endless, ending]) await store.endKey((await store.createKey(key)).id, 9_000)
      expect((await store.findKey(endless.hash))?.expiresAt).toBe(9_000)
      expect((await store.findKey(ending.hash))?.expiresAt).toBe(4_000)
    })

    test('of keys of one name that are created at the same time, one exists afterwards', async () => {
      const name = crypto.randomUUID()
      const newestKnown = (await store.listKeys()).at(-1)?.id
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => store.createKey(newKey({ name, newestKnown }))))
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
      const { reason } = outcomes.find((outcome) => outcome.status === 'rejected') as PromiseRejectedResult
      expect(reason.message).toStartWith(`Another command has just created a key named ${JSON.stringify(name)}.`)
      expect((await store.listKeys()).filter((key) => key.name === name).length).toBe(1)
    })

    test('creates no first key in a store that has keys', async () => {
      expect(await store.createFirstKey(newKey())).toBeUndefined()
      const empty = await open({ now: () => clock.at })
      const both = await Promise.all([empty.createFirstKey(newKey()), empty.createFirstKey(newKey())])
      expect(both.filter(Boolean).length).toBe(1)
      expect((await empty.listKeys()).length).toBe(1)
      await empty.close()
    })

    test('lists every key, oldest first', async () => {
      const created = [await store.createKey(newKey()), await store.createKey(newKey())].map(({ id }) => id)
      const ids = (await store.listKeys()).map(({ id }) => id)
      expect(ids).toEqual(ids.toSorted((a, b) => (a < b ? -1 : 1)))
      expect(ids.slice(-2)).toEqual(created)
      expect(ids).toContain(by)
    })

    test('keeps the ending of a key, and the latest of its uses', async () => {
      const [first, second] = [newKey({ ending: 'aB12' }), newKey()]
      const { id, ending, lastUsedAt } = await store.createKey(first)
      expect([ending, lastUsedAt]).toEqual(['aB12', undefined])
      const other = await store.createKey(second)
      const use = (keyId: bigint, at: number) => ({ keyId, ending: keyId === id ? 'aB12' : 'cD34', at })
      await store.saveKeyUses([use(other.id, 7_000), use(id, 9_000)])
      await store.saveKeyUses([use(id, 8_000)])
      const saved = (await store.listKeys()).filter((key) => [id, other.id].includes(key.id))
      expect(saved.map((key) => [key.ending, key.lastUsedAt])).toEqual([
        ['aB12', 9_000],
        ['cD34', 7_000],
      ])
    })

    test('adds up deprecated calls', async () => {
      await store.countDeprecatedCalls([{ keyId: by, operationId: 'getPet', calls: 2, lastAt: 10 }])
      await store.countDeprecatedCalls([{ keyId: by, operationId: 'getPet', calls: 3, lastAt: 5 }])
      // The client's own calls may have been counted, too.
      const counted = (await store.listDeprecatedCalls()).filter(({ keyId }) => keyId === by)
      expect(counted).toEqual([{ keyId: by, operationId: 'getPet', calls: 5, lastAt: 10 }])
    })
  })
}
