// What is logged of an order's changes, and what their refusals say.

import { beforeAll, expect, test } from 'bun:test'
import { noSuchOrder, notTransitioned } from '../../../src/domain/decisions/refusal-messages.ts'
import { describeApi, expectError, type OnStore } from './api.ts'
import { ordersOf, turnToNow } from './orders.ts'

export function orderTransitions(on: OnStore): void {
  describeApi('an order', on, (api) => {
    const { complete, cancel, giveBack, orderThatIs } = ordersOf(api)
    beforeAll(() => turnToNow(api))

    for (const [done, ask, from, state] of [
      ['completed', complete, 'pending', 'cancelled'],
      ['cancelled', cancel, 'pending', 'completed'],
      ['returned', giveBack, 'completed', 'pending'],
    ] as const) {
      test(`once ${done}, is logged with its pet and API key`, async () => {
        const { id, petId } = await orderThatIs(from)
        const { headers } = await ask(id)
        expect(JSON.parse(api.service.logged.at(-1) ?? '')).toMatchObject({
          msg: { completed: 'completeOrder', cancelled: 'cancelOrder', returned: 'returnOrder' }[done],
          orderId: String(id),
          petId: String(petId),
          keyId: '1',
          status: done,
          requestId: headers.get('X-Request-Id'),
        })
      })

      test(`that is ${state} cannot be ${done}, and is told so`, async () => {
        const { id } = await orderThatIs(state)
        const { code, message } = notTransitioned({ id: BigInt(id), status: state }, done)
        expectError(await ask(id), 409, code, [message])
        expectError(await ask(0), 404, 'not_found', [noSuchOrder(0n).message])
      })
    }
  })
}
