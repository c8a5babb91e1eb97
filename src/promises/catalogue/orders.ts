// Level `store`: how orders are listed and fetched, how they are completed, cancelled and returned, and the inventory.

import type { OperationId } from '../../contract/contract.ts'
import { type Answer, textOf } from '../answer.ts'
import { Unjudged } from '../asked.ts'
import { absentId, prepared, STATUSES, seeded, settled } from '../fixtures.ts'
import {
  cancel,
  complete,
  expectInstant,
  expectPet,
  expectUnchanged,
  giveBack,
  newPetId,
  ORDER_STATUSES,
  orderBody,
  orderThatIs,
  place,
  placed,
  type Reachable,
  readOrder,
} from '../orders.ts'
import type { Asking, Probe } from '../probe.ts'
import type { PromiseRow } from '../promise.ts'
import { conditionRows } from './conditions.ts'
import { methodRows } from './errors.ts'
import { INVALID_KEY } from './interface-reads.ts'
import { listRows } from './lists.ts'
import { follow, linkOf } from './pages.ts'
import { type Check, documented, header, operation, placeOf, refuses, rowsOf, schema, writing } from './rows.ts'

const row = rowsOf('store')

/** The orders of one pet of ours, where they may be placed; there is one of another pet, too. */
const view = (probe: Probe): Promise<string> =>
  prepared(probe, 'orders of one pet', async (own) => {
    if (!own.target.write) return ''
    await placed(own)
    const petId = await newPetId(own)
    for (let n = 0; n < 5; n++) {
      const answer = await place(own, orderBody(petId))
      if (answer.status === 409) break
      ;(await cancel(own, textOf(answer.object().get('id')))).expectStatus(204)
    }
    return `petId=${petId}&`
  })

const listed = async (probe: Probe): Promise<Answer> =>
  (await probe.get(`/store/orders?${await view(probe)}limit=20`)).expectStatus(200)
const anOrder = async (probe: Probe) => {
  const [order] = (await listed(probe)).objects()
  if (!order) throw new Unjudged('There is no order to look at.')
  return order
}
const orderFor = (probe: Probe, status: Reachable) =>
  prepared(probe, `an order that is ${status}`, (own) => orderThatIs(own, status))
const LISTED = { after: ['orders.list.success'] }

const list = [
  row(
    'orders.list.success',
    'GET /store/orders answers 200 with a JSON array of objects.',
    operation('listOrders', 'responses', '200'),
    async (probe) => {
      ;(await probe.get('/store/orders')).expectStatus(200).expectHeader('Content-Type', 'application/json').objects()
    },
  ),
  row(
    'orders.list.item',
    'Each listed order has id, petId, petName, status, placedAt and changedAt, as the contract says.',
    schema('Order'),
    async (probe) => {
      await anOrder(probe)
      const answer = await listed(probe)
      for (const order of answer.objects()) {
        answer.expectInt64(order, 'id')
        answer.expectInt64(order, 'petId')
        answer.expectString(order, 'petName')
        for (const name of ['placedAt', 'changedAt']) expectInstant(answer, order, name)
        const status = textOf(order.get('status'))
        if (!ORDER_STATUSES.some((one) => one === status))
          throw answer.broken(ORDER_STATUSES.join(', '), `status: ${status}`)
      }
    },
    LISTED,
  ),
  row(
    'orders.list.limit.default',
    'Without limit, a list has at most 20 orders.',
    documented('The store area', 'List of orders'),
    async (probe) => {
      const answer = await probe.get('/store/orders')
      if (answer.array().length > 20) throw answer.broken('at most 20 orders', `${answer.array().length} orders`)
    },
    // By then the checks have placed more.
    { ...LISTED, alone: true },
  ),
  row(
    'orders.list.limit',
    'A list has at most limit orders.',
    documented('The store area', 'List of orders'),
    async (probe) => {
      const answer = (await probe.get(`/store/orders?${await view(probe)}limit=2`)).expectStatus(200)
      if (answer.array().length > 2) throw answer.broken('at most 2 orders', `${answer.array().length} orders`)
    },
    LISTED,
  ),
  ...ORDER_STATUSES.map((status) =>
    row(
      `orders.list.status.${status}`,
      `With status=${status}, every listed order is ${status}, and such an order is listed.`,
      schema('OrderStatus'),
      async (probe) => {
        await view(probe)
        const all = (await probe.get(`/store/orders?status=${status}&limit=100`)).expectStatus(200)
        for (const order of all.objects()) all.expectMember(order, 'status', status)
        if (!probe.target.write || status === 'expired') return
        const { id, petId } = await orderFor(probe, status)
        const answer = (await probe.get(`/store/orders?status=${status}&petId=${petId}`)).expectStatus(200)
        const ids = answer.objects().map((order) => textOf(order.get('id')))
        if (!ids.includes(id)) throw answer.broken(`order ${id} in the list`, `orders ${ids}`)
      },
      LISTED,
    ),
  ),
  ...listRows({
    level: 'store',
    id: 'orders.list',
    operation: 'listOrders',
    path: '/store/orders',
    first: 'orders.list.success',
    statuses: ORDER_STATUSES,
    filter: { name: 'petId', id: 'pet' },
    view,
  }),
  ...conditionRows({
    level: 'store',
    id: 'orders.list',
    operation: 'listOrders',
    first: 'orders.list.success',
    path: async (probe) => `/store/orders?${await view(probe)}limit=4`,
  }),
]

const NO_IDS = ['9223372036854775808', '1.0', '01', '%2B1', 'x', '%20', '-0']

const get = [
  row(
    'orders.get.success',
    'GET /store/orders/{orderId} answers 200 with the order as the list shows it.',
    operation('getOrder', 'responses', '200'),
    async (probe) => {
      const order = await anOrder(probe)
      const answer = await readOrder(probe, textOf(order.get('id')))
      for (const name of ['id', 'petId', 'placedAt'])
        answer.expectMember(answer.object(), name, order.get(name) ?? null)
    },
    LISTED,
  ),
  row(
    'orders.get.placed',
    'An order can be fetched as it was placed.',
    operation('getOrder', 'description'),
    async (probe) => {
      await expectUnchanged(probe, (await placed(probe)).answer)
    },
    writing('orders.get.success', 'orders.place.success'),
  ),
  row(
    'orders.get.not-found',
    'An order that does not exist: 404 not_found.',
    operation('getOrder', 'responses', '404'),
    refuses((probe) => probe.get(`/store/orders/${absentId()}`), 404, 'not_found'),
  ),
  row(
    'orders.get.no-id',
    'An orderId that is not an int64 in plain decimal: 404 not_found.',
    operation('getOrder', 'parameters', 0),
    async (probe) => {
      for (const id of NO_IDS) (await probe.get(`/store/orders/${id}`)).expectError(404, 'not_found')
    },
    { after: ['orders.get.not-found'] },
  ),
  ...conditionRows({
    level: 'store',
    id: 'orders.get',
    operation: 'getOrder',
    first: 'orders.get.success',
    path: async (probe) => `/store/orders/${textOf((await anOrder(probe)).get('id'))}`,
  }),
  ...(['orders.list', 'orders.get'] as const).map((id) =>
    row(
      `${id}.etag.changes`,
      'The tag changes when the order changes.',
      header('ETag'),
      async (probe) => {
        const order = await placed(probe)
        const path = id === 'orders.get' ? `/store/orders/${order.id}` : `/store/orders?petId=${order.petId}`
        const tag = (await probe.get(path)).header('ETag') ?? ''
        ;(await complete(probe, order.id)).expectStatus(200)
        const now = (await probe.get(path, { 'If-None-Match': tag })).expectStatus(200)
        if (now.header('ETag') === tag) throw now.broken('another ETag', `ETag: ${tag} again`)
        ;(await probe.get(path, { 'If-Match': tag })).expectError(412, 'precondition_failed')
      },
      writing(`${id}.if-none-match`, `${id}.if-match.other`, 'orders.complete.success'),
    ),
  ),
]

interface Change {
  id: string
  operation: OperationId
  ask(probe: Probe, id: string, asking?: Asking): Promise<Answer>
  status: 200 | 204
  from: Reachable
  to: Reachable
  pet: string
  code: 'order_not_pending' | 'order_not_completed'
  /** The orders that it refuses. */
  conflicts: readonly Reachable[]
}

const CHANGES: readonly Change[] = [
  {
    id: 'orders.complete',
    operation: 'completeOrder',
    ask: complete,
    status: 200,
    from: 'pending',
    to: 'completed',
    pet: 'sold',
    code: 'order_not_pending',
    conflicts: ['cancelled', 'returned'],
  },
  {
    id: 'orders.cancel',
    operation: 'cancelOrder',
    ask: cancel,
    status: 204,
    from: 'pending',
    to: 'cancelled',
    pet: 'available',
    code: 'order_not_pending',
    conflicts: ['completed', 'returned'],
  },
  {
    id: 'orders.return',
    operation: 'returnOrder',
    ask: giveBack,
    status: 200,
    from: 'completed',
    to: 'returned',
    pet: 'available',
    code: 'order_not_completed',
    conflicts: ['pending', 'cancelled'],
  },
]

function changeRows({ id, operation: of, ask, status, from, to, pet, code, conflicts }: Change): PromiseRow[] {
  const done = writing(`${id}.success`)
  const expectStatus = async (probe: Probe, order: string, expected: string) => {
    const now = await readOrder(probe, order)
    now.expectMember(now.object(), 'status', expected)
    return now
  }
  /** An order of each status, asked under these conditions, and what is answered; what it is then. */
  const conditional = (...cases: (readonly [Reachable, (tag: string) => Record<string, string>, number])[]): Check => {
    return async (probe) => {
      for (const [state, conditions, expected] of cases) {
        const order = await orderThatIs(probe, state)
        const tag = (await readOrder(probe, order.id)).header('ETag') ?? ''
        const answer = await ask(probe, order.id, { headers: conditions(tag) })
        answer.expectError(expected, { 412: 'precondition_failed', 409: code }[expected])
        await expectStatus(probe, order.id, expected === status ? to : state)
      }
    }
  }
  const match = (make: (tag: string) => string) => (tag: string) => ({ 'If-Match': make(tag) })
  const none = (make: (tag: string) => string) => (tag: string) => ({ 'If-None-Match': make(tag) })
  const other = match(() => '"x"')
  const [ifMatch, ifNoneMatch] = [1, 2].map((index) => operation(of, 'parameters', index)) as [string, string]
  const tagged = writing(`${id}.success`, 'orders.get.etag')
  return [
    row(
      `${id}.success`,
      `An order that is ${from} becomes ${to}: ${status}.`,
      operation(of, 'responses', status),
      async (probe) => {
        const order = await orderThatIs(probe, from)
        const answer = (await ask(probe, order.id)).expectStatus(status)
        const now = await expectStatus(probe, order.id, to)
        if (answer.text !== (status === 204 ? '' : now.text))
          throw answer.broken(status === 204 ? 'no body' : now.text, answer.text)
      },
      writing('orders.place.success', ...(from === 'completed' ? ['orders.complete.success'] : [])),
    ),
    row(
      `${id}.pet`,
      `Its pet is then ${pet}.`,
      operation(of, 'description'),
      async (probe) => {
        const order = await orderThatIs(probe, from)
        ;(await ask(probe, order.id)).expectStatus(status)
        await expectPet(probe, order.petId, pet)
      },
      writing(`${id}.success`, 'pets.get.status'),
    ),
    row(
      `${id}.changed-at`,
      'changedAt says when, and nothing else of the order changes.',
      schema('Order', 'changedAt'),
      async (probe) => {
        const order = await orderThatIs(probe, from)
        const before = await readOrder(probe, order.id)
        ;(await ask(probe, order.id)).expectStatus(status)
        const now = await readOrder(probe, order.id)
        for (const [name, value] of before.object())
          if (name !== 'status' && name !== 'changedAt') now.expectMember(now.object(), name, value)
        if (expectInstant(now, now.object(), 'changedAt') < expectInstant(before, before.object(), 'changedAt'))
          throw now.broken('a later changedAt', now.text)
      },
      done,
    ),
    row(
      `${id}.again`,
      `An order that is ${to} already: ${status} again, and nothing changes.`,
      operation(of, 'description'),
      async (probe) => {
        const before = await readOrder(probe, (await orderThatIs(probe, to)).id)
        ;(await ask(probe, textOf(before.object().get('id')))).expectStatus(status)
        await expectUnchanged(probe, before)
      },
      done,
    ),
    ...conflicts.map((state) =>
      row(
        `${id}.${state}`,
        `An order that is ${state}: 409 ${code}, and nothing changes.`,
        operation(of, 'responses', '409'),
        async (probe) => {
          const before = await readOrder(probe, (await orderThatIs(probe, state)).id)
          ;(await ask(probe, textOf(before.object().get('id')))).expectError(409, code)
          await expectUnchanged(probe, before)
        },
        done,
      ),
    ),
    row(
      `${id}.not-found`,
      'An order that does not exist: 404 not_found, whatever the preconditions.',
      operation(of, 'responses', '404'),
      async (probe) => {
        for (const headers of [{}, { 'If-Match': '"x"' }])
          (await ask(probe, absentId(), { headers })).expectError(404, 'not_found')
      },
      { needs: ['write'] },
    ),
    row(
      `${id}.no-id`,
      'An orderId that is not an int64 in plain decimal: 404 not_found.',
      operation(of, 'parameters', 0),
      async (probe) => {
        for (const one of NO_IDS) (await ask(probe, one)).expectError(404, 'not_found')
      },
      writing(`${id}.not-found`),
    ),
    ...(status === 200
      ? [
          row(
            `${id}.body`,
            'A body is ignored, whatever its media type.',
            documented('The store area', 'Complete and return'),
            async (probe) => {
              const order = await orderThatIs(probe, from)
              for (const type of ['application/json', 'text/plain']) {
                ;(await ask(probe, order.id, { headers: { 'Content-Type': type }, body: '{"x":' })).expectStatus(200)
              }
            },
            done,
          ),
        ]
      : []),
    row(
      `${id}.if-match`,
      'If-Match with the tag, or *: it is done.',
      ifMatch,
      conditional([from, match((tag) => `"x", ${tag}`), status], [from, match(() => '*'), status]),
      tagged,
    ),
    row(
      `${id}.if-match.other`,
      'If-Match with another or a weak tag: 412 precondition_failed, and nothing changes.',
      ifMatch,
      conditional([from, other, 412], [from, match((tag) => `W/${tag}`), 412]),
      tagged,
    ),
    row(
      `${id}.if-none-match`,
      'If-None-Match with the tag, or *: 412 precondition_failed, and nothing changes.',
      ifNoneMatch,
      conditional(
        [from, none((tag) => `W/${tag}`), 412],
        [from, none(() => '*'), 412],
        [from, none(() => '"x"'), status],
      ),
      tagged,
    ),
    row(
      `${id}.state-first`,
      'A repeat and a wrong status are told before a false precondition.',
      documented('The store area', '`If-Match`, `If-None-Match`'),
      conditional([to, other, status], [conflicts[0] as Reachable, other, 409]),
      writing(`${id}.again`, `${id}.${conflicts[0]}`, `${id}.if-match.other`),
    ),
  ]
}

const changes = [
  ...CHANGES.flatMap(changeRows),
  row(
    'orders.together',
    'Of completing and cancelling at the same time one succeeds, and the pet agrees.',
    documented('The store area', 'Status of an order'),
    async (probe) => {
      const { id, petId } = await placed(probe)
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? complete : cancel)(probe, id)),
      )
      const status = textOf((await readOrder(probe, id)).object().get('status'))
      for (const [n, answer] of answers.entries()) {
        const same = (n % 2 === 0) === (status === 'completed')
        answer.expectStatus(same ? (n % 2 === 0 ? 200 : 204) : 409)
      }
      await expectPet(probe, petId, status === 'completed' ? 'sold' : 'available')
    },
    writing('orders.complete.cancelled', 'orders.cancel.completed', 'orders.cancel.pet'),
  ),
]

const counts = async (probe: Probe) => {
  const answer = (await probe.get('/store/inventory')).expectStatus(200)
  return {
    answer,
    of: Object.fromEntries(STATUSES.map((status) => [status, answer.expectInt64(answer.object(), status)])),
  }
}
const COUNT_PAGES_MAX = 20
const QUIET_MS = 15

/** How many pets of each status the list has. Throws Unjudged when it is too long. */
async function counted(probe: Probe): Promise<Record<string, bigint>> {
  const of: Record<string, bigint> = { available: 0n, pending: 0n, sold: 0n }
  let page = await probe.get('/pets?limit=100')
  for (let n = 1; ; n++) {
    for (const pet of page.expectStatus(200).objects())
      of[textOf(pet.get('status'))] = (of[textOf(pet.get('status'))] ?? 0n) + 1n
    const next = linkOf(page, 'next')
    if (next === undefined) return of
    if (n === COUNT_PAGES_MAX) throw new Unjudged('There are too many pets to count.')
    page = await follow(probe, next)
  }
}

const sameCounts: Check = async (probe) => {
  await seeded(probe)
  for (let n = 0; n < 4; n++) {
    const before = await counts(probe)
    const pets = await counted(probe)
    const after = await counts(probe)
    if (before.answer.text !== after.answer.text) continue
    for (const status of STATUSES) {
      if (after.of[status] !== pets[status])
        throw after.answer.broken(`${status}: ${pets[status]}, as listed`, `${status}: ${after.of[status]}`)
    }
    return
  }
  throw new Unjudged('Others write all the time.')
}

/** The counts, where nobody writes. */
async function quietCounts(probe: Probe) {
  const before = await counts(probe)
  await Bun.sleep(QUIET_MS)
  const after = await counts(probe)
  if (before.answer.text !== after.answer.text) throw new Unjudged('Others write at the same time.')
  return after
}

/** That after each step exactly one pet has left one count, and is in another. */
const follows: Check = async (probe) => {
  let [petId, id] = ['', '']
  const create = async () => {
    petId = await newPetId(probe)
  }
  const order = async () => {
    id = textOf((await place(probe, orderBody(petId))).expectStatus(201).object().get('id'))
  }
  const steps = [
    { what: 'a create', from: undefined, to: 'available', act: create },
    { what: 'an order', from: 'available', to: 'pending', act: order },
    { what: 'a completion', from: 'pending', to: 'sold', act: () => complete(probe, id) },
    { what: 'a return', from: 'sold', to: 'available', act: () => giveBack(probe, id) },
  ]
  for (const { what, from, to, act } of steps) {
    const before = await quietCounts(probe)
    await act()
    const after = await counts(probe)
    const later = await quietCounts(probe)
    if (later.answer.text !== after.answer.text) throw new Unjudged('Others write at the same time.')
    for (const status of STATUSES) {
      const expected = (before.of[status] ?? 0n) + (status === to ? 1n : 0n) - (status === from ? 1n : 0n)
      if (after.of[status] !== expected)
        throw after.answer.broken(`after ${what}, ${status}: ${expected}`, `${status}: ${after.of[status]}`)
    }
  }
}

const COUNTED = { after: ['inventory.get.success'], alone: true }

const inventory = [
  row(
    'inventory.get.success',
    'GET /store/inventory answers 200 with a JSON object.',
    operation('getInventory', 'responses', '200'),
    async (probe) => {
      ;(await probe.get('/store/inventory')).expectStatus(200).expectHeader('Content-Type', 'application/json').object()
    },
  ),
  ...STATUSES.map((status) =>
    row(
      `inventory.get.${status}`,
      `The inventory has the number of pets that are ${status}.`,
      schema('Inventory', status),
      async (probe) => {
        const { answer, of } = await counts(probe)
        if ((of[status] ?? -1n) < 0n) throw answer.broken(`${status}: 0 or more`, `${status}: ${of[status]}`)
      },
      { after: ['inventory.get.success'] },
    ),
  ),
  row(
    'inventory.get.counts',
    'The inventory counts the pets that are listed.',
    documented('The store area', 'Inventory'),
    sameCounts,
    { ...COUNTED, after: ['inventory.get.success', 'pets.list.next.follow'] },
  ),
  row(
    'inventory.get.follows',
    'The inventory follows each create and each change of an order at once.',
    documented('The store area', 'Inventory'),
    (probe) => settled(() => follows(probe)),
    { ...COUNTED, ...writing('inventory.get.success', 'orders.return.success') },
  ),
  ...conditionRows({
    level: 'store',
    id: 'inventory.get',
    operation: 'getInventory',
    first: 'inventory.get.success',
    path: async () => '/store/inventory',
    alone: true,
  }),
]

const OPERATIONS: Record<string, OperationId> = {
  'orders.list': 'listOrders',
  'orders.place': 'placeOrder',
  'orders.get': 'getOrder',
  'orders.complete': 'completeOrder',
  'orders.cancel': 'cancelOrder',
  'orders.return': 'returnOrder',
  inventory: 'getInventory',
  events: 'listEvents',
}

const keys = Object.entries(OPERATIONS).flatMap(([name, of]) => {
  const { path, method } = placeOf(of)
  const line = () => `${method.toUpperCase()} ${path.replace(/\{\w+\}/, absentId())}`
  const needs = method === 'get' ? {} : { needs: ['write'] as const }
  const both = (['missing', 'invalid'] as const).map((which) =>
    row(
      `auth.${which}.${name.replace('.', '-')}`,
      `${which === 'missing' ? 'Without an' : 'With an invalid'} API key, ${of} answers 401 ${which}_api_key.`,
      operation(of, 'responses', '401'),
      async (probe) => {
        const asking: Asking = which === 'missing' ? { key: 'none' } : { authorization: [INVALID_KEY] }
        const answer = (await probe.ask(line(), asking)).expectError(401, `${which}_api_key`)
        answer.expectHeader('WWW-Authenticate', /^Bearer realm="petstore"/)
      },
      { ...needs, after: [`auth.code.${which}`] },
    ),
  )
  if (method === 'get') return both
  return [
    ...both,
    row(
      `keys.read-only.${name.replace('.', '-')}`,
      `A read-only key is refused by ${of}: 403 read_only_key.`,
      operation(of, 'responses', '403'),
      async (probe) => {
        ;(await probe.ask(line(), { key: 'read-only' })).expectError(403, 'read_only_key')
      },
      { needs: ['write', 'read-only key'] },
    ),
  ]
})

const METHODS = {
  orders: '/store/orders',
  order: '/store/orders/{orderId}',
  complete: '/store/orders/{orderId}/complete',
  return: '/store/orders/{orderId}/return',
  inventory: '/store/inventory',
  events: '/store/events',
}

export const orderPromises: readonly PromiseRow[] = [
  ...list,
  ...get,
  ...changes,
  ...inventory,
  ...keys,
  ...Object.entries(METHODS).flatMap(([name, path]) => methodRows('store', name, path)),
]
