// What every store promises of orders (src/domain/orders.ts), as tests. A store's own test file calls this with a way to open it.
// Times are real: on PostgreSQL the database's clock decides.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { generateKey, hashKey, type KeyId } from '../src/domain/keys.ts'
import type { NewOrder, Order, OrderFilter, OrderStatus, OrderStore, Transition } from '../src/domain/orders.ts'
import type { PetStatus } from '../src/domain/pets.ts'
import type { Store, StoreOptions } from '../src/domain/store.ts'
import { stringifyJson } from '../src/json/json.ts'
import { petsOf } from './support/pets.ts'
import { rejectionOf } from './support/rejection.ts'

type Move = 'completeOrder' | 'cancelOrder' | 'returnOrder'
/** What an order becomes and what its pet, or the code of the refusal. */
type Outcome = readonly [OrderStatus, PetStatus] | 'order_not_pending' | 'order_not_completed'

const TRANSITIONS: Record<OrderStatus, Record<Move, Outcome>> = {
  pending: {
    completeOrder: ['completed', 'sold'],
    cancelOrder: ['cancelled', 'available'],
    returnOrder: 'order_not_completed',
  },
  completed: {
    completeOrder: ['completed', 'sold'],
    cancelOrder: 'order_not_pending',
    returnOrder: ['returned', 'available'],
  },
  cancelled: {
    completeOrder: 'order_not_pending',
    cancelOrder: ['cancelled', 'available'],
    returnOrder: 'order_not_completed',
  },
  expired: {
    completeOrder: 'order_not_pending',
    cancelOrder: ['expired', 'available'],
    returnOrder: 'order_not_completed',
  },
  returned: {
    completeOrder: 'order_not_pending',
    cancelOrder: 'order_not_pending',
    returnOrder: ['returned', 'available'],
  },
}
const STATUSES = Object.keys(TRANSITIONS) as OrderStatus[]
const PET_STATUSES = ['available', 'pending', 'sold'] as const
const MAX = 2n ** 63n - 1n
const DAY_MS = 86_400_000
/** Long enough for a reservation to be placed before it ends. */
const SOON_MS = 600

/**
 * Each call gives a store with nothing in it. `inOrder`: calls arrive in the order in which they are made; requests over
 * several connections may overtake each other.
 */
export function ordersConformance(
  name: string,
  open: (options: StoreOptions) => Promise<Store>,
  { inOrder = true }: { inOrder?: boolean } = {},
): void {
  describe(`${name} keeps the promises of a store of orders`, () => {
    let store: Store & OrderStore
    let by: KeyId
    const told: string[] = []
    const onTransitions = (transitions: readonly Transition[]) => {
      told.push(...transitions.map(({ id, petId, status }) => `order ${id}, pet ${petId}: ${status}`))
    }

    beforeAll(async () => {
      store = (await open({ now: Date.now, onTransitions })) as Store & OrderStore
      by = await newKey()
    })
    afterAll(() => store.close())

    async function newKey(): Promise<KeyId> {
      const hash = hashKey(generateKey('production'))
      return (await store.createKey({ name: 'test', hash, readOnly: false, expiresAt: undefined })).id
    }

    async function addPet(status: PetStatus = 'available', name = 'Rex'): Promise<bigint> {
      return (await store.createPet({ name, categoryId: 7n, status }, by)).value.id
    }

    async function place(petId: bigint, order: Omit<NewOrder, 'petId'> = {}): Promise<Order> {
      return (await store.placeOrder({ petId, ...order }, by)).value
    }

    const statusOf = async (petId: bigint) => (await store.getPet(petId))?.status

    async function waitUntil(time: number): Promise<void> {
      while (Date.now() <= time) await Bun.sleep(time - Date.now() + 1)
    }

    /** Orders that are overdue and that nobody has expired. */
    async function placeOverdue(count: number): Promise<Order[]> {
      const pets = await Promise.all(Array.from({ length: count }, () => addPet()))
      const expiresAt = Date.now() + SOON_MS
      const orders = await Promise.all(pets.map((petId) => place(petId, { expiresAt })))
      await waitUntil(expiresAt)
      return orders
    }

    async function orderThatIs(status: OrderStatus): Promise<Order> {
      if (status === 'expired') {
        const [order] = (await placeOverdue(1)) as [Order]
        return store.cancelOrder(order.id, by)
      }
      const order = await place(await addPet())
      if (status === 'pending') return order
      if (status === 'cancelled') return store.cancelOrder(order.id, by)
      const completed = await store.completeOrder(order.id, by)
      return status === 'completed' ? completed : store.returnOrder(order.id, by)
    }

    async function allPets() {
      const pets = []
      for (let after: bigint | undefined; ; ) {
        const page = await store.listPets({ limit: 100, after })
        pets.push(...petsOf(page))
        if (page.next === undefined) return pets
        after = page.next
      }
    }

    /** The pages' rows as they stand there, and their ids. */
    async function allOrders(filter: Partial<OrderFilter> = {}): Promise<{ id: bigint; json: string }[]> {
      const rows = []
      const limit = filter.limit ?? 3
      for (let after: bigint | undefined; ; ) {
        const page = await store.listOrders({ ...filter, limit, after })
        const parts = page.json === '[]' ? [] : page.json.slice(1, -1).split(/,(?=\{"id":)/)
        rows.push(...parts.map((json) => ({ id: BigInt(/^\{"id":(\d+)/.exec(json)?.[1] ?? -1), json })))
        if (page.next === undefined) return rows
        expect(parts.length).toBe(limit)
        expect(page.next).toBe(rows.at(-1)?.id as bigint)
        after = page.next
      }
    }

    async function expectInventoryIsExact(): Promise<void> {
      const inventory = await store.getInventory()
      const pets = await allPets()
      const count = (status: PetStatus) => BigInt(pets.filter((pet) => pet.status === status).length)
      expect(inventory).toEqual({ available: count('available'), pending: count('pending'), sold: count('sold') })
    }

    test('an empty store has no orders and counts nothing', async () => {
      expect(await store.listOrders({ limit: 20 })).toEqual({ json: '[]', next: undefined })
      expect(await store.getInventory()).toEqual({ available: 0n, pending: 0n, sold: 0n })
      expect(await store.expireOrders(10)).toEqual([])
      for (const id of [1n, 0n, -1n, MAX, -(2n ** 63n)]) expect(await store.getOrder(id)).toBeUndefined()
    })

    describe('placing an order', () => {
      test('reserves the pet, and gives back what was asked', async () => {
        const petId = await addPet('available', 'Mia "é" \u{1F436}')
        const begunAt = Date.now()
        const expiresAt = begunAt + DAY_MS + 7
        const { value, replayed } = await store.placeOrder({ petId, reference: 'till "3" \\ \u{1F436}', expiresAt }, by)
        expect(replayed).toBe(false)
        const { id, placedAt } = value
        expect(value).toEqual({
          id,
          petName: 'Mia "é" \u{1F436}',
          status: 'pending',
          placedAt,
          changedAt: placedAt,
          petId,
          reference: 'till "3" \\ \u{1F436}',
          expiresAt,
        })
        expect(Math.abs(placedAt - begunAt)).toBeLessThan(10_000)
        expect(Number.isSafeInteger(placedAt)).toBe(true)
        expect(await store.getOrder(id)).toEqual(value)
        expect(await statusOf(petId)).toBe('pending')
        await expectInventoryIsExact()
      })

      test('leaves out what was not given', async () => {
        const { id, placedAt, petId, ...rest } = await place(await addPet())
        expect(Object.keys(rest).sort()).toEqual(['changedAt', 'petName', 'status'])
        expect(await store.getOrder(id)).toEqual({ id, placedAt, petId, ...rest })
      })

      test('ids begin at 1 and rise', async () => {
        const ids = (await allOrders({ limit: 100 })).map(({ id }) => id)
        expect(ids[0]).toBe(1n)
        const orders = await Promise.all((await Promise.all([addPet(), addPet(), addPet()])).map((id) => place(id)))
        for (const { id } of orders) expect(id).toBeGreaterThan(ids.at(-1) as bigint)
        expect(orders.map(({ id }) => id)).toEqual(orders.map(({ id }) => id).toSorted((a, b) => (a < b ? -1 : 1)))
      })

      test('refuses a pet that does not exist', async () => {
        for (const petId of [0n, -1n, MAX, -(2n ** 63n)]) {
          expect(await rejectionOf(place(petId))).toMatchObject({
            code: 'pet_not_found',
            message: `No pet has id ${petId}.`,
          })
        }
      })

      test('refuses a pet that is not available, and says why', async () => {
        const expiresAt = Date.now() + DAY_MS
        const [until, held, sold] = (await Promise.all([addPet(), addPet(), addPet()])) as [bigint, bigint, bigint]
        const orders = [await place(until, { expiresAt }), await place(held), await place(sold)].map(({ id }) => id)
        await store.completeOrder(orders[2] as bigint, by)
        const [pendingAlone, soldAlone] = [await addPet('pending'), await addPet('sold')]
        const before = await store.getInventory()
        for (const [petId, message] of [
          [until, `is pending: order ${orders[0]} holds it until ${new Date(expiresAt).toISOString()}.`],
          [held, `is pending: order ${orders[1]} holds it.`],
          [sold, `is sold: order ${orders[2]}.`],
          [pendingAlone, 'is pending.'],
          [soldAlone, 'is sold.'],
        ] as const) {
          expect(await rejectionOf(place(petId))).toMatchObject({
            code: 'pet_not_available',
            message: `Pet ${petId} ${message}`,
          })
          expect((await allOrders({ petId })).length).toBeLessThan(2)
        }
        expect(await store.getInventory()).toEqual(before)
      })

      test('refuses an end that is not in the future, or more than 366 days ahead', async () => {
        const petId = await addPet()
        const now = Date.now()
        for (const expiresAt of [0, now - DAY_MS, now - 1, now, now + 366 * DAY_MS + 60_000, now + 1e6 * DAY_MS]) {
          expect(await rejectionOf(place(petId, { expiresAt }))).toMatchObject({ code: 'invalid_order' })
        }
        expect(await statusOf(petId)).toBe('available')
        const expiresAt = now + 366 * DAY_MS - 60_000
        expect(await place(petId, { expiresAt })).toMatchObject({ expiresAt })
      })

      test('keeps every text and every millisecond exactly, and lists them as JavaScript writes them', async () => {
        const text = fc
          .string({ unit: 'binary', minLength: 1, maxLength: 255 })
          .filter((name) => /^\s*[^\s\0][^\0]*$/u.test(name))
        const ahead = fc.integer({ min: 60_000, max: 365 * DAY_MS })
        await fc.assert(
          fc.asyncProperty(text, text, ahead, async (name, reference, ms) => {
            const petId = await addPet('available', name)
            const order = await place(petId, { reference, expiresAt: Date.now() + ms })
            expect(order).toMatchObject({ petName: name, reference })
            expect(await store.getOrder(order.id)).toEqual(order)
            expect((await store.listOrders({ limit: 1, petId })).json).toBe(`[${orderJson(order)}]`)
          }),
          {
            numRuns: 40,
            examples: [
              ['\u{1F436}'.repeat(255), '\\u0000', 60_000],
              ["'; --", '\u007f\u2028\u0001', 999_999],
            ],
          },
        )
      })
    })

    describe('a transition', () => {
      for (const status of STATUSES) {
        for (const [transition, outcome] of Object.entries(TRANSITIONS[status]) as [Move, Outcome][]) {
          const says = typeof outcome === 'string' ? `is refused: ${outcome}` : `gives ${outcome.join(', its pet ')}`
          test(`${transition} of an order that is ${status} ${says}`, async () => {
            const order = await orderThatIs(status)
            const before = { ...(await store.getInventory()), pet: await statusOf(order.petId) }
            if (typeof outcome === 'string') {
              const done = transition === 'completeOrder' ? 'completed' : 'cancelled'
              const only =
                transition === 'returnOrder' ? 'a completed order can be returned' : `a pending order can be ${done}`
              expect(await rejectionOf(store[transition](order.id, by))).toMatchObject({
                code: outcome,
                message: `Order ${order.id} is ${status}: only ${only}.`,
              })
              expect(await store.getOrder(order.id)).toEqual(order)
              expect({ ...(await store.getInventory()), pet: await statusOf(order.petId) }).toEqual(before)
              return
            }
            const after = await store[transition](order.id, by)
            if (status === outcome[0]) expect(after).toEqual(order)
            else expect(after).toEqual({ ...order, status: outcome[0], changedAt: after.changedAt })
            expect(after.changedAt).toBeGreaterThanOrEqual(order.changedAt)
            expect(await store.getOrder(order.id)).toEqual(after)
            expect(await statusOf(order.petId)).toBe(outcome[1])
            // A repeat changes nothing.
            expect(await store[transition](order.id, by)).toEqual(after)
            await expectInventoryIsExact()
          })
        }
      }

      test('of an order that does not exist is refused', async () => {
        for (const id of [0n, -1n, MAX, -(2n ** 63n)]) {
          for (const transition of ['completeOrder', 'cancelOrder', 'returnOrder'] as const) {
            expect(await rejectionOf(store[transition](id, by))).toMatchObject({
              code: 'not_found',
              message: `No order has id ${id}.`,
            })
          }
        }
      })

      test('makes the pet available for the next order, and leaves the ended order as it was', async () => {
        const petId = await addPet()
        const first = await store.cancelOrder((await place(petId)).id, by)
        const sold = await store.completeOrder((await place(petId)).id, by)
        const returned = await store.returnOrder(sold.id, by)
        const last = await place(petId)
        // A repeat does not touch the pet, which another order holds.
        for (const { id } of [first, returned]) expect(await store.getOrder(id)).toMatchObject({ id })
        expect(await store.cancelOrder(first.id, by)).toEqual(first)
        expect(await store.returnOrder(returned.id, by)).toEqual(returned)
        expect(await statusOf(petId)).toBe('pending')
        const listed = (await allOrders({ petId })).map(({ json }) => json)
        expect(listed).toEqual([first, returned, last].map(orderJson))
        await expectInventoryIsExact()
      })
    })

    describe('an idempotency key', () => {
      test('gives the first answer again, even when the order and the pet have changed', async () => {
        const order = { petId: await addPet(), reference: 'r "1"', expiresAt: Date.now() + DAY_MS }
        const first = await store.placeOrder(order, by, 'o1')
        expect(first.replayed).toBe(false)
        const again = async () => {
          expect(await store.placeOrder({ ...order }, by, 'o1')).toEqual({ value: first.value, replayed: true })
        }
        await again()
        await store.completeOrder(first.value.id, by)
        await again()
        await store.returnOrder(first.value.id, by)
        await again()
        await place(order.petId)
        await again()
        expect((await allOrders({ petId: order.petId })).length).toBe(2)
      })

      test('is recognised after the end of the reservation has passed', async () => {
        const order = { petId: await addPet(), expiresAt: Date.now() + SOON_MS }
        const first = await store.placeOrder(order, by, 'o2')
        await waitUntil(order.expiresAt)
        expect(await store.placeOrder(order, by, 'o2')).toEqual({ value: first.value, replayed: true })
        await store.expireOrders(100)
        expect(await store.placeOrder(order, by, 'o2')).toEqual({ value: first.value, replayed: true })
      })

      test('of a create gives the pet as it was added, after an order has moved it', async () => {
        const pet = { name: 'Mia', categoryId: 1n, status: 'available' } as const
        const first = await store.createPet(pet, by, 'o3')
        const { id } = await place(first.value.id)
        expect(await store.createPet(pet, by, 'o3')).toEqual({ value: first.value, replayed: true })
        await store.completeOrder(id, by)
        expect(await store.createPet(pet, by, 'o3')).toEqual({ value: first.value, replayed: true })
      })

      test('with another request is refused before anything else, and changes nothing', async () => {
        const order = { petId: await addPet(), reference: 'r', expiresAt: Date.now() + DAY_MS }
        await store.placeOrder(order, by, 'o4')
        const other = await addPet()
        for (const changed of [
          { ...order, petId: other },
          { ...order, petId: MAX },
          { ...order, reference: 'R' },
          { ...order, expiresAt: order.expiresAt + 1 },
          { ...order, expiresAt: 1 },
          { petId: order.petId, reference: 'r' },
          { petId: order.petId, expiresAt: order.expiresAt },
        ]) {
          expect(await rejectionOf(store.placeOrder(changed, by, 'o4'))).toMatchObject({ code: 'idempotency_mismatch' })
        }
        expect(await statusOf(other)).toBe('available')
      })

      test('is one for all operations of an API key, and each API key has its own', async () => {
        const pet = { name: 'Mia', categoryId: 1n, status: 'available' } as const
        const { value } = await store.createPet(pet, by, 'o5')
        expect(await rejectionOf(store.placeOrder({ petId: value.id }, by, 'o5'))).toMatchObject({
          code: 'idempotency_mismatch',
        })
        await store.placeOrder({ petId: value.id }, by, 'o6')
        expect(await rejectionOf(store.createPet(pet, by, 'o6'))).toMatchObject({ code: 'idempotency_mismatch' })
        const order = { petId: await addPet() }
        expect((await store.placeOrder(order, await newKey(), 'o6')).replayed).toBe(false)
      })

      test('remembers no refusal', async () => {
        const petId = await addPet()
        const { id } = await place(petId)
        expect(await rejectionOf(store.placeOrder({ petId }, by, 'o7'))).toMatchObject({ code: 'pet_not_available' })
        await store.cancelOrder(id, by)
        expect((await store.placeOrder({ petId }, by, 'o7')).replayed).toBe(false)
      })

      test('sent many times at once places one order', async () => {
        const petId = await addPet()
        const outcomes = await Promise.allSettled(
          Array.from({ length: 20 }, () => store.placeOrder({ petId }, by, 'o8')),
        )
        expect((await allOrders({ petId })).length).toBe(1)
        const { value } = await store.placeOrder({ petId }, by, 'o8')
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'idempotency_in_flight' })
          else expect(outcome.value.value).toEqual(value)
        }
      })
    })

    describe('what arrives together', () => {
      test('reserves a pet once', async () => {
        const petId = await addPet()
        const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => place(petId)))
        const winners = outcomes.filter(({ status }) => status === 'fulfilled')
        expect(winners.length).toBe(1)
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'pet_not_available' })
        }
        expect((await allOrders({ petId })).length).toBe(1)
        await expectInventoryIsExact()
      })

      test('completes or cancels an order, and never both', async () => {
        for (const order of ['completeOrder', 'cancelOrder'] as const) {
          const { id, petId } = await place(await addPet())
          const racing: readonly Move[] = Array.from({ length: 40 }, (_, n) =>
            n % 2 ? order : order === 'completeOrder' ? 'cancelOrder' : 'completeOrder',
          )
          const outcomes = await Promise.allSettled(racing.map((transition) => store[transition](id, by)))
          const won = new Set(racing.filter((_, n) => outcomes[n]?.status === 'fulfilled'))
          expect(won.size).toBe(1)
          const completed = won.has('completeOrder')
          expect((await store.getOrder(id))?.status).toBe(completed ? 'completed' : 'cancelled')
          expect(await statusOf(petId)).toBe(completed ? 'sold' : 'available')
        }
        await expectInventoryIsExact()
      })

      test.skipIf(!inOrder)('happens in the order of arrival', async () => {
        const petId = await addPet()
        const { id } = await place(petId)
        const [completed, refused, returned, next, late] = await Promise.allSettled([
          store.completeOrder(id, by),
          place(petId),
          store.returnOrder(id, by),
          place(petId),
          store.completeOrder(id, by),
        ])
        expect(completed).toMatchObject({ status: 'fulfilled', value: { status: 'completed' } })
        expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'pet_not_available' } })
        expect(returned).toMatchObject({ status: 'fulfilled', value: { status: 'returned' } })
        expect(next).toMatchObject({ status: 'fulfilled', value: { status: 'pending' } })
        expect(late).toMatchObject({ status: 'rejected', reason: { code: 'order_not_pending' } })
        await expectInventoryIsExact()
      })

      test('a refusal harms no other', async () => {
        const pets = await Promise.all(Array.from({ length: 30 }, () => addPet()))
        const outcomes = await Promise.allSettled(
          pets.flatMap((petId, n) => [
            place(petId, { reference: `r${n}` }),
            n % 2 ? place(MAX) : store.completeOrder(MAX, by),
            addPet(),
          ]),
        )
        for (const [n, { status }] of outcomes.entries()) expect(status).toBe(n % 3 === 1 ? 'rejected' : 'fulfilled')
        for (const [n, petId] of pets.entries()) {
          expect((await allOrders({ petId })).map(({ json }) => json.includes(`"reference":"r${n}"`))).toEqual([true])
        }
        await expectInventoryIsExact()
      })

      test('many orders of many pets each get their own, in order', async () => {
        const pets = await Promise.all(Array.from({ length: 600 }, () => addPet()))
        const orders = await Promise.all(pets.map((petId) => place(petId)))
        expect(orders.map(({ petId }) => petId)).toEqual(pets)
        expect(new Set(orders.map(({ id }) => id)).size).toBe(600)
        const completed = await Promise.all(orders.map(({ id }) => store.completeOrder(id, by)))
        expect(completed.every(({ status }) => status === 'completed')).toBe(true)
        expect(completed.map(({ id }) => id)).toEqual(orders.map(({ id }) => id))
        await expectInventoryIsExact()
      })
    })

    describe('a list of orders', () => {
      test('shows each order once, oldest first, whatever the size of a page', async () => {
        const everything = await allOrders({ limit: 100 })
        const ids = everything.map(({ id }) => id)
        expect(ids).toEqual([...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)))
        for (const limit of [7, 99]) expect(await allOrders({ limit })).toEqual(everything)
        for (const { id, json } of everything.slice(0, 20)) {
          expect(json).toBe(orderJson((await store.getOrder(id)) as Order))
        }
      })

      test('filters by status and by pet', async () => {
        const petId = await addPet()
        await store.cancelOrder((await place(petId)).id, by)
        await store.returnOrder((await store.completeOrder((await place(petId)).id, by)).id, by)
        await place(petId)
        for (const status of STATUSES) await orderThatIs(status)
        const everything = await allOrders({ limit: 100 })
        const ofPet = everything.filter(({ json }) => json.includes(`"petId":${petId}`))
        expect(ofPet.length).toBe(3)
        expect(await allOrders({ petId, limit: 1 })).toEqual(ofPet)
        for (const status of STATUSES) {
          const isIt = ({ json }: { json: string }) => json.includes(`"status":"${status}"`)
          expect(everything.filter(isIt).length).toBeGreaterThan(0)
          expect(await allOrders({ status, limit: 50 })).toEqual(everything.filter(isIt))
          expect(await allOrders({ status, petId, limit: 1 })).toEqual(ofPet.filter(isIt))
        }
        for (const none of [0n, -1n, MAX]) expect(await allOrders({ petId: none })).toEqual([])
      })

      test('a page knows whether more follow, and the next one shows what was placed since', async () => {
        const petId = await addPet()
        await store.cancelOrder((await place(petId)).id, by)
        const last = await place(petId)
        expect((await store.listOrders({ limit: 2, petId })).next).toBeUndefined()
        expect((await store.listOrders({ limit: 1, petId })).next).toBe(last.id - 1n)
        expect((await store.listOrders({ limit: 100, after: last.id })).json).toBe('[]')
        const order = await place(await addPet())
        expect((await store.listOrders({ limit: 100, after: last.id })).json).toBe(`[${orderJson(order)}]`)
      })
    })

    describe('the end of a reservation', () => {
      test('is a commit that any server may make, in batches', async () => {
        const orders = await placeOverdue(7)
        const open = await place(await addPet())
        const later = await place(await addPet(), { expiresAt: Date.now() + DAY_MS })
        expect(await store.getOrder(orders[0]?.id as bigint)).toMatchObject({ status: 'pending' })
        const pieces = []
        for (let n = 0; n < 4; n++) pieces.push(await store.expireOrders(3))
        expect(pieces.map(({ length }) => length)).toEqual([3, 3, 1, 0])
        expect(pieces.flat().sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
          orders.map(({ id, petId }) => ({ id, petId })),
        )
        for (const order of orders) {
          const expired = (await store.getOrder(order.id)) as Order
          expect(expired).toEqual({ ...order, status: 'expired', changedAt: expired.changedAt })
          expect(expired.changedAt).toBeGreaterThanOrEqual(order.expiresAt as number)
          expect(await statusOf(order.petId)).toBe('available')
        }
        for (const { id } of [open, later]) expect(await store.getOrder(id)).toMatchObject({ status: 'pending' })
        await expectInventoryIsExact()
      })

      test('made by many at once, happens once', async () => {
        await placeOverdue(20)
        const pieces = await Promise.all(Array.from({ length: 10 }, () => store.expireOrders(7)))
        expect(new Set(pieces.flat().map(({ id }) => id)).size).toBe(20)
        expect(pieces.flat().length).toBe(20)
        await expectInventoryIsExact()
      })

      test('is respected before anybody has expired the order: by complete, cancel and the next order', async () => {
        const [completed, cancelled, replaced] = (await placeOverdue(3)) as [Order, Order, Order]
        expect(await rejectionOf(store.completeOrder(completed.id, by))).toMatchObject({ code: 'order_not_pending' })
        expect(await store.cancelOrder(cancelled.id, by)).toMatchObject({ status: 'expired' })
        expect(await statusOf(cancelled.petId)).toBe('available')
        const next = await place(replaced.petId)
        expect(await store.getOrder(replaced.id)).toMatchObject({ status: 'expired' })
        expect(next).toMatchObject({ status: 'pending', petId: replaced.petId })
        expect(await statusOf(replaced.petId)).toBe('pending')
        await store.expireOrders(100)
        expect(await store.getOrder(completed.id)).toMatchObject({ status: 'expired' })
        expect(await statusOf(completed.petId)).toBe('available')
        expect(await store.getOrder(next.id)).toEqual(next)
        await expectInventoryIsExact()
      })

      test('a completed order does not expire', async () => {
        const petId = await addPet()
        const order = await place(petId, { expiresAt: Date.now() + SOON_MS })
        const completed = await store.completeOrder(order.id, by)
        await waitUntil(order.expiresAt as number)
        await store.expireOrders(100)
        expect(await store.getOrder(order.id)).toEqual(completed)
        expect(await store.completeOrder(order.id, by)).toEqual(completed)
        expect(await statusOf(petId)).toBe('sold')
      })
    })

    test('each change of an order is told once, after its commit: also those that expire on the way, and no repeats', async () => {
      const expired = (await placeOverdue(4)) as [Order, Order, Order, Order]
      const [completed, cancelled, replaced] = expired
      const petId = await addPet()
      told.length = 0
      await rejectionOf(store.completeOrder(completed.id, by))
      await store.cancelOrder(cancelled.id, by)
      const next = await place(replaced.petId)
      await store.expireOrders(100)
      const key = crypto.randomUUID()
      const orders = []
      for (let n = 0; n < 2; n++) orders.push((await store.placeOrder({ petId }, by, key)).value)
      const { id } = orders[0] as Order
      await rejectionOf(store.placeOrder({ petId }, by))
      await rejectionOf(store.returnOrder(id, by))
      await Promise.all([store.completeOrder(id, by), store.completeOrder(id, by), store.completeOrder(id, by)])
      for (let n = 0; n < 2; n++) await store.returnOrder(id, by)
      await store.cancelOrder(next.id, by)
      expect(told.sort()).toEqual(
        [
          ...expired.map((order) => `order ${order.id}, pet ${order.petId}: expired`),
          ...['pending', 'completed', 'returned'].map((status) => `order ${id}, pet ${petId}: ${status}`),
          ...['pending', 'cancelled'].map((status) => `order ${next.id}, pet ${next.petId}: ${status}`),
        ].sort(),
      )
    })

    test('the inventory counts every pet, however it was added and moved', async () => {
      for (const status of PET_STATUSES) await Promise.all([addPet(status), addPet(status)])
      await expectInventoryIsExact()
    })
  })
}

/** As the contract has it: its fields in its order, times in UTC with milliseconds, nothing for what is absent. */
function orderJson({ id, petName, status, placedAt, changedAt, petId, reference, expiresAt }: Order): string {
  const utc = (time: number) => new Date(time).toISOString()
  return stringifyJson({
    id,
    petName,
    status,
    placedAt: utc(placedAt),
    changedAt: utc(changedAt),
    petId,
    reference,
    expiresAt: expiresAt === undefined ? undefined : utc(expiresAt),
  })
}
