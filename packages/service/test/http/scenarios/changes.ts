// What is logged of each change, and changes that arrive together. What they do and refuse are promises (packages/verify/src/promises/).

import { beforeAll, expect, test } from 'bun:test'
import { describeApi, expectError, JSON_TYPE, type OnStore, PET } from './api.ts'
import { ordersOf, turnToNow } from './orders.ts'

export function changes(on: OnStore): void {
  describeApi('changes', on, (api) => {
    const { request, newPet, place } = ordersOf(api)
    beforeAll(() => turnToNow(api))

    test('are logged with the ids, the API key and the request id, and without the key itself', async () => {
      for (const [ask, body, msg, fields] of [
        ['POST /pets', PET, 'createPet', { petId: '1' }],
        ['POST /store/orders', '{"petId":1}', 'placeOrder', { orderId: '1', petId: '1', status: 'pending' }],
        [
          'PATCH /store/orders/1',
          '{"reference":"Ada"}',
          'updateOrder',
          { orderId: '1', petId: '1', status: 'pending' },
        ],
        ['POST /store/orders/1/complete', '', 'completeOrder', { orderId: '1', petId: '1', status: 'completed' }],
        ['POST /store/orders/1/return', '', 'returnOrder', { orderId: '1', petId: '1', status: 'returned' }],
        ['POST /store/orders', '{"petId":1}', 'placeOrder', { orderId: '2', petId: '1', status: 'pending' }],
        ['DELETE /store/orders/2', '', 'cancelOrder', { orderId: '2', petId: '1', status: 'cancelled' }],
        ['PATCH /pets/1', '{"name":"Luna"}', 'updatePet', { petId: '1' }],
        ['POST /pets', PET, 'createPet', { petId: '2' }],
        ['DELETE /pets/2', '', 'deletePet', { petId: '2' }],
      ] as const) {
        const { headers, text } = await request(ask, JSON_TYPE, body || undefined)
        const requestId = headers.get('X-Request-Id')
        const line = JSON.parse(api.service.logged.at(-1) ?? '')
        expect(line).toMatchObject({ level: 'info', msg, keyId: '1', requestId, ...fields })
        expect(text).not.toContain(requestId as string)
      }
      expect(api.service.logged.join('')).not.toContain(api.service.key.slice(10))
    })

    test('that are refused do not affect others that arrive with them', async () => {
      const pets = await Promise.all(Array.from({ length: 10 }, () => newPet()))
      const answers = await Promise.all(
        pets.flatMap((petId) => [place({ petId }), place({ petId: 999_999_999 }), place({ petId, expiresAt: 'x' })]),
      )
      expect(answers.map(({ status }) => status)).toEqual(pets.flatMap(() => [201, 404, 400]))
    })

    test('of what is sold say which order holds it, and what frees it', async () => {
      const petId = await newPet()
      const { id } = JSON.parse((await place({ petId })).text)
      await request(`POST /store/orders/${id}/complete`)
      expectError(await place({ petId }), 409, 'pet_not_available', [`order ${id}`])
      const free = await request(`PATCH /pets/${petId}`, JSON_TYPE, '{"status":"available"}')
      expectError(free, 409, 'pet_held', [`Return order ${id}`])
    })
  })
}
