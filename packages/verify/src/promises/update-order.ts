// Level `store`: changing a pending order.

import { EXPIRY_DAYS_MAX } from '../../../contract/src/generated.ts'
import { type JsonObject, stringifyJson } from '../../../contract/src/json.ts'
import type { Answer } from '../answer.ts'
import { newName } from '../fixtures.ts'
import { moves, orderThatIs, placed, REACHED_ALL } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { DAY_MS, serverTimeIn } from './reservations.ts'
import { correctionRows, eventsUntil, expectRefused, wrongPatches } from './shared/correction-rows.ts'
import { operation, response, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')
const CHANGED = writing('orders.update.success')
/** Returns a body with the fields that the order already has. */
function sameAs(before: Answer): string {
  const { reference = null } = Object.fromEntries(before.object())
  return stringifyJson({ reference, expiresAt: null })
}
function termsOf(order: Answer): JsonObject {
  return new Map([...order.object()].filter(([name]) => name === 'reference' || name === 'expiresAt'))
}
const orderPath = async (probe: Probe) => `/store/orders/${(await placed(probe)).id}`

export const updateOrderPromises = [
  row('orders.update.success', 'PATCH /store/orders/{orderId} returns 200 with the order as GET then shows it.')
    .from(response('updateOrder', 200), writing('orders.place.success', 'orders.get.success'))
    .check(async (probe) => {
      const at = await orderPath(probe)
      const before = await probe.read(at)
      const reference = newName('changed')
      const answer = (await probe.patch(at, { reference })).expectStatus(200)
      const now = await probe.read(at)
      const changedAt = now.object().get('changedAt') ?? null
      now.expectMembers(new Map(before.object()).set('reference', reference).set('changedAt', changedAt))
      answer.expectText(now.text)
    }),
  row('orders.update.reference', 'A reference follows the rules for a new order; null removes it.')
    .from(schema('OrderChange', 'reference'), CHANGED)
    .check(async (probe) => {
      const at = await orderPath(probe)
      await expectRefused(probe, at, 400, 'invalid_order', ...wrongPatches('orders.update.reference', probe, at))
      ;(await probe.patch(at, '{"reference":null}')).expectStatus(200).expectMember('reference', undefined)
    }),
  row('orders.update.expires-at', `An expiresAt that is invalid for a new order: 400 invalid_order. null removes it.`)
    .from(schema('OrderChange', 'expiresAt'), CHANGED)
    .check(async (probe) => {
      const at = await orderPath(probe)
      const from = (days: number) => serverTimeIn(probe, days * DAY_MS)
      const wrong = [await from(-1), await from(EXPIRY_DAYS_MAX + 1)]
      const requests = wrong.map((expiresAt) => () => probe.patch(at, { expiresAt }))
      const invalid = wrongPatches('orders.update.expires-at', probe, at)
      await expectRefused(probe, at, 400, 'invalid_order', ...requests, ...invalid)
      const expiresAt = await from(1)
      ;(await probe.patch(at, { expiresAt })).expectStatus(200).expectMember('expiresAt', expiresAt)
      ;(await probe.patch(at, '{"expiresAt":null}')).expectStatus(200).expectMember('expiresAt', undefined)
    }),
  row('orders.update.same', 'Equal values change nothing and return 200, even if the order is not pending.')
    .from(operation('updateOrder', 'description'), writing('orders.update.success', 'orders.get.etag', ...REACHED_ALL))
    .check(async (probe) => {
      for (const status of ['pending', 'cancelled', 'completed', 'returned'] as const) {
        const at = `/store/orders/${(await orderThatIs(probe, status)).id}`
        const before = await probe.read(at)
        ;(await probe.patch(at, sameAs(before))).expectStatus(200).expectHeader('ETag', before.header('ETag'))
      }
    }),
  row('orders.update.ended', 'An order that is not pending: 409 order_not_pending, even if a precondition fails.')
    .from(response('updateOrder', 409), writing('orders.update.success', ...REACHED_ALL))
    .check(async (probe) => {
      for (const status of ['cancelled', 'completed', 'returned'] as const) {
        const at = `/store/orders/${(await orderThatIs(probe, status)).id}`
        const change = { reference: newName() }
        const requests = [{}, { 'If-Match': '"x"' }].map((headers) => () => probe.patch(at, change, { headers }))
        await expectRefused(probe, at, 409, 'order_not_pending', ...requests)
      }
    }),
  ...correctionRows({
    id: 'orders.update',
    path: orderPath,
    ask: (probe, path, options) => probe.patch(path, { reference: newName('changed') }, options),
    same: sameAs,
  }),
  row('events.order-changed', 'GET /store/events: A change of an order is one order.changed event.')
    .from(schema('Event', 'orderStatus'), writing('orders.update.success', 'events.list.order'))
    .check(async (probe) => {
      const { id } = await placed(probe)
      const changed = (await probe.patch(`/store/orders/${id}`, { reference: newName() })).expectStatus(200)
      ;(await probe.patch(`/store/orders/${id}`, changed.text)).expectStatus(200)
      const answer = await eventsUntil(probe, `orderId=${id}`, 'order.changed')
      const [, last, ...others] = answer.objects()
      if (!last || others.length > 0) throw answer.broken('two events', answer.text)
      answer.expectMember('orderStatus', 'pending', last).expectMember('at', changed.object().get('changedAt'), last)
      ;(await moves.cancel(probe, id)).expectStatus(204)
    }),
  row('events.order-terms', 'GET /store/events: order.placed and order.changed have terms, {} if there are none.')
    .from([schema('Event', 'terms'), schema('OrderTerms', 'reference', 'expiresAt')], writing('events.order-changed'))
    .check(async (probe) => {
      const order = await placed(probe)
      const shown = [order.answer]
      const expiresAt = await serverTimeIn(probe, DAY_MS)
      for (const change of [
        { reference: newName(), expiresAt },
        { reference: null, expiresAt: null },
      ])
        shown.push((await probe.patch(`/store/orders/${order.id}`, stringifyJson(change))).expectStatus(200))
      ;(await moves.cancel(probe, order.id)).expectStatus(204)
      const answer = await eventsUntil(probe, `orderId=${order.id}`, 'order.cancelled')
      const events = answer.objects()
      for (const [n, order] of shown.entries()) answer.expectMember('terms', termsOf(order), events[n])
    }),
]
