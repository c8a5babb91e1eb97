// What every store promises of positions in the feed of events (packages/service/src/domain/events.ts): which of them expire.

import { describe, expect, test } from 'bun:test'
import { allEvents, eventFilter } from '../../../../test/support/events.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import type { EventPosition } from '../../src/domain/events.ts'
import type { Store } from '../../src/domain/store.ts'

/** An empty store, and a way to run SQL on it as its owner. */
export interface OpenedStore {
  readonly store: Store
  run(sql: string): Promise<unknown>
}

export function eventsConformance(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} keeps the promises of positions in the feed of events`, () => {
    test('a place whose event is another one, or none, has expired, whatever follows', async () => {
      const { store, run } = await open()
      const { id: by } = await store.createKey(newKey())
      const addPet = () => store.createPet(newPet(), by)
      const here = () => store.findEnd()
      await addPet()
      const [event] = await allEvents(store, { sort: 'newest', limit: 1 })
      const after = await here()
      expect(after.id).toBe(event?.id as bigint)
      const codeOf = async (place: EventPosition, fields = {}) =>
        ((await rejectionOf(store.listEvents(eventFilter(place, fields)))) as { code?: string }).code
      const isOpen = async () => (await store.listEvents(eventFilter(after))).count === 0
      for (const [change, back] of [
        ['at = at + 1', 'at = at - 1'],
        ["type = 'pet.changed'", "type = 'pet.added'"],
        ['pet_id = -pet_id', 'pet_id = -pet_id'],
        ['order_id = 1', 'order_id = NULL'],
      ]) {
        expect(await isOpen()).toBe(true)
        await run(`UPDATE events SET ${change} WHERE id = ${after.id}`)
        for (const fields of [{}, { sort: 'newest' }, { petId: 1n }, { to: 0 }]) {
          expect(await codeOf(after, fields)).toBe('cursor_expired')
        }
        await run(`UPDATE events SET ${back} WHERE id = ${after.id}`)
      }
      expect(await codeOf({ ...after, id: after.id + 1n })).toBe('cursor_expired')
      await run(`DELETE FROM events WHERE id = ${after.id}`)
      expect(await codeOf(after)).toBe('cursor_expired')
      await addPet()
      expect(await codeOf(after)).toBe('cursor_expired')
      await store.close()
    })

    test('a new epoch: every place of before has expired, and the events are the same', async () => {
      const { store } = await open()
      await store.createPet(newPet(), (await store.createKey(newKey())).id)
      const here = () => store.findEnd()
      const before = await allEvents(store)
      const end = await here()
      const beginning = { ...end, id: 0n, mark: undefined }
      await Promise.all([store.endEpoch(end.epoch), store.endEpoch(end.epoch)])
      for (const after of [beginning, end]) {
        expect(await rejectionOf(store.listEvents(eventFilter(after)))).toMatchObject({ code: 'cursor_expired' })
      }
      expect(await allEvents(store)).toEqual(before)
      const { epoch } = await here()
      expect(epoch).not.toBe(end.epoch)
      await store.endEpoch(end.epoch)
      expect((await here()).epoch).toBe(epoch)
      await store.close()
    })
  })
}
