// Corrections of pets and of pending orders: what each changes, refuses, tells in the feed, and leaves behind.

import { beforeAll, describe, expect, test } from 'bun:test'
import { allEvents, inventoryOf } from '../../../../../test/support/events.ts'
import { petFilter } from '../../../../../test/support/lists.ts'
import { newPet, petsOf } from '../../../../../test/support/pets.ts'
import { rejectionOf } from '../../../../../test/support/rejection.ts'
import { until } from '../../../../../test/support/until.ts'
import { EXPIRY_DAYS_MAX } from '../../../../contract/src/generated.ts'
import { stringifyJson } from '../../../../contract/src/json.ts'
import { petHeld } from '../../../src/domain/decisions/refusal-messages.ts'
import type { EventPosition } from '../../../src/domain/events.ts'
import type { PetStatus } from '../../../src/domain/pets.ts'
import { PetstoreError } from '../../../src/domain/petstore-error.ts'
import type { Store } from '../../../src/domain/store.ts'
import { DAY_MS, type Fixture, SOON_MS } from './fixture.ts'

const NO = new PetstoreError('precondition_failed', 'no')
const unlessSo = (_: unknown, isSo = false) => (isSo ? undefined : NO)

export function corrections(fixture: Fixture): void {
  const { addPet, place, statusOf, placeOverdue, orderThatIs, expectInventoryIsExact } = fixture
  let store: Store
  beforeAll(() => {
    store = fixture.store
  })
  const now = () => store.findEnd()
  const emitted = async (after: EventPosition) =>
    (await allEvents(store, { after })).map(({ type, petId, petStatus, orderId, pet, by }) =>
      [type, petId, petStatus, orderId, pet?.name, by].filter((part) => part !== undefined).join(' '),
    )
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

    test('that is so already stays as it is, and there is no event', async () => {
      const id = await addPet('sold', 'Rex')
      const start = await now()
      const fields = { name: 'Rex', categoryId: 7n, status: 'sold' } as const
      for (const change of [fields, { name: 'Rex' }, { status: 'sold' as const }]) {
        expect(await store.updatePet(id, change, fixture.by)).toEqual({ id, ...fields })
      }
      expect(await emitted(start)).toEqual([])
    })

    for (const status of ['pending', 'sold'] as const) {
      test(`that was added as ${status} by mistake is freed, can be sold, and was added as ${status}`, async () => {
        const start = await now()
        const id = await addPet(status)
        expect((await store.updatePet(id, { status: 'available' }, fixture.by)).status).toBe('available')
        await expectInventoryIsExact()
        const order = await place(id)
        await store.completeOrder(order.id, fixture.by)
        expect(await emitted(start)).toEqual([
          `pet.added ${id} ${status} Rex test`,
          `pet.changed ${id} available Rex test`,
          `order.placed ${id} pending ${order.id} test`,
          `order.completed ${id} sold ${order.id} test`,
        ])
      })
    }

    test('that an order holds is not freed, and no pet is reserved or sold without one', async () => {
      const [pending, sold] = [await orderThatIs('pending'), await orderThatIs('completed')]
      for (const [{ petId, id }, status] of [
        [pending, 'pending'],
        [sold, 'sold'],
      ] as const) {
        const { code, message } = petHeld({ id: petId, status }, id)
        const error = await rejectionOf(store.updatePet(petId, { status: 'available', name: 'Other' }, fixture.by))
        expect(error).toMatchObject({ code, message })
        expect((await store.getPet(petId))?.name).toBe('Rex')
      }
      const id = await addPet()
      for (const status of ['pending', 'sold'] as const) {
        expect(await refusal(store.updatePet(id, { status }, fixture.by))).toBe('invalid_pet')
      }
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

    test('is corrected only if the check agrees, which comes after its absence and its state', async () => {
      const id = await addPet()
      const seen: unknown[] = []
      const no = (pet: unknown, isSo = false) => {
        seen.push([pet, isSo])
        return NO
      }
      const pet = await store.getPet(id)
      expect(await refusal(store.updatePet(id, { name: 'Other' }, fixture.by, no))).toBe('precondition_failed')
      expect(await refusal(store.deletePet(id, fixture.by, no))).toBe('precondition_failed')
      expect(seen).toEqual(Array(2).fill([pet, false]))
      const held = await orderThatIs('pending')
      const free = { status: 'available' } as const
      expect(await refusal(store.updatePet(held.petId, free, fixture.by, no))).toBe('pet_held')
      expect(await refusal(store.deletePet(held.petId, fixture.by, no))).toBe('pet_has_orders')
      expect(await refusal(store.updatePet(999_999n, free, fixture.by, no))).toBe('not_found')
      expect(seen).toHaveLength(2)
      expect(await store.getPet(id)).toEqual(pet)
    })

    test('that is so already reaches the check as such, whatever its state', async () => {
      const held = await orderThatIs('completed')
      for (const id of [await addPet(), held.petId]) {
        const pet = await store.getPet(id)
        for (const change of [{ name: 'Rex' }, { status: pet?.status as PetStatus }]) {
          expect(await store.updatePet(id, change, fixture.by, unlessSo)).toEqual(pet as NonNullable<typeof pet>)
          expect(await refusal(store.updatePet(id, change, fixture.by, () => NO))).toBe('precondition_failed')
        }
      }
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

    test('stays once it was ordered, whatever became of the order', async () => {
      for (const status of ['pending', 'completed', 'cancelled', 'returned', 'expired'] as const) {
        const { petId } = await orderThatIs(status)
        expect(await refusal(store.deletePet(petId, fixture.by))).toBe('pet_has_orders')
        expect(await statusOf(petId)).toBeDefined()
      }
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
      const again = await store.updateOrder(order.id, { expiresAt: null, reference: 'Bob' }, fixture.by)
      expect(again).toEqual(plain)
      expect((await emitted(start)).slice(2)).toEqual([line, line, line])
    })

    test('is extended before it ends, and does not end at its old time', async () => {
      const expiresAt = Date.now() + SOON_MS
      const { id, petId } = await place(await addPet(), { expiresAt })
      await store.updateOrder(id, { expiresAt: expiresAt + DAY_MS }, fixture.by)
      await fixture.waitUntil(expiresAt)
      await store.expireOrders(100)
      expect([(await store.getOrder(id))?.status, await statusOf(petId)]).toEqual(['pending', 'pending'])
    })

    test('that is over expires instead, with its pet', async () => {
      const [order] = await placeOverdue(1)
      const { petId, id } = order as NonNullable<typeof order>
      const start = await now()
      expect(await refusal(store.updateOrder(id, { expiresAt: Date.now() + DAY_MS }, fixture.by))).toBe(
        'order_not_pending',
      )
      expect([(await store.getOrder(id))?.status, await statusOf(petId)]).toEqual(['expired', 'available'])
      expect(await emitted(start)).toEqual([`order.expired ${petId} available ${id}`])
      expect(fixture.reported).toContain(`order ${id}, pet ${petId}: expired`)
    })

    test('is refused a wrong end first, then its absence, its status, and the check', async () => {
      const no = () => NO
      const past = { expiresAt: Date.now() - 1 }
      const far = { expiresAt: Date.now() + (EXPIRY_DAYS_MAX + 1) * DAY_MS }
      const { id } = await place(await addPet())
      for (const change of [past, far]) {
        for (const one of [id, 999_999n]) {
          expect(await refusal(store.updateOrder(one, change, fixture.by, no))).toBe('invalid_order')
        }
      }
      const change = { reference: 'x' }
      expect(await refusal(store.updateOrder(999_999n, change, fixture.by, no))).toBe('not_found')
      for (const status of ['completed', 'cancelled', 'returned'] as const) {
        const order = await orderThatIs(status)
        expect(await refusal(store.updateOrder(order.id, change, fixture.by, no))).toBe('order_not_pending')
      }
      expect(await refusal(store.updateOrder(id, change, fixture.by, no))).toBe('precondition_failed')
      expect((await store.getOrder(id))?.reference).toBeUndefined()
    })

    test('that is so already stays as it is, also after it has ended and after its end', async () => {
      const orders = [await place(await addPet(), { reference: 'Ada', expiresAt: Date.now() + DAY_MS })]
      for (const status of ['completed', 'cancelled', 'returned', 'expired'] as const)
        orders.push(await orderThatIs(status))
      orders.push(...(await placeOverdue(1)))
      for (const { id } of orders) {
        const { reference = null, expiresAt = null } = (await store.getOrder(id)) ?? {}
        for (const change of [{ reference, expiresAt }, { reference }, { expiresAt }]) {
          const order = await store.updateOrder(id, change, fixture.by, unlessSo)
          expect(await store.getOrder(id)).toEqual(order)
          expect(await refusal(store.updateOrder(id, change, fixture.by, () => NO))).toBe('precondition_failed')
        }
      }
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

  test('a key that has ended corrects nothing', async () => {
    const by = await fixture.newKey()
    const id = await addPet()
    const order = await place(await addPet())
    await store.revokeKey(by)
    expect(await refusal(store.updatePet(id, { name: 'x' }, by))).toBe('invalid_api_key')
    expect(await refusal(store.deletePet(id, by))).toBe('invalid_api_key')
    expect(await refusal(store.updateOrder(order.id, { reference: 'x' }, by))).toBe('invalid_api_key')
    expect((await store.getPet(id))?.name).toBe('Rex')
  })
}
