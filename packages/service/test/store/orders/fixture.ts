// What the tests of orders share: a store with one key, and short ways to pets and orders in it.

import { afterAll, beforeAll, expect } from 'bun:test'
import { orderFilter, petFilter } from '../../../../../test/support/lists.ts'
import { petsOf } from '../../../../../test/support/pets.ts'
import { until } from '../../../../../test/support/until.ts'
import { stringifyJson } from '../../../../contract/src/json.ts'
import { generateKey, hashKey, type KeyId } from '../../../src/domain/keys.ts'
import { type RequestedTransition, TRANSITIONS } from '../../../src/domain/order-transitions.ts'
import type { NewOrder, Order, OrderFilter, OrderStatus, OrderStore, Transition } from '../../../src/domain/orders.ts'
import type { PetStatus } from '../../../src/domain/pets.ts'
import type { Store, StoreOptions } from '../../../src/domain/store.ts'

/** The method that makes an order this. */
export const METHODS = {
  completed: 'completeOrder',
  cancelled: 'cancelOrder',
  returned: 'returnOrder',
} as const satisfies Record<RequestedTransition, keyof OrderStore>
export type Method = (typeof METHODS)[RequestedTransition]
export const PET_STATUSES = ['available', 'pending', 'sold'] as const
export const MAX = 2n ** 63n - 1n
export const DAY_MS = 86_400_000
/** Long enough for a reservation to be placed before it ends. */
export const SOON_MS = 600

export type Fixture = ReturnType<typeof openFixture>

/** The store is there once tests run. */
export function openFixture(open: (options: StoreOptions) => Promise<Store>) {
  const reported: string[] = []
  const onTransitions = (transitions: readonly Transition[]) => {
    reported.push(...transitions.map(({ id, petId, status }) => `order ${id}, pet ${petId}: ${status}`))
  }
  const fixture = {} as { store: Store & OrderStore; by: KeyId }

  beforeAll(async () => {
    fixture.store = (await open({ now: Date.now, onTransitions })) as Store & OrderStore
    fixture.by = await newKey()
  })
  afterAll(() => fixture.store.close())

  async function newKey(): Promise<KeyId> {
    const hash = hashKey(generateKey('production'))
    return (await fixture.store.createKey({ name: 'test', hash, readOnly: false, expiresAt: undefined })).id
  }

  async function addPet(status: PetStatus = 'available', name = 'Rex'): Promise<bigint> {
    return (await fixture.store.createPet({ name, categoryId: 7n, status }, fixture.by)).value.id
  }

  async function place(petId: bigint, order: Omit<NewOrder, 'petId'> = {}): Promise<Order> {
    return (await fixture.store.placeOrder({ petId, ...order }, fixture.by)).value
  }

  const statusOf = async (petId: bigint) => (await fixture.store.getPet(petId))?.status

  async function waitUntil(time: number): Promise<void> {
    await until('the clock has passed that time', () => Date.now() > time)
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
      return fixture.store.cancelOrder(order.id, fixture.by)
    }
    if (status === 'pending') return place(await addPet())
    const { id } = await orderThatIs(TRANSITIONS[status].from[0])
    return fixture.store[METHODS[status]](id, fixture.by)
  }

  async function allPets() {
    const pets = []
    for (let after: bigint | undefined; ; ) {
      const page = await fixture.store.listPets(petFilter({ limit: 100, after }))
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
      const page = await fixture.store.listOrders(orderFilter({ ...filter, limit, after }))
      const parts = page.json === '[]' ? [] : page.json.slice(1, -1).split(/,(?=\{"id":)/)
      rows.push(...parts.map((json) => ({ id: BigInt(/^\{"id":(\d+)/.exec(json)?.[1] ?? -1), json })))
      if (page.next === undefined) return rows
      expect(parts.length).toBe(limit)
      expect(page.next).toBe(rows.at(-1)?.id as bigint)
      after = page.next
    }
  }

  async function expectInventoryIsExact(): Promise<void> {
    const inventory = await fixture.store.getInventory()
    const pets = await allPets()
    const count = (status: PetStatus) => BigInt(pets.filter((pet) => pet.status === status).length)
    // With its fields in their order: equal counts have one entity tag.
    expect(Object.entries(inventory)).toEqual(PET_STATUSES.map((status) => [status, count(status)]))
  }

  return Object.assign(fixture, {
    newKey,
    addPet,
    place,
    statusOf,
    waitUntil,
    placeOverdue,
    orderThatIs,
    allPets,
    allOrders,
    expectInventoryIsExact,
    reported,
  })
}

/** As the contract has it: its fields in its order, times in UTC with milliseconds, nothing for what is absent. */
export function orderJson({ id, petId, petName, status, placedAt, changedAt, reference, expiresAt }: Order): string {
  const utc = (time: number) => new Date(time).toISOString()
  return stringifyJson({
    id,
    petId,
    petName,
    status,
    placedAt: utc(placedAt),
    changedAt: utc(changedAt),
    reference,
    expiresAt: expiresAt === undefined ? undefined : utc(expiresAt),
  })
}
