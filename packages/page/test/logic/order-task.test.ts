// Reserving, selling, releasing and taking back: the requests, and what stops them.

import { expect, test } from 'bun:test'
import { type NewOrder, type Order, PetstoreNetworkError } from '../../../client/src/petstore.ts'
import { NOT_RESPONDING } from '../../src/failures.ts'
import { type Action, actionsOf, type Subject } from '../../src/orders/actions.ts'
import { problemOf } from '../../src/orders/order-dialog.tsx'
import { type Choices, OrderTask, SALE_MS } from '../../src/orders/order-task.ts'
import { undoOf } from '../../src/orders/undo.ts'
import { noteServiceTime } from '../../src/parts/clock.ts'
import { fakeClient, order, refused } from './fake-client.ts'

const DAY_MS = 86_400_000
const NOTHING: Choices = { reference: '', hold: 'open', until: '' }
const FREE: Subject = { petId: 1n, name: 'Rex', status: 'available' }
const HELD = order(7, { reference: 'Anna' })
const RESERVED: Subject = { ...FREE, status: 'pending', order: HELD }

/** A task with a service that has one order. */
function start(action: Action, subject: Subject, held?: Order) {
  const store = { held, done: [] as Order[], changes: 0 }
  const move = (status: Order['status']) => () => {
    store.held = order(7, { ...store.held, status })
    return store.held
  }
  const fake = fakeClient({
    placeOrder: (placing: NewOrder) => (store.held = order(7, placing as Partial<Order>)),
    completeOrder: move('completed'),
    cancelOrder: move('cancelled'),
    returnOrder: move('returned'),
    listOrderPage: ({ status }: { status: string }) => ({ orders: store.held?.status === status ? [store.held] : [] }),
  })
  const placed = new Set<bigint>()
  const listener = { onChange: () => store.changes++, onDone: (one: Order) => store.done.push(one) }
  const task = new OrderTask({ client: fake.client, action, subject, placed }, listener)
  task.begin()
  const submit = async (choices: Partial<Choices> = {}) => {
    void task.submit({ ...NOTHING, ...choices })
    await settled(task)
  }
  /** The requests without lookups. */
  const sent = () => fake.names().filter((name) => name !== 'listOrderPage')
  return { ...fake, task, store, placed, submit, sent }
}

/** Why the last attempt failed. */
function failureOf({ state }: OrderTask) {
  return state.value.is === 'failed' ? state.value.failure : undefined
}

async function settled(task: OrderTask): Promise<void> {
  while (task.isBusy) await Bun.sleep(0)
}

test('a sale places an order that ends after 10 minutes by the service’s clock, and completes it', async () => {
  noteServiceTime(new Date(Date.now() - DAY_MS).toUTCString())
  const { calls, sent, store, submit } = start('sell', FREE)
  await submit({ reference: ' Anna ' })
  expect(sent()).toEqual(['placeOrder', 'completeOrder'])
  const { expiresAt = '', ...placed } = (calls[0] ?? [])[1] as NewOrder
  expect(placed).toEqual({ petId: 1n, reference: 'Anna' })
  expect(Date.parse(expiresAt) - Date.now() + DAY_MS).toBeWithin(SALE_MS - 5_000, SALE_MS + 1)
  expect(store.done.map(({ id }) => id)).toEqual([7n])
  noteServiceTime(new Date().toUTCString())
})

test.each<[string, Partial<Choices>, number | undefined]>([
  ['no end', {}, undefined],
  ['1 hour', { hold: 'hour' }, 3_600_000],
  ['1 day', { hold: 'day' }, 86_400_000],
  ['a time', { hold: 'other', until: '2999-01-01T12:00' }, Date.parse('2999-01-01T12:00') - Date.now()],
])('a reservation for %s ends by the service’s clock', async (_, choices, afterMs) => {
  const { calls, placed, sent, submit } = start('reserve', FREE)
  await submit(choices)
  expect([sent(), [...placed]]).toEqual([['placeOrder'], [7n]])
  const { expiresAt, reference } = (calls[0] ?? [])[1] as NewOrder
  expect(reference).toBeUndefined()
  if (afterMs === undefined) expect(expiresAt).toBeUndefined()
  else expect(Math.abs(Date.parse(expiresAt ?? '') - Date.now() - afterMs)).toBeLessThan(5_000)
})

test('a reservation until a chosen time requires one', async () => {
  const { calls, submit, task } = start('reserve', FREE)
  await submit({ hold: 'other' })
  expect([failureOf(task)?.message, calls.length]).toEqual(['Choose a day and a time.', 0])
})

test('retries a lost request with the same order and key, and gives that order the changed choices', async () => {
  const { answers, calls, sent, store, submit, task } = start('sell', FREE)
  answers.updateOrder = (_id: bigint, change: object) => (store.held = order(7, { ...store.held, ...change }))
  const { placeOrder } = answers
  answers.placeOrder = () => {
    throw new PetstoreNetworkError('lost')
  }
  await submit({ reference: 'Anna', hold: 'day' })
  expect([failureOf(task)?.message, task.order.value]).toEqual([NOT_RESPONDING, undefined])
  if (placeOrder) answers.placeOrder = placeOrder
  await submit({ reference: 'Ben', hold: 'day' })
  expect(calls[0]).toEqual(calls[1] as never)
  expect(sent()).toEqual(['placeOrder', 'placeOrder', 'updateOrder', 'completeOrder'])
  expect([store.held?.reference, store.done.length]).toEqual(['Ben', 1])
})

test('a sale that stopped halfway continues with its order', async () => {
  const { answers, sent, store, submit, task } = start('sell', FREE)
  const { completeOrder } = answers
  answers.completeOrder = () => {
    throw new PetstoreNetworkError('lost')
  }
  await submit()
  expect([task.order.value?.id, failureOf(task)?.kind]).toEqual([7n, 'unavailable'])
  if (completeOrder) answers.completeOrder = completeOrder
  await submit()
  expect(sent()).toEqual(['placeOrder', 'completeOrder', 'completeOrder'])
  expect([failureOf(task), store.done.length]).toEqual([undefined, 1])
})

test.each(['placeOrder', 'completeOrder'])(
  'a sale works again after its reservation ended, if %s failed',
  async (name) => {
    const { answers, calls, sent, store, submit, task } = start('sell', FREE)
    const { completeOrder, placeOrder } = answers
    answers[name] = () => {
      throw new PetstoreNetworkError('lost')
    }
    await submit()
    expect(failureOf(task)?.kind).toBe('unavailable')
    noteServiceTime(new Date(Date.now() + 11 * 60_000).toUTCString())
    store.held = undefined
    Object.assign(answers, {
      placeOrder,
      completeOrder: () => (store.held ? completeOrder?.() : refused('order_not_pending')),
    })
    await submit()
    expect([task.state.value, store.done.length]).toEqual([{ is: 'ready' }, 1])
    const before = name === 'placeOrder' ? [name] : ['placeOrder', name, name]
    expect(sent()).toEqual([...before, 'placeOrder', 'completeOrder'])
    const placed = calls.filter(([call]) => call === 'placeOrder') as [string, NewOrder, { idempotencyKey: string }][]
    expect(Date.parse(placed[1]?.[1].expiresAt ?? '') - Date.parse(placed[0]?.[1].expiresAt ?? '')).toBeGreaterThan(
      SALE_MS,
    )
    expect(placed[0]?.[2].idempotencyKey).not.toBe(placed[1]?.[2].idempotencyKey ?? '')
    noteServiceTime(new Date().toUTCString())
  },
)

test('a sale that was complete, but whose response was lost, is not repeated after 11 minutes', async () => {
  const { answers, sent, store, submit } = start('sell', FREE)
  const { completeOrder } = answers
  answers.completeOrder = () => {
    completeOrder?.()
    throw new PetstoreNetworkError('lost')
  }
  await submit()
  noteServiceTime(new Date(Date.now() + 11 * 60_000).toUTCString())
  if (completeOrder) answers.completeOrder = completeOrder
  await submit()
  expect([sent(), store.done.length]).toEqual([['placeOrder', 'completeOrder', 'completeOrder'], 1])
  noteServiceTime(new Date().toUTCString())
})

test.each<[Action, Subject['status'], Order['status'] | undefined, string, string]>([
  ['sell', 'available', 'completed', 'Rex was sold a moment ago.', 'You have not sold it. Choose another animal.'],
  [
    'reserve',
    'available',
    'pending',
    'Rex was reserved a moment ago.',
    'You have not reserved it. Choose another animal.',
  ],
  ['release', 'pending', 'completed', 'Rex was sold a moment ago.', 'There is nothing left to release.'],
  ['sell', 'pending', undefined, 'Rex is available again.', 'The list shows its current status.'],
])('%s of an animal that was %s fails if its order is now %s', async (action, row, held, what, advice) => {
  const { answers, store, submit, task } = start(
    action,
    row === 'available' ? FREE : RESERVED,
    held && order(7, { status: held }),
  )
  answers.placeOrder = () => refused('pet_not_available')
  answers.completeOrder = answers.cancelOrder = () => refused('order_not_pending')
  await submit()
  expect(task.state.value).toEqual({ is: 'blocked', what, advice })
  expect([store.changes, store.done.length]).toEqual([1, 0])
})

test('a sale continues with an order that this tab placed', async () => {
  const { answers, placed, sent, store, submit, task } = start('sell', FREE, HELD)
  placed.add(7n)
  answers.placeOrder = () => refused('pet_not_available')
  await submit()
  expect([task.order.value?.reference, task.state.value, store.done.length]).toEqual(['Anna', { is: 'ready' }, 0])
  await submit()
  expect(sent()).toEqual(['placeOrder', 'completeOrder'])
})

test('looks up an order only if the list does not know it, and shows it before acting', async () => {
  const known = start('release', RESERVED, HELD)
  await known.submit()
  expect(known.names()).toEqual(['cancelOrder'])
  const { sent, store, submit, task } = start(
    'takeBack',
    { ...FREE, status: 'sold' },
    order(7, { status: 'completed' }),
  )
  void task.submit(NOTHING)
  await settled(task)
  expect([task.order.value?.id, sent()]).toEqual([7n, []])
  await submit()
  expect([sent(), store.done.length]).toEqual([['returnOrder'], 1])
  // A failed lookup is repeated, and its order is shown first.
  const failing = start('takeBack', { ...FREE, status: 'sold' }, order(7, { status: 'completed' }))
  await settled(failing.task)
  failing.task.order.value = undefined
  await failing.submit()
  expect([(failing.task.order.value as Order | undefined)?.id, failing.sent()]).toEqual([7n, []])
})

test('stops if the animal has no order, or an order with a different status', async () => {
  const none = start('takeBack', { ...FREE, status: 'sold' })
  await settled(none.task)
  expect((none.task.state.value as { what?: string }).what).toBe('Rex has no order: it was entered by hand.')
  const other = start('takeBack', { ...FREE, status: 'sold' }, HELD)
  await settled(other.task)
  expect((other.task.state.value as { what?: string }).what).toBe('Rex was reserved a moment ago.')
})

test('acts once for several submits, and reports no failure after a sign-out', async () => {
  const { answers, calls, submit, task } = start('reserve', FREE)
  answers.placeOrder = () => {
    throw new DOMException('signed out', 'AbortError')
  }
  void task.submit(NOTHING)
  expect(task.state.value.is).toBe('acting')
  await submit()
  expect([calls.length, failureOf(task)]).toEqual([1, undefined])
})

test('an open dialog follows changes to its order', async () => {
  const { store, task } = start('release', RESERVED, HELD)
  store.held = order(7, { reference: 'Ben' })
  await task.check()
  expect([task.order.value?.reference, task.overtaken.value]).toEqual(['Ben', ''])
})

test('an open dialog reports that another till was quicker, until that no longer holds', async () => {
  const { store, task } = start('reserve', FREE)
  store.held = order(8)
  await task.check()
  expect(task.overtaken.value).toBe('Rex was reserved a moment ago.')
  store.held = undefined
  await task.check()
  expect(task.overtaken.value).toBe('')
  const sold = start('sell', RESERVED, order(7, { status: 'completed' }))
  await sold.task.check()
  expect(sold.task.overtaken.value).toBe('Rex was sold a moment ago.')
})

test('each status offers its actions, with *Sell* in the same place before and after a reservation', () => {
  expect(actionsOf('available')).toEqual(['reserve', 'sell'])
  expect(actionsOf('pending')).toEqual(['release', 'sell'])
  expect(actionsOf('sold')).toEqual(['takeBack'])
})

test('a problem shows the field of the page, and a sale that stopped halfway', () => {
  const message = 'expiresAt must be in the future.'
  expect(problemOf({ kind: 'other', code: 'invalid_order', message }, false)).toBe('The end must be in the future.')
  const lost = { kind: 'unavailable', code: 'network', message: NOT_RESPONDING } as const
  expect(problemOf(lost, true)).toBe(`Not sold yet. ${NOT_RESPONDING}`)
})

test.each<[string, Action, Partial<Order>, boolean, string[], string]>([
  ['a sale at the counter', 'sell', {}, true, ['returnOrder'], 'Rex was taken back, and is available again.'],
  [
    'a sale of a reserved animal',
    'sell',
    { reference: 'Anna' },
    false,
    ['returnOrder', 'placeOrder'],
    'Rex is reserved for Anna again, with order 8.',
  ],
  [
    'a release',
    'release',
    { reference: 'Anna' },
    false,
    ['placeOrder'],
    'Rex is reserved for Anna again, with order 8.',
  ],
  [
    'a return',
    'takeBack',
    { reference: 'Anna', expiresAt: '2020-01-01T00:00:00Z' },
    false,
    ['placeOrder', 'completeOrder'],
    'Rex is sold again, with order 8. Sales shows the return and a new sale.',
  ],
])('undoes %s, even if a response was lost', async (_, action, fields, isPlaced, sent, sentence) => {
  let losses = 1
  const lose = <Result>(result: Result) => {
    if (losses-- > 0) throw new PetstoreNetworkError('lost')
    return result
  }
  const { calls, client, names } = fakeClient({
    returnOrder: () => lose(undefined),
    placeOrder: (placing: NewOrder) => lose(order(8, placing as Partial<Order>)),
    completeOrder: () => undefined,
  })
  const undo = undoOf(client, action, [order(7, fields)], new Set(isPlaced ? [7n] : []))
  expect(await undo?.().catch(({ message }) => message)).toBe('lost')
  expect(await undo?.()).toBe(sentence)
  expect(names()).toEqual([sent[0] as string, ...sent])
  const placings = calls.filter(([name]) => name === 'placeOrder') as [string, NewOrder, { idempotencyKey: string }][]
  expect(new Set(placings.map(([, , { idempotencyKey }]) => idempotencyKey)).size).toBe(isPlaced ? 0 : 1)
  for (const [, { reference, expiresAt }] of placings) {
    expect(reference).toBe('Anna')
    // A sale needs an end in the future.
    if (action === 'takeBack') expect(Date.parse(expiresAt ?? '')).toBeGreaterThan(Date.now())
  }
})
