// Level `store`: what changing a pending order promises.

import { stringifyJson } from '../../../contract/src/json.ts'
import type { Answer } from '../answer.ts'
import { correct, expectFields, expectRefused, lastEvent, read } from '../corrections.ts'
import { newName } from '../fixtures.ts'
import { cancel, orderThatIs, placed, REACHED } from '../orders.ts'
import type { Probe } from '../probe.ts'
import { correctionRows } from './shared/correction-rows.ts'
import type { PromiseRow } from './shared/promise.ts'
import { operation, response, rowsOf, schema, writing } from './shared/rows.ts'

const row = rowsOf('store')
const CHANGED = writing('orders.update.success')
const DAY_MS = 86_400_000
/** What the order has already. */
function sameAs(before: Answer): string {
  const { reference = null } = Object.fromEntries(before.object())
  return stringifyJson({ reference, expiresAt: null })
}
const orderPath = async (probe: Probe) => `/store/orders/${(await placed(probe)).id}`

export const updateOrderPromises: readonly PromiseRow[] = [
  row(
    'orders.update.success',
    'PATCH /store/orders/{orderId} answers 200 with the order as it is then, and so does GET.',
  )
    .from(response('updateOrder', 200), writing('orders.place.success', 'orders.get.success'))
    .check(async (probe) => {
      const at = await orderPath(probe)
      const before = await read(probe, at)
      const reference = newName('changed')
      const answer = (await correct(probe, at, { reference })).expectStatus(200)
      const now = await read(probe, at)
      for (const [name, value] of before.object()) {
        if (name === 'changedAt') continue
        now.expectMember(now.object(), name, name === 'reference' ? reference : value)
      }
      if (answer.text !== now.text) throw answer.broken(now.text, answer.text)
    }),
  row('orders.update.reference', 'A reference obeys the rules of a new order, and null removes it.')
    .from(schema('OrderChange', 'reference'), CHANGED)
    .check(async (probe) => {
      const at = await orderPath(probe)
      for (const reference of ['', ' ', 'a'.repeat(256), 7, true, [], {}]) {
        await expectRefused(probe, at, () => correct(probe, at, { reference }), 400, 'invalid_order')
      }
      const answer = (await correct(probe, at, '{"reference":null}')).expectStatus(200)
      if (answer.object().has('reference')) throw answer.broken('no reference', answer.text)
    }),
  row(
    'orders.update.expires-at',
    'expiresAt is in the future and at most 366 days ahead, otherwise 400 invalid_order; null removes it.',
  )
    .from(schema('OrderChange', 'expiresAt'), CHANGED)
    .check(async (probe) => {
      const at = await orderPath(probe)
      const from = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
      for (const expiresAt of [from(-1), from(367), 'soon', 7, false, []]) {
        await expectRefused(probe, at, () => correct(probe, at, { expiresAt }), 400, 'invalid_order')
      }
      const expiresAt = from(1)
      expectFields((await correct(probe, at, { expiresAt })).expectStatus(200), { expiresAt })
      const answer = (await correct(probe, at, '{"expiresAt":null}')).expectStatus(200)
      if (answer.object().has('expiresAt')) throw answer.broken('no expiresAt', answer.text)
    }),
  row('orders.update.same', 'What is equal already changes nothing, changedAt neither.')
    .from(operation('updateOrder', 'description'), writing('orders.update.success', 'orders.get.etag'))
    .check(async (probe) => {
      const at = await orderPath(probe)
      const before = await read(probe, at)
      ;(await correct(probe, at, sameAs(before))).expectStatus(200).expectHeader('ETag', before.header('ETag'))
    }),
  row('orders.update.same.ended', 'What is equal already in an order that is not pending: 200, and nothing changes.')
    .from(operation('updateOrder', 'description'), writing('orders.update.same', ...Object.values(REACHED).flat()))
    .check(async (probe) => {
      for (const status of ['cancelled', 'completed', 'returned'] as const) {
        const at = `/store/orders/${(await orderThatIs(probe, status)).id}`
        const before = await read(probe, at)
        ;(await correct(probe, at, sameAs(before))).expectStatus(200).expectHeader('ETag', before.header('ETag'))
      }
    }),
  row('orders.update.ended', 'An order that is not pending: 409 order_not_pending, also before a false precondition.')
    .from(response('updateOrder', 409), writing('orders.update.success', ...Object.values(REACHED).flat()))
    .check(async (probe) => {
      for (const status of ['cancelled', 'completed', 'returned'] as const) {
        const at = `/store/orders/${(await orderThatIs(probe, status)).id}`
        for (const headers of [{}, { 'If-Match': '"x"' }]) {
          const ask = () => correct(probe, at, { reference: newName() }, { headers })
          await expectRefused(probe, at, ask, 409, 'order_not_pending')
        }
      }
    }),
  ...correctionRows({
    id: 'orders.update',
    operation: 'updateOrder',
    path: orderPath,
    folder: '/store/orders',
    ask: (probe, path, options) => correct(probe, path, { reference: newName('changed') }, options),
    status: 200,
    same: sameAs,
    tag: 'orders.get.etag',
  }),
  row('events.order-changed', 'A change of an order is one event, order.changed.')
    .from(schema('Event', 'orderStatus'), writing('orders.update.success', 'events.list.success'))
    .check(async (probe) => {
      const { id } = await placed(probe)
      const changed = (await correct(probe, `/store/orders/${id}`, { reference: newName() })).expectStatus(200)
      ;(await correct(probe, `/store/orders/${id}`, changed.text)).expectStatus(200)
      const answer = await lastEvent(probe, `orderId=${id}`, 'order.changed')
      const [, last, ...others] = answer.objects()
      if (!last || others.length > 0) throw answer.broken('two events', answer.text)
      answer.expectMember(last, 'orderStatus', 'pending')
      answer.expectMember(last, 'at', changed.object().get('changedAt') ?? null)
      ;(await cancel(probe, id)).expectStatus(204)
    }),
]
