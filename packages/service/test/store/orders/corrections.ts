// Corrections of pets and of pending orders: what each changes, refuses, tells in the feed, and leaves behind.

import { beforeAll, describe, expect, test } from 'bun:test'
import { allEvents, inventoryOf } from '../../../../../test/support/events.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet, petsOf } from '../../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { until } from '../../../../../test/support/until.ts'
import { stringifyJson } from '../../../../contract/src/json.ts'
import { petHeld } from '../../../src/domain/decisions/refusal-messages.ts'
import type { EventPosition } from '../../../src/domain/events.ts'
import type { PetstoreError } from '../../../src/domain/petstore-error.ts'
import type { Store } from '../../../src/domain/store.ts'
import { DAY_MS, type Fixture, SOON_MS } from './fixture.ts'

export function corrections(fixture: Fixture): void {
  const { addPet, place, statusOf, placeOverdue, expectInventoryIsExact } = fixture
  let store: Store
  beforeAll(() => {
    store = fixture.store
  })
  const now = () => store.findEnd()
  const emitted = async (after: EventPosition) =>
    (await allEvents(store, { after })).map(({ type, petId, petStatus, orderId, pet, by }) =>
      [type, petId, petStatus, orderId, pet?.name, by].filter((part) => part !== undefined).join(' '),
    )
  /** What each event of the order tells of its terms. */
  const termsIn = async (orderId: bigint) => (await allEvents(store, { orderId })).map(({ terms }) => terms)
  const refusal = async (call: Promise<unknown>) => ((await rejectionOf(call)) as PetstoreError).code

  describe('a pet', () => {
    test('gets another name and category, also in its orders, and every event tells it as it was then', async () => {
      const start = await now()
      const id = await addPet('available', 'Luma')
      const order = await place(id)
      const pet = await store.updatePet(id, { name: 'Luna "É" \u{1F436}', categoryId: -5n }, fixture.by)
      expect(pet).toEqual({ id, name: 'Luna "É" \u{1F436}', categoryId: -5n, status: 'pending' })
      expect(await store.getPet(id)).toEqual(pet)
      const { petName, changedAt } = (await store.getOrder(order.id)) ?? order
      expect([petName, changedAt]).toEqual([pet.name, order.changedAt])
      expect(await emitted(start)).toEqual([
        `pet.added ${id} available Luma test`,
        `order.placed ${id} pending ${order.id} test`,
        `pet.changed ${id} pending Luna "É" \u{1F436} test`,
      ])
      const [changed] = (await allEvents(store, { petId: id })).slice(-1)
      expect(stringifyJson(changed?.pet)).toBe(stringifyJson(pet))
    })

    test('that was added as sold by mistake is freed, and one that an order holds is not', async () => {
      const id = await addPet('sold')
      expect((await store.updatePet(id, { status: 'available' }, fixture.by)).status).toBe('available')
      await expectInventoryIsExact()
      await store.cancelOrder((await place(id)).id, fixture.by)
      const order = await place(id)
      const { code, message } = petHeld({ id, status: 'pending' }, order.id)
      const error = await rejectionOf(store.updatePet(id, { status: 'available', name: 'Other' }, fixture.by))
      expect(error).toMatchObject({ code, message })
      expect(await store.getPet(id)).toMatchObject({ name: 'Rex', status: 'pending' })
      await store.cancelOrder(order.id, fixture.by)
      expect(await refusal(store.deletePet(id, fixture.by))).toBe('pet_has_orders')
    })

    test('whose reservation is over is free at once, and the expiry comes first in the feed', async () => {
      const [order] = await placeOverdue(1)
      const { petId, id } = order as NonNullable<typeof order>
      const start = await now()
      const pet = await store.updatePet(petId, { status: 'available', name: 'Free' }, fixture.by)
      expect(pet).toMatchObject({ status: 'available', name: 'Free' })
      expect(await emitted(start)).toEqual([
        `order.expired ${petId} available ${id}`,
        `pet.changed ${petId} available Free test`,
      ])
      await expectInventoryIsExact()
    })
  })

  describe('a pet that was never ordered', () => {
    test('can be deleted: it leaves the lists, the counts and its id, and the feed keeps it as it was added', async () => {
      const start = await now()
      const key = `deleted ${crypto.randomUUID()}`
      const { value: pet } = await store.createPet(newPet({ name: 'Oops' }), fixture.by, key)
      await store.updatePet(pet.id, { name: 'Oops 2' }, fixture.by)
      const before = await store.getInventory()
      await store.deletePet(pet.id, fixture.by)
      expect(await store.getPet(pet.id)).toBeUndefined()
      expect(petsOf(await store.listPets(petFilter({ limit: 100, after: pet.id - 1n })))).toEqual([])
      expect(await store.getInventory()).toEqual({ ...before, available: before.available - 1n })
      await expectInventoryIsExact()
      expect(await refusal(store.deletePet(pet.id, fixture.by))).toBe('not_found')
      expect(await refusal(store.updatePet(pet.id, { name: 'x' }, fixture.by))).toBe('not_found')
      expect(await refusal(store.placeOrder({ petId: pet.id }, fixture.by))).toBe('pet_not_found')
      expect(await store.createPet(newPet({ name: 'Oops' }), fixture.by, key)).toEqual({ value: pet, replayed: true })

      const next = await addPet('available', 'Next')
      expect(next).toBe(pet.id + 1n)
      expect(await emitted(start)).toEqual([
        `pet.added ${pet.id} available Oops test`,
        `pet.changed ${pet.id} available Oops 2 test`,
        `pet.deleted ${pet.id} test`,
        `pet.added ${next} available Next test`,
      ])
    })

    test('is deleted or ordered when both are requested at once, and the other is refused', async () => {
      const outcomes = new Set<string>()
      for (let round = 0; round < 12; round++) {
        const id = await addPet()
        const calls = [
          () => store.deletePet(id, fixture.by),
          () => store.placeOrder({ petId: id }, fixture.by),
          () => store.deletePet(id, fixture.by),
        ]
        if (round % 2) calls.reverse()
        const settled = await Promise.allSettled(calls.map((call) => call()))
        const codes = settled.map((one) => (one.status === 'fulfilled' ? 'done' : (one.reason as PetstoreError).code))
        const isThere = (await store.getPet(id)) !== undefined
        expect(codes.filter((code) => code === 'done')).toHaveLength(1)
        for (const code of codes) expect(['done', 'pet_has_orders', 'not_found', 'pet_not_found']).toContain(code)
        outcomes.add(isThere ? 'ordered' : 'deleted')
      }
      expect(outcomes.size).toBeGreaterThan(0)
      await expectInventoryIsExact()
    })
  })

  describe('a pending order', () => {
    test('keeps any reference, as it was placed and as it is changed', async () => {
      const references = ['NULL', '"', '\\', '\\"', '{1,2}', ',', ' x ', "'", '\n', '\ud83d\udc36']
      const orders = await Promise.all(references.map(async (reference) => place(await addPet(), { reference })))
      const changes = orders.map(({ id }, at) =>
        fixture.store.updateOrder(id, { reference: references.at(at - 1) as string }, fixture.by),
      )
      expect(orders.map(({ reference }) => reference)).toEqual(references)
      expect(
        (await Promise.all(changes)).map(({ reference }, at) => reference === references.at(at - 1)),
      ).not.toContain(false)
      const read = await Promise.all(orders.map(({ id }) => fixture.store.getOrder(id)))
      expect(read.map((order) => order?.reference)).toEqual(references.map((_, at) => references.at(at - 1)))
      const terms = await Promise.all(orders.map(({ id }) => termsIn(id)))
      expect<unknown>(terms).toEqual(
        references.map((reference, at) => [{ reference }, { reference: references.at(at - 1) }]),
      )
    })

    test('gets another reference and end, or none', async () => {
      const start = await now()
      const order = await place(await addPet(), { reference: 'Ada' })
      const expiresAt = Date.now() + DAY_MS
      const later = await store.updateOrder(order.id, { expiresAt }, fixture.by)
      expect(later).toEqual({ ...order, expiresAt, changedAt: later.changedAt })
      expect(later.changedAt).toBeGreaterThanOrEqual(order.changedAt)
      expect(await store.getOrder(order.id)).toEqual(later)
      const { reference, ...without } = await store.updateOrder(order.id, { reference: null }, fixture.by)
      expect([reference, 'reference' in without]).toEqual([undefined, false])
      const plain = await store.updateOrder(order.id, { expiresAt: null, reference: 'Bob' }, fixture.by)
      expect(plain).toMatchObject({ reference: 'Bob' })
      expect(await store.getOrder(order.id)).toEqual(plain)
      const line = `order.changed ${order.petId} pending ${order.id} test`
      expect((await emitted(start)).slice(2)).toEqual([line, line, line])
      const until = new Date(expiresAt).toISOString()
      expect(await termsIn(order.id)).toEqual([
        { reference: 'Ada' },
        { reference: 'Ada', expiresAt: until },
        { expiresAt: until },
        { reference: 'Bob' },
      ])
      const again = await store.updateOrder(order.id, { expiresAt: null, reference: 'Bob' }, fixture.by)
      expect(again).toEqual(plain)
      expect((await emitted(start)).slice(2)).toEqual([line, line, line])
    })

    test('tells its terms in the events that set them, also that it has none', async () => {
      const { id } = await place(await addPet())
      await store.updateOrder(id, { reference: 'Ada' }, fixture.by)
      await store.updateOrder(id, { reference: null }, fixture.by)
      await store.completeOrder(id, fixture.by)
      await store.returnOrder(id, fixture.by)
      expect(await termsIn(id)).toEqual([{}, { reference: 'Ada' }, {}, undefined, undefined])
    })

    test('is extended before it ends, and does not end at its old time', async () => {
      const expiresAt = Date.now() + SOON_MS
      const { id, petId } = await place(await addPet(), { expiresAt })
      await store.updateOrder(id, { expiresAt: expiresAt + DAY_MS }, fixture.by)
      await fixture.waitUntil(expiresAt)
      await store.expireOrders(100)
      expect([(await store.getOrder(id))?.status, await statusOf(petId)]).toEqual(['pending', 'pending'])
    })

    test('is changed and changed back when both are requested at once, and has the time of the last', async () => {
      const { id, changedAt } = await place(await addPet())
      await until('the clock has moved', () => Date.now() > changedAt, { everyMs: 1 })
      const [, back] = await Promise.all([
        store.updateOrder(id, { reference: 'Ada' }, fixture.by),
        store.updateOrder(id, { reference: null }, fixture.by),
      ])
      expect(back.changedAt).toBeGreaterThan(changedAt)
      expect(await store.getOrder(id)).toEqual(back)
    })

    test('is changed or completed when both are requested at once, and nothing is lost', async () => {
      for (let round = 0; round < 6; round++) {
        const { id } = await place(await addPet())
        const reference = `round ${round}`
        const [changed] = await Promise.allSettled([
          store.updateOrder(id, { reference }, fixture.by),
          store.completeOrder(id, fixture.by),
        ])
        const order = await store.getOrder(id)
        expect([order?.status, order?.reference]).toEqual([
          'completed',
          changed.status === 'fulfilled' ? reference : undefined,
        ])
      }
    })
  })

  test('the last event of each pet that is there counts the inventory, also after corrections', async () => {
    const { available, pending, sold } = await store.getInventory()
    expect(inventoryOf(await allEvents(store))).toEqual({ available, pending, sold })
  })
}
