// Level `store`: listing and fetching orders.

import { ORDER_STATUSES } from '../../../contract/src/generated.ts'
import { type Answer, textOf } from '../answer.ts'
import { prepareOnce, times } from '../fixtures.ts'
import { expectAdditions, moves, newPetId, orderBody, orderThatIs, place, placed, readOrder } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { expectSchema } from './errors.ts'
import { conditionRows, expectTagChange } from './shared/conditions.ts'
import { idRows } from './shared/correction-rows.ts'
import { limits, listRows } from './shared/lists.ts'
import { header, ofStore, operation, parameter, reading, response, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')

/**
 * The orders of a test pet, the last of them pending, and one order of another pet. Unfiltered if checks cannot write.
 */
const quietQuery = (probe: Probe): Promise<string> =>
  prepareOnce(probe, 'orders of one pet', async (own) => {
    if (!own.target.write) return ''
    await placed(own)
    const petId = await newPetId(own)
    for (let n = 0; n < 5; n++) {
      const answer = await place(own, orderBody(petId))
      if (answer.status === 409 || n === 4) break
      ;(await moves.cancel(own, answer.id)).expectStatus(204)
    }
    return `petId=${petId}&`
  })

const listed = async (probe: Probe): Promise<Answer> => probe.read(`/store/orders?${await quietQuery(probe)}limit=20`)

const anOrder = async (probe: Probe) => {
  const [order] = (await listed(probe)).objects()
  if (!order) throw probe.unjudged('The server lists no order.')
  return order
}

/** Places more orders than the default limit, if that is allowed. */
const manyOrders = (probe: Probe): Promise<void> =>
  prepareOnce(probe, 'many orders', async (own) => {
    if (!own.target.write) return
    const { length } = (await own.read('/store/orders?limit=100')).array()
    await times(own, 21 - length, () => placed(own))
  })

const LISTED = reading('orders.list.success')

export const readOrderPromises = [
  row('orders.list.success', 'GET /store/orders returns 200 with a JSON array of objects.')
    .from(response('listOrders', 200))
    .check(async (probe) => (await probe.read('/store/orders')).objects()),
  row('orders.list.item', 'Each listed order has valid id, petId, petName, status, placedAt and changedAt.')
    .from(schema('Order'), LISTED)
    .check(async (probe) => {
      await anOrder(probe)
      expectSchema(await listed(probe))
    }),
  row('orders.list.limit', 'A page has at most limit orders; the default limit is 20.')
    // It runs last, when the other checks have placed most of these orders.
    .from(ofStore('List of orders'), { ...LISTED, alone: 'writes' })
    .check(limits('/store/orders', manyOrders)),
  ...ORDER_STATUSES.map((status) =>
    row(`orders.list.status.${status}`, `status=${status} selects the orders that are ${status}.`)
      .from(schema('OrderStatus'), LISTED)
      .check(async (probe) => {
        await quietQuery(probe)
        const all = await probe.read(`/store/orders?status=${status}&limit=100`)
        for (const order of all.objects()) all.expectMember('status', status, order)
        if (!probe.target.write || status === 'expired') return
        const order = await prepareOnce(probe, `an order that is ${status}`, (own) => orderThatIs(own, status))
        const answer = await probe.read(`/store/orders?status=${status}&petId=${order.petId}`)
        answer.expect(answer.ids.includes(order.id), `order ${order.id} in the list`, `orders ${answer.ids}`)
      }),
  ),
  ...listRows({
    id: 'orders.list',
    first: 'orders.list.success',
    statuses: ORDER_STATUSES,
    filter: { name: 'petId', id: 'pet' },
    quietQuery,
  }),
  ...conditionRows({
    id: 'orders.list',
    first: 'orders.list.success',
    path: async (probe) => `/store/orders?${await quietQuery(probe)}limit=4`,
  }),
  row('orders.list.pets', 'petIds selects the orders of these pets; each id is its own parameter.')
    .from(parameter('listOrders', 'petIds'), writing('orders.list.success', 'orders.place.success'))
    .check(async (probe) => {
      await expectAdditions(probe)
      const orders = [await placed(probe), await placed(probe)]
      const answer = await probe.read(`/store/orders?${orders.map(({ petId }) => `petIds=${petId}`).join('&')}`)
      answer.expectIds(orders.map(({ id }) => id))
      ;(await probe.get('/store/orders?petId=1&petIds=2')).expectError(400, 'invalid_parameter')
      for (const { id } of orders) (await moves.cancel(probe, id)).expectStatus(204)
    }),
  row('orders.get.success', 'GET /store/orders/{orderId} returns 200 with the order as listed.')
    .from(response('getOrder', 200), LISTED)
    .check(async (probe) => {
      const order = await anOrder(probe)
      const answer = await readOrder(probe, textOf(order.get('id')))
      for (const name of ['id', 'petId', 'placedAt']) answer.expectMember(name, order.get(name))
    }),
  row('orders.get.placed', 'A placed order can be fetched, with every field as in the response to placing it.')
    .from(operation('getOrder', 'description'), writing('orders.get.success', 'orders.place.success'))
    .check(async (probe) => {
      const { id, answer } = await placed(probe)
      ;(await readOrder(probe, id)).expectMembers(answer.object())
    }),
  ...idRows('orders.get', [], (probe, id) => probe.get(`/store/orders/${id}`)),
  ...conditionRows({
    id: 'orders.get',
    first: 'orders.get.success',
    path: async (probe) => `/store/orders/${textOf((await anOrder(probe)).get('id'))}`,
  }),
  ...(['orders.list', 'orders.get'] as const).map((id) =>
    row(`${id}.etag.changes`, 'The ETag changes when the order changes.')
      .from(header('ETag'), writing(`${id}.if-none-match`, `${id}.if-match.other`, 'orders.complete.success'))
      .check(async (probe) => {
        const order = await placed(probe)
        const path = id === 'orders.get' ? `/store/orders/${order.id}` : `/store/orders?petId=${order.petId}`
        const tag = (await probe.get(path)).header('ETag') ?? ''
        await expectTagChange(probe, path, async () => (await moves.complete(probe, order.id)).expectStatus(200))
        ;(await probe.get(path, { 'If-Match': tag })).expectError(412, 'precondition_failed')
      }),
  ),
]
