// Rules of every store that random sequences (sequences/) do not reach: races between commands, key uses, and rows that
// were changed by hand.

import { describe, expect, test } from 'bun:test'
import { allEvents, eventFilter } from '../../../../test/support/events.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { startService } from '../../../../test/support/service.ts'
import { until } from '../../../../test/support/until.ts'
import { ORDER_STATUSES } from '../../../contract/src/generated.ts'
import type { EventPosition } from '../../src/domain/events.ts'
import { generateKey, hashKey } from '../../src/domain/keys.ts'
import type { StoredNames } from '../../src/domain/names.ts'
import { HOLDING } from '../../src/domain/order-transitions.ts'
import type { OrderStatus } from '../../src/domain/orders.ts'
import type { Store, StoreOptions } from '../../src/domain/store.ts'

/** An empty store, a second server's store on the same data, and a way to run SQL on it. */
interface OpenedStore {
  readonly store: Store
  beside(): Promise<Store>
  run(sql: string): Promise<unknown>
}

/** `sweepMax`: how many reservations one transaction expires at most. */
export function conformance(
  name: string,
  sweepMax: number,
  open: (options: Pick<StoreOptions, 'onBatch'>) => Promise<OpenedStore>,
): void {
  test(`category names on ${name} are replaced together, and another server reads them`, async () => {
    const { store, beside } = await open({})
    const others = await beside()
    const { id: by } = await store.createKey(newKey())
    await store.createPet(newPet({ categoryId: 41n }), by)
    const [dogs, cats] = [
      { id: -7n, name: 'Dogs' },
      { id: 2n ** 63n - 2n, name: '\u{1F436} "é"' },
    ]
    const stored = { categories: [dogs, cats], nextId: 2n ** 63n - 1n }
    expect(await store.setNames([cats, dogs], () => undefined)).toEqual(stored)
    expect(await others.readNames()).toEqual(stored)
    const onlyOnce = (before: StoredNames) => {
      if (before.categories.length !== 2) throw new Error('changed')
    }
    const both = await Promise.allSettled([store, others].map((server) => server.setNames([dogs], onlyOnce)))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await store.readNames()).toEqual({ categories: [dogs], nextId: 42n })
    await Promise.all([store.close(), others.close()])
  })

  describe(`API keys on ${name}`, () => {
    test('creates one of several keys with the same name that are created at the same time', async () => {
      const { store } = await open({})
      const { id: newestKnown } = await store.createKey(newKey())
      const outcomes = await Promise.allSettled(
        [1, 2, 3].map(() => store.createKey(newKey({ name: 'till', newestKnown }))),
      )
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
      const { reason } = outcomes.find((outcome) => outcome.status === 'rejected') as PromiseRejectedResult
      expect(reason.message).toStartWith('Another command has just created a key named "till".')
      expect((await store.listKeys()).filter((key) => key.name === 'till').length).toBe(1)
      await store.close()
    })

    test('creates a first key only in a store without keys', async () => {
      const { store } = await open({})
      const both = await Promise.all([store.createFirstKey(newKey()), store.createFirstKey(newKey())])
      expect(both.filter(Boolean).length).toBe(1)
      expect(await store.createFirstKey(newKey())).toBeUndefined()
      expect((await store.listKeys()).length).toBe(1)
      await store.close()
    })

    test('a key that one server revokes is rejected by another within a second', async () => {
      const { store, beside } = await open({})
      const others = await beside()
      const service = await startService({ store: others, now: Date.now })
      // Twice, because a server forgets all keys from time to time, which can be right after the first revocation.
      for (const _ of [1, 2]) {
        const text = generateKey('production')
        const { id } = await store.createKey(newKey({ hash: hashKey(text) }))
        const status = async () => (await service.get('/pets', { Authorization: `Bearer ${text}` })).status
        expect(await status()).toBe(200)
        await store.revokeKey(id)
        const revokedAt = performance.now()
        for (let askedAt = revokedAt; (await status()) !== 401; askedAt = performance.now())
          expect(askedAt - revokedAt).toBeLessThan(1_000)
      }
      await service.stop()
      await Promise.all([store.close(), others.close()])
    })

    test('keeps the ending of a key, its last use and its deprecated calls', async () => {
      const { store } = await open({})
      const { id, ending, lastUsedAt } = await store.createKey(newKey({ ending: 'aB12' }))
      expect([ending, lastUsedAt]).toEqual(['aB12', undefined])
      const other = await store.createKey(newKey())
      const use = (keyId: bigint, at: number) => ({ keyId, ending: keyId === id ? 'aB12' : 'cD34', at })
      await store.saveKeyUses([use(other.id, 7_000), use(id, 9_000)])
      await store.saveKeyUses([use(id, 8_000)])
      expect((await store.listKeys()).map((key) => [key.ending, key.lastUsedAt])).toEqual([
        ['aB12', 9_000],
        ['cD34', 7_000],
      ])
      const calls = { keyId: id, operationId: 'getPet' }
      await store.countDeprecatedCalls([{ ...calls, calls: 2, lastAt: 10 }])
      await store.countDeprecatedCalls([{ ...calls, calls: 3, lastAt: 5 }])
      expect(await store.listDeprecatedCalls()).toEqual([{ ...calls, calls: 5, lastAt: 10 }])
      await store.close()
    })
  })

  test(`rejects a position on ${name} whose event has changed or is missing`, async () => {
    const { store, run } = await open({})
    const { id: by } = await store.createKey(newKey())
    const addPet = () => store.createPet(newPet(), by)
    await addPet()
    const [event] = await allEvents(store, { sort: 'newest', limit: 1 })
    const after = await store.findEnd()
    expect(after.id).toBe(event?.id as bigint)
    const codeOf = async (place: EventPosition, fields = {}) =>
      ((await rejectionOf(store.listEvents(eventFilter(place, fields)))) as { code?: string }).code
    for (const [change, back] of [
      ['at = at + 1', 'at = at - 1'],
      ["type = 'pet.changed'", "type = 'pet.added'"],
      ['pet_id = -pet_id', 'pet_id = -pet_id'],
      ['order_id = 1', 'order_id = NULL'],
    ]) {
      expect((await store.listEvents(eventFilter(after))).count).toBe(0)
      await run(`UPDATE events SET ${change} WHERE id = ${after.id}`)
      for (const fields of [{}, { sort: 'newest' }, { petId: 1n }, { to: 0 }]) {
        expect(await codeOf(after, fields)).toBe('cursor_expired')
      }
      await run(`UPDATE events SET ${back} WHERE id = ${after.id}`)
    }
    for (const other of [{ id: after.id + 1n }, { epoch: after.epoch + 1n }])
      expect(await codeOf({ ...after, ...other })).toBe('cursor_expired')
    await run(`DELETE FROM events WHERE id = ${after.id}`)
    expect(await codeOf(after)).toBe('cursor_expired')
    await addPet()
    expect(await codeOf(after)).toBe('cursor_expired')
    await store.close()
  })

  test(`an order on ${name} that is changed and changed back in one commit has the time of the change`, async () => {
    const { store } = await open({})
    const { id: by } = await store.createKey(newKey())
    const { value: pet } = await store.createPet(newPet(), by)
    const { id, changedAt } = (await store.placeOrder({ petId: pet.id, reference: 'a' }, by)).value
    await until('the clock has moved', () => Date.now() > changedAt + 1)
    await Promise.all(['b', 'a'].map((reference) => store.updateOrder(id, { reference }, by)))
    expect((await store.getOrder(id))?.changedAt).toBeGreaterThan(changedAt)
    await store.close()
  })

  test(`the database of ${name} allows only one order that holds a pet`, async () => {
    const { store, run } = await open({})
    const { id: by } = await store.createKey(newKey())
    await store.createPet(newPet(), by)
    const refused: OrderStatus[] = []
    for (const status of ORDER_STATUSES) {
      const insert = `INSERT INTO orders (pet_id, status, placed_at, changed_at) VALUES (1, '${status}', 1, 1)`
      await run(insert)
      await run(insert).catch(({ message }) => {
        expect(message).toMatch(/unique/i)
        refused.push(status)
      })
      await run('DELETE FROM orders')
    }
    expect(refused).toEqual(ORDER_STATUSES.filter((status) => HOLDING.includes(status)))
    await store.close()
  })

  /** A store in which all of these reservations are overdue. */
  async function overdue(count: number, onBatch?: () => void): Promise<OpenedStore> {
    const opened = await open({ onBatch })
    const { store, run } = opened
    const { id: by } = await store.createKey(newKey())
    const pets = await Promise.all(Array.from({ length: count }, () => store.createPet(newPet(), by)))
    await Promise.all(
      pets.map(({ value }) => store.placeOrder({ petId: value.id, expiresAt: Date.now() + 60_000 }, by)),
    )
    await run('UPDATE orders SET expires_at = 2')
    return opened
  }

  test(`expires at most ${sweepMax} reservations in one transaction on ${name}`, async () => {
    const { store } = await overdue(2 * sweepMax + 20)
    for (const count of [sweepMax, sweepMax, 20, 0]) expect(await store.expireOrders()).toHaveLength(count)
    await store.close()
  })

  test(`expires the other reservations on ${name} if some do not match the status of their pet`, async () => {
    let batches = 0
    const { store, run } = await overdue(4, () => batches++)
    const expired = async () => (await store.expireOrders(10)).map(({ petId }) => petId).sort()
    await run("UPDATE pets SET status = 'sold' WHERE id IN (2, 4)")
    batches = 0
    expect(await expired()).toEqual([1n, 3n])
    await run("UPDATE pets SET status = 'pending' WHERE id = 2")
    expect(await expired()).toEqual([2n])
    expect(await expired()).toEqual([])
    // The last call started no transaction.
    expect(batches).toBe(2)
    await store.close()
  })
}
