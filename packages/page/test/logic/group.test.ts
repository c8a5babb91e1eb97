// Selling and reserving several animals together: one reference, and what happens if one of them fails.

import { expect, test } from 'bun:test'
import { type NewOrder, type Order, PetstoreNetworkError } from '../../../client/src/petstore.ts'
import { searchWords } from '../../../service/src/domain/words.ts'
import { Group, groupSentence, receiptNumber } from '../../src/orders/group.ts'
import type { Choices } from '../../src/orders/order-task.ts'
import { fakeClient, order, pet, refused } from './fake-client.ts'

const NOTHING: Choices = { reference: '', hold: 'open', until: '' }

/** A group of animals, whose orders have their ids. */
function start(...ids: number[]) {
  const orders = new Map<bigint, Order>()
  const move = (status: Order['status']) => (id: bigint) => {
    const moved = order(Number(id), { ...orders.get(id), id, status })
    orders.set(id, moved)
    return moved
  }
  const fake = fakeClient({
    placeOrder: (placing: NewOrder) => {
      const placed = order(Number(placing.petId), placing as Partial<Order>)
      orders.set(placed.id, placed)
      return placed
    },
    completeOrder: move('completed'),
    returnOrder: move('returned'),
    updateOrder: (id: bigint, change: object) => order(Number(id), { ...orders.get(id), ...change }),
    listOrderPage: ({ petId, status }: { petId: bigint; status: string }) => {
      const found = orders.get(petId)
      return { orders: found?.status === status ? [found] : [] }
    },
  })
  const group = new Group({ client: fake.client, action: 'sell', placed: new Set() })
  for (const id of ids) group.addPet(pet(id))
  const references = () => [...orders.values()].map(({ reference }) => reference)
  return { ...fake, group, orders, references, sent: () => fake.names().filter((name) => name !== 'listOrderPage') }
}

test('sells all with the customer, or with one new receipt number', async () => {
  const named = start(1, 2)
  await named.group.submit({ ...NOTHING, reference: ' Anna ' })
  expect([named.references(), named.sent()]).toEqual([
    ['Anna', 'Anna'],
    ['placeOrder', 'completeOrder', 'placeOrder', 'completeOrder'],
  ])
  expect(groupSentence('sell', [...named.group.done.value.values()])).toBe('2 animals are sold.')
  const { group, references } = start(1, 2, 3)
  await group.submit(NOTHING)
  const [first, ...others] = references()
  expect(others).toEqual([first, first])
  expect(first).toMatch(/^R[A-Z2-9]{10}$/)
  const one = start(1)
  await one.group.submit(NOTHING)
  expect(one.references()).toEqual([undefined])
})

test('receipt numbers differ, and the search finds them as one word', () => {
  const numbers = Array.from({ length: 1_000 }, receiptNumber)
  expect(new Set(numbers).size).toBe(1_000)
  expect(searchWords(numbers[0] as string)).toHaveLength(1)
})

test('a lost response stops the sale, and a retry sells nothing twice', async () => {
  const { answers, calls, group, orders } = start(1, 2, 3)
  const { completeOrder } = answers
  answers.completeOrder = (id: bigint) => {
    completeOrder?.(id as never)
    if (id === 2n) throw new PetstoreNetworkError('lost')
  }
  await group.submit(NOTHING)
  expect([group.done.value.size, orders.size]).toEqual([1, 2])
  if (completeOrder) answers.completeOrder = completeOrder
  await group.submit(NOTHING)
  expect([...orders.values()].map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
  const placings = calls.filter(([name]) => name === 'placeOrder')
  expect([placings.length, group.done.value.size]).toEqual([3, 3])
})

test('if another till sold one, the others can be sold or taken back', async () => {
  const { answers, group, orders, sent } = start(1, 2, 3)
  const { placeOrder } = answers
  answers.placeOrder = (placing: NewOrder) =>
    placing.petId === 2n ? refused('pet_not_available') : placeOrder?.(placing as never)
  orders.set(2n, order(9, { petId: 2n, status: 'completed' }))
  await group.submit(NOTHING)
  expect([group.done.value.size, group.open.length]).toEqual([1, 1])
  expect(group.blocked?.state.value).toMatchObject({ is: 'blocked', what: 'Pet 2 was sold a moment ago.' })
  await group.submit(NOTHING)
  expect([...group.done.value.values()].map(({ id }) => id)).toEqual([1n, 3n])
  await group.takeBack()
  expect([sent().slice(-2), group.done.value.size]).toEqual([['returnOrder', 'returnOrder'], 0])
})

test('a reserved animal joins with the shared reference; a sold one and one in the list do not', async () => {
  const { group, orders, sent } = start(1)
  orders.set(2n, order(2, { petId: 2n, reference: 'Ben' }))
  group.add({ petId: 2n, name: 'Mia', status: 'pending' })
  await Bun.sleep(0)
  expect(group.news.value).toBe('Mia was added.')
  for (const [more, news] of [
    [pet(3, { status: 'sold' }), 'Pet 3 is sold.'],
    [pet(1), 'Pet 1 is in the list already.'],
  ] as const) {
    group.addPet(more)
    expect([group.news.value, group.tasks.value.length]).toEqual([news, 2])
  }
  await group.submit({ ...NOTHING, reference: 'Anna' })
  expect(sent().slice(-2)).toEqual(['updateOrder', 'completeOrder'])
})
