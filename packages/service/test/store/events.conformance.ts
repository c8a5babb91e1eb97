// What every store promises of the feed of events (packages/service/src/domain/events.ts), as tests. A store's own test file calls this with a way to open
// it. Times are real: on PostgreSQL the database's clock decides.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { allEvents, eventFilter, eventsOf, inventoryOf, placeOf } from '../../../../test/support/events.ts'
import { newKey } from '../../../../test/support/keys.ts'
import { newPet } from '../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../test/support/rejection.ts'
import { until } from '../../../../test/support/until.ts'
import type { Event } from '../../../contract/src/generated.ts'
import type { EventFilter, EventPosition } from '../../src/domain/events.ts'
import type { KeyId } from '../../src/domain/keys.ts'
import type { NewOrder } from '../../src/domain/orders.ts'
import type { PetStatus } from '../../src/domain/pets.ts'
import type { Store } from '../../src/domain/store.ts'

/** An empty store, a way to run SQL on it as its owner, and its clock, as milliseconds ahead of the real one. */
export interface OpenedStore {
  readonly store: Store
  run(sql: string): Promise<unknown>
  setClock(ms: number): Promise<void>
}

/** What an event says, in a line: `order.placed 2 pending 1 pending till`. */
const lineOf = ({ type, petId, petStatus, orderId, orderStatus, by }: Event) =>
  [type, petId, petStatus, orderId, orderStatus, by].filter((part) => part !== undefined).join(' ')

export function eventsConformance(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} keeps the promises of the feed of events`, () => {
    let store: Store
    let setClock: OpenedStore['setClock']
    let by: KeyId

    beforeAll(async () => {
      const opened = await open()
      store = opened.store
      setClock = opened.setClock
      by = (await store.createKey(newKey({ name: 'till' }))).id
      // Events of each kind, of one pet and of others between them.
      const [pet, other] = [await addPet(), await addPet('pending')]
      const orders = [await place(pet)]
      for (let n = 0; n < 3; n++) {
        await store.cancelOrder(orders.at(-1)?.id as bigint, by)
        await place(await addPet())
        orders.push(await place(pet))
      }
      await store.completeOrder(orders.at(-1)?.id as bigint, by)
      await store.returnOrder(orders.at(-1)?.id as bigint, by)
      await store.updatePet(pet, { name: 'Luna' }, by)
      await store.deletePet(other, by)
    })
    afterAll(() => store.close())

    const here = () => store.findEnd()
    const addPet = async (status: PetStatus = 'available', name = 'Rex') =>
      (await store.createPet(newPet({ name, status }), by)).value.id
    const place = async (petId: bigint, order: Omit<NewOrder, 'petId'> = {}) =>
      (await store.placeOrder({ petId, ...order }, by)).value
    const since = async (after: Awaited<ReturnType<typeof here>>) => allEvents(store, { after })

    test('an empty store has none, and its end is its beginning', async () => {
      const empty = await open()
      const end = await empty.store.findEnd()
      expect([end.id, end.mark]).toEqual([0n, undefined])
      const filters = [{ petId: 1n }, { orderId: 1n }, { petId: 1n, orderId: 1n }, { type: ['pet.added' as const] }]
      for (const fields of [
        ...filters,
        {},
        { from: 'now' as const },
        { from: 0 },
        { to: 0 },
        { sort: 'newest' as const },
      ]) {
        for (const after of [undefined, end]) {
          const page = await empty.store.listEvents(eventFilter(after, fields))
          expect(page).toEqual({ json: '[]', count: 0, next: end, ended: false })
        }
      }
      await empty.store.close()
    })

    test('tells what happened, in order, each with the pet and the order right after it', async () => {
      const after = await here()
      const pet = await addPet('available', 'Rex "the 1st" \u{1F436}')
      const sold = await addPet('sold')
      const order = await place(pet, { reference: 'till 3' })
      const completed = await store.completeOrder(order.id, by)
      const returned = await store.returnOrder(order.id, by)
      const cancelled = await store.cancelOrder((await place(pet)).id, by)
      const events = await since(after)
      expect(events.map(lineOf)).toEqual([
        `pet.added ${pet} available till`,
        `pet.added ${sold} sold till`,
        `order.placed ${pet} pending ${order.id} pending till`,
        `order.completed ${pet} sold ${order.id} completed till`,
        `order.returned ${pet} available ${order.id} returned till`,
        `order.placed ${pet} pending ${cancelled.id} pending till`,
        `order.cancelled ${pet} available ${cancelled.id} cancelled till`,
      ])
      expect(events[0]?.pet).toEqual({ id: pet, ...newPet({ name: 'Rex "the 1st" \u{1F436}' }) })
      expect(events[1]?.pet).toEqual({ id: sold, ...newPet({ status: 'sold' }) })
      expect(events.slice(2).every((event) => event.pet === undefined)).toBe(true)
      const at = (time: number) => new Date(time).toISOString()
      expect(events.slice(2, 5).map((event) => event.at)).toEqual(
        [order.placedAt, completed.changedAt, returned.changedAt].map(at),
      )
    })

    test('an expiry has no key, whoever comes upon it, and comes before what came after it', async () => {
      const after = await here()
      const pets = [await addPet(), await addPet(), await addPet(), await addPet()] as const
      const expiresAt = Date.now() + 400
      const orders = await Promise.all(pets.map((petId) => place(petId, { expiresAt })))
      const [byCancel, byPlace, byComplete, bySweep] = orders.map(({ id }) => id) as [bigint, bigint, bigint, bigint]
      await until('the reservation has expired', () => Date.now() > expiresAt)
      await store.cancelOrder(byCancel, by)
      const again = await place(pets[1])
      await rejectionOf(store.completeOrder(byComplete, by))
      await store.expireOrders(10)
      expect((await since(after)).slice(8).map(lineOf)).toEqual([
        `order.expired ${pets[0]} available ${byCancel} expired`,
        `order.expired ${pets[1]} available ${byPlace} expired`,
        `order.placed ${pets[1]} pending ${again.id} pending till`,
        `order.expired ${pets[2]} available ${byComplete} expired`,
        `order.expired ${pets[3]} available ${bySweep} expired`,
      ])
    })

    test('repeats, refusals and replays are no events', async () => {
      const { value: pet } = await store.createPet(newPet(), by, 'a pet')
      const { value: order } = await store.placeOrder({ petId: pet.id }, by, 'an order')
      await store.completeOrder(order.id, by)
      const after = await here()
      await store.createPet(newPet(), by, 'a pet')
      await store.placeOrder({ petId: pet.id }, by, 'an order')
      await store.completeOrder(order.id, by)
      await rejectionOf(store.cancelOrder(order.id, by))
      await rejectionOf(store.placeOrder({ petId: pet.id }, by))
      await rejectionOf(store.completeOrder(999_999n, by))
      expect(await store.listEvents(eventFilter(after))).toEqual({ json: '[]', count: 0, next: after, ended: false })
    })

    test('rise in their ids, are the same on pages of every size, and are the inventory', async () => {
      const everything = await allEvents(store, { limit: 100 })
      const ids = everything.map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)))
      for (const limit of [1, 2, 7, 99]) expect(await allEvents(store, { limit })).toEqual(everything)
      expect(inventoryOf(everything)).toEqual(await store.getInventory())
      expect((await here()).id).toBe(ids.at(-1) as bigint)
    })

    test('a page that is not full leads to the present end, and what follows is behind it', async () => {
      const pet = await addPet()
      const { next } = await store.listEvents(eventFilter(await here(), { petId: pet }))
      expect(next).toEqual(await here())
      const order = await place(pet)
      expect((await allEvents(store, { after: next, petId: pet })).map(lineOf)).toEqual([
        `order.placed ${pet} pending ${order.id} pending till`,
      ])
    })

    test('a corrected pet is shown as it was added, and then as it became; a deleted one as it was added', async () => {
      const after = await here()
      const [renamed, deleted] = [await addPet('available', 'Rxe'), await addPet('pending', 'Nobody')]
      const order = await place(renamed)
      const before = await since(after)
      await store.updatePet(renamed, { name: 'Rex' }, by)
      await store.updateOrder(order.id, { reference: 'till 3' }, by)
      await store.deletePet(deleted, by)
      const now = await since(after)
      expect(now.slice(0, 3)).toEqual(before)
      expect(now.slice(3).map(lineOf)).toEqual([
        `pet.changed ${renamed} pending till`,
        `order.changed ${renamed} pending ${order.id} pending till`,
        `pet.deleted ${deleted} till`,
      ])
      expect(now[3]?.pet).toEqual({ id: renamed, ...newPet({ status: 'pending' }) })
      expect(await allEvents(store, { after, petId: deleted })).toEqual(now.filter(({ petId }) => petId === deleted))
    })

    test('deleting a pet that was never corrected keeps its pet.added', async () => {
      const after = await here()
      const pet = await addPet('sold', 'Nobody')
      const [added] = await since(after)
      await store.deletePet(pet, by)
      expect(await since(after)).toMatchObject([added as Event, { type: 'pet.deleted', petId: pet }])
      expect(await allEvents(store, { petId: pet })).toMatchObject([{ type: 'pet.added' }, { type: 'pet.deleted' }])
    })

    test('are narrowed by any types, go either way, and end at any place: the same as of all that there are', async () => {
      const everything = await allEvents(store, { limit: 100 })
      const types = ['order.cancelled', 'pet.added', 'pet.deleted'] as const
      const [first] = await allEvents(store, { type: ['order.cancelled'], limit: 1 })
      const { epoch } = await here()
      const filters = [
        {},
        { petId: first?.petId },
        { orderId: first?.orderId },
        { petId: first?.petId, orderId: first?.orderId },
      ]
      for (const filter of filters) {
        for (const type of [undefined, ['order.placed'], ['pet.added'], types] as EventFilter['type'][]) {
          const isGiven = ({ type: its, petId, orderId }: Event) =>
            (type?.includes(its) ?? true) &&
            (filter.petId === undefined || petId === filter.petId) &&
            (filter.orderId === undefined || orderId === filter.orderId)
          const given = everything.filter(isGiven)
          for (const limit of [1, 3, 100]) {
            expect(await allEvents(store, { ...filter, type, limit })).toEqual(given)
            expect(await allEvents(store, { ...filter, type, limit, sort: 'newest' })).toEqual(given.toReversed())
          }
          const middle = everything[everything.length >> 1] as Event
          const after = placeOf(middle, epoch)
          const [behind, before] = [given.filter(({ id }) => id > middle.id), given.filter(({ id }) => id < middle.id)]
          expect(await allEvents(store, { ...filter, type, after, limit: 2 })).toEqual(behind)
          expect(await allEvents(store, { ...filter, type, after, limit: 2, sort: 'newest' })).toEqual(
            before.toReversed(),
          )
        }
      }
    })

    // One test: a clock that another has set ahead is ahead for all that follow.
    test('begin and end at a time, at the first that is not earlier, also where a clock went back; up to a time is then over', async () => {
      const day = 86_400_000
      const pets: bigint[] = []
      const times: number[] = []
      for (const days of [102, 100, 101, 103, 103, 90, 104]) {
        await setClock(days * day)
        pets.push(await addPet())
        times.push(Date.parse((await allEvents(store, { petId: pets.at(-1) as bigint }))[0]?.at as string))
      }
      const end = await here()
      const from = async (from: number, to?: number) =>
        (await allEvents(store, { from, to, type: ['pet.added'] })).map(({ petId }) => petId)
      /** The place of the first that is not earlier. */
      const place = (time: number) => {
        const found = times.findIndex((one) => one >= time)
        return found < 0 ? times.length : found
      }
      for (const time of times.flatMap((one) => [one, one + 1])) {
        expect(await from(time)).toEqual(pets.slice(place(time)))
        for (const to of times.flatMap((one) => [one, one + 1])) {
          expect(await from(time, to)).toEqual(pets.slice(place(time), place(to)))
          const down = await allEvents(store, { from: time, to, sort: 'newest', limit: 2 })
          expect(down.map(({ petId }) => petId)).toEqual(pets.slice(place(time), place(to)).toReversed())
        }
      }
      const future = Math.max(...times) + 1
      expect(await store.listEvents(eventFilter(undefined, { from: future }))).toEqual({
        json: '[]',
        count: 0,
        next: end,
        ended: false,
      })
      await setClock(200 * day)
      await addPet()
      const to = Date.now() + 300 * day
      const open = await store.listEvents(eventFilter(undefined, { from: 'now', to }))
      expect(open).toEqual({ json: '[]', count: 0, next: await here(), ended: false })
      const last = await addPet()
      const before = await here()
      await setClock(301 * day)
      const beyond = await addPet()
      const page = await store.listEvents(eventFilter(open.next, { to, limit: 2 }))
      expect([page.count, page.next, page.ended]).toEqual([1, before, true])
      expect(eventsOf(page.json)[0]?.petId).toBe(last)
      expect(await store.listEvents(eventFilter(page.next, { to }))).toEqual({ ...page, json: '[]', count: 0 })
      expect((await since(page.next)).map(({ petId }) => petId)).toEqual([beyond])
      // A place behind that stays.
      const after = await here()
      expect((await store.listEvents(eventFilter(after, { to }))).next).toEqual(after)
      await setClock(0)
    })

    test('a place whose event is another one, or none, has expired, whatever follows', async () => {
      // Of its own: an event that is gone is missing in what others read.
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
    })

    test('many writers: each change is there once, in the order of its pet and order', async () => {
      const after = await here()
      const work = async (n: number) => {
        const pet = await addPet()
        const { id } = await place(pet)
        if (n % 3 === 0) await store.cancelOrder(id, by)
        else await store.completeOrder(id, by)
        if (n % 3 === 1) await store.returnOrder(id, by)
        return { pet, id, n }
      }
      const done = await Promise.all(Array.from({ length: 40 }, (_, n) => work(n)))
      const events = await since(after)
      for (const { pet, id, n } of done) {
        const ends = [[`order.cancelled ${pet} available ${id} cancelled till`]]
        ends.push([
          `order.completed ${pet} sold ${id} completed till`,
          `order.returned ${pet} available ${id} returned till`,
        ])
        ends.push([`order.completed ${pet} sold ${id} completed till`])
        expect(events.filter(({ petId }) => petId === pet).map(lineOf)).toEqual([
          `pet.added ${pet} available till`,
          `order.placed ${pet} pending ${id} pending till`,
          ...(ends[n % 3] as string[]),
        ])
      }
      expect(events.length).toBe(done.length * 3 + done.filter(({ n }) => n % 3 === 1).length)
    })
  })
}
