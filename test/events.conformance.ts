// What every store promises of the feed of events (src/domain/events.ts), as tests. A store's own test file calls this with a way to open
// it. Times are real: on PostgreSQL the database's clock decides.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Event } from '../src/contract/generated.ts'
import type { KeyId } from '../src/domain/keys.ts'
import type { NewOrder } from '../src/domain/orders.ts'
import type { PetStatus } from '../src/domain/pets.ts'
import type { Store } from '../src/domain/store.ts'
import { allEvents, eventFilter, eventsOf, inventoryOf } from './support/events.ts'
import { newKey } from './support/keys.ts'
import { newPet } from './support/pets.ts'
import { rejectionOf } from './support/rejection.ts'

/** An empty store, and a way to run SQL on it as its owner. */
export interface OpenedStore {
  readonly store: Store
  run(sql: string): Promise<unknown>
}

/** What an event says, in a line: `order.placed 2 pending 1 pending till`. */
const lineOf = ({ type, petId, petStatus, orderId, orderStatus, by }: Event) =>
  [type, petId, petStatus, orderId, orderStatus, by].filter((part) => part !== undefined).join(' ')

export function eventsConformance(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} keeps the promises of the feed of events`, () => {
    let store: Store
    let run: OpenedStore['run']
    let by: KeyId

    beforeAll(async () => {
      const opened = await open()
      store = opened.store
      run = opened.run
      by = (await store.createKey(newKey({ name: 'till' }))).id
    })
    afterAll(() => store.close())

    const here = () => store.findPlace('now')
    const addPet = async (status: PetStatus = 'available', name = 'Rex') =>
      (await store.createPet(newPet({ name, status }), by)).value.id
    const place = async (petId: bigint, order: Omit<NewOrder, 'petId'> = {}) =>
      (await store.placeOrder({ petId, ...order }, by)).value
    const since = async (after: Awaited<ReturnType<typeof here>>) => allEvents(store, { after })

    test('an empty store has none, and its end is its beginning', async () => {
      const empty = await open()
      const [beginning, now] = [await empty.store.findPlace('beginning'), await empty.store.findPlace('now')]
      expect(now).toEqual(beginning)
      for (const fields of [{}, { petId: 1n }, { orderId: 1n }, { petId: 1n, orderId: 1n }]) {
        const page = await empty.store.listEvents(eventFilter(beginning, fields))
        expect(page).toEqual({ json: '[]', count: 0, next: beginning })
      }
      expect(await empty.store.findPlace(0)).toEqual(beginning)
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

    test('an expiry has no key, whoever comes upon it, and stands before what came after it', async () => {
      const after = await here()
      const pets = [await addPet(), await addPet(), await addPet(), await addPet()] as const
      const expiresAt = Date.now() + 400
      const orders = await Promise.all(pets.map((petId) => place(petId, { expiresAt })))
      const [byCancel, byPlace, byComplete, bySweep] = orders.map(({ id }) => id) as [bigint, bigint, bigint, bigint]
      while (Date.now() <= expiresAt) await Bun.sleep(expiresAt - Date.now() + 1)
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
      expect(await store.listEvents(eventFilter(after))).toEqual({ json: '[]', count: 0, next: after })
    })

    test('rise in their ids, are the same on pages of every size, and are the inventory', async () => {
      const everything = await allEvents(store, { limit: 100 })
      const ids = everything.map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)))
      for (const limit of [1, 2, 7, 99]) expect(await allEvents(store, { limit })).toEqual(everything)
      expect(inventoryOf(everything)).toEqual(await store.getInventory())
      expect((await here()).id).toBe(ids.at(-1) as bigint)
    })

    test('of one pet or one order are those of all that are of it, from any place on', async () => {
      const pet = await addPet()
      const orders = [await place(pet)]
      await addPet('pending')
      for (let n = 0; n < 4; n++) {
        await store.cancelOrder(orders.at(-1)?.id as bigint, by)
        await place(await addPet())
        orders.push(await place(pet))
      }
      await store.completeOrder(orders.at(-1)?.id as bigint, by)
      await store.returnOrder(orders.at(-1)?.id as bigint, by)
      orders.splice(1, orders.length - 1)
      orders.push(await place(pet))
      const everything = await allEvents(store, { limit: 100 })
      const [first, second] = orders.map(({ id }) => id) as [bigint, bigint]
      const { epoch } = await here()
      for (const id of [0n, ...everything.map((event) => event.id)]) {
        const after = { epoch, id }
        const rest = everything.filter((event) => event.id > id)
        const ofPet = rest.filter(({ petId }) => petId === pet)
        expect(await allEvents(store, { after, petId: pet, limit: 1 })).toEqual(ofPet)
        const ofOrder = ofPet.filter(({ orderId }) => orderId === first)
        expect(await allEvents(store, { after, orderId: first, limit: 1 })).toEqual(ofOrder)
        expect(await allEvents(store, { after, orderId: first, petId: pet })).toEqual(ofOrder)
        expect(await allEvents(store, { after })).toEqual(rest)
      }
      expect(await allEvents(store, { orderId: second, petId: pet - 1n })).toEqual([])
      expect(await allEvents(store, { petId: 999_999n })).toEqual([])
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
      const rows = before.map(({ id }) => id)
      const kept = (id: bigint, name: string, status: string) =>
        `{"id":${id},"name":"${name}","categoryId":7,"status":"${status}"}`
      const at = Date.now()
      // As corrections do it, in one transaction each.
      await run(`INSERT INTO changed_pets (pet_id, pet, at, key_id)
        SELECT id, '${kept(renamed, 'Rxe', 'available')}', created_at, created_by FROM pets WHERE id = ${renamed}`)
      await run(`UPDATE pets SET name = 'Rex' WHERE id = ${renamed}`)
      await run(`INSERT INTO events (id, after_pet, type, at, key_id, pet_id, pet)
        SELECT id + 1, after_pet, 'pet.changed', ${at}, ${by}, ${renamed}, '${kept(renamed, 'Rex', 'pending')}'
        FROM events ORDER BY id DESC LIMIT 1`)
      await run(`INSERT INTO events (id, after_pet, type, at, key_id, pet_id, order_id)
        SELECT id + 1, after_pet, 'order.changed', ${at}, ${by}, ${renamed}, ${order.id} FROM events ORDER BY id DESC LIMIT 1`)
      await run(`INSERT INTO changed_pets (pet_id, pet, at, key_id)
        SELECT id, '${kept(deleted, 'Nobody', 'pending')}', created_at, created_by FROM pets WHERE id = ${deleted}`)
      await run(`INSERT INTO events (id, after_pet, type, at, key_id, pet_id)
        SELECT id + 1, after_pet, 'pet.deleted', ${at}, ${by}, ${deleted} FROM events ORDER BY id DESC LIMIT 1`)
      await run(`DELETE FROM pets WHERE id = ${deleted}`)
      const now = await since(after)
      expect(now.slice(0, 3)).toEqual(before)
      expect(now.slice(3).map(lineOf)).toEqual([
        `pet.changed ${renamed} pending till`,
        `order.changed ${renamed} pending ${order.id} pending till`,
        `pet.deleted ${deleted} till`,
      ])
      expect(now[3]?.pet).toEqual({ id: renamed, ...newPet({ status: 'pending' }) })
      const next = await addPet()
      const last = (await since(after)).at(-1) as Event
      expect([last.petId, last.id > (now.at(-1)?.id as bigint)]).toEqual([next, true])
      expect((await since(after)).slice(0, 3).map(({ id }) => id)).toEqual(rows)
      expect(await allEvents(store, { after, petId: deleted })).toEqual(now.filter(({ petId }) => petId === deleted))
    })

    test('begin at a time: at the first that is not earlier, also where a clock went back', async () => {
      const pets = [await addPet(), await addPet(), await addPet()] as const
      const [first, second, third] = pets
      const day = 86_400_000
      const start = Date.now() + 100 * day
      for (const [id, days] of [
        [first, 2],
        [second, 0],
        [third, 1],
      ] as const) {
        await run(`UPDATE pets SET created_at = ${start + days * day} WHERE id = ${id}`)
      }
      const from = async (time: number) => {
        const page = await store.listEvents(eventFilter(await store.findPlace(time), { limit: 1 }))
        return eventsOf(page.json)[0]?.petId
      }
      expect(await from(start)).toBe(first)
      expect(await from(start + 2 * day)).toBe(first)
      expect(await from(start + 2 * day + 1)).toBeUndefined()
      expect(await store.findPlace(start + 2 * day + 1)).toEqual(await here())
      expect((await store.findPlace(0)).id).toBe(0n)
      const order = await place(await addPet())
      await run(`UPDATE events SET at = ${start + 3 * day} WHERE order_id = ${order.id}`)
      await addPet()
      expect(await from(start + 2 * day + 1)).toBe(order.petId)
      expect(
        (await allEvents(store, { after: await store.findPlace(start + 3 * day) })).map(({ type }) => type),
      ).toEqual(['order.placed', 'pet.added'])
    })

    test('a new epoch: every place of before has expired, and the events are the same', async () => {
      const before = await allEvents(store)
      const [beginning, end] = [await store.findPlace('beginning'), await here()]
      await store.beginEpoch()
      for (const after of [beginning, end]) {
        expect(await rejectionOf(store.listEvents(eventFilter(after)))).toMatchObject({ code: 'cursor_expired' })
      }
      expect(await allEvents(store)).toEqual(before)
      expect((await here()).epoch).not.toBe(end.epoch)
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
