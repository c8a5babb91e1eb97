// Corrections: what is logged, and a body that does not come. What they do and refuse are promises (packages/verify/src/promises/: update-pet.ts, delete-pet.ts and update-order.ts).

import { beforeAll, expect, test } from 'bun:test'
import { petHeld } from '../../../src/domain/decisions/refusal-messages.ts'
import { describeApi, expectError, JSON_TYPE, type OnStore } from './api.ts'
import { ordersOf, turnToNow } from './orders.ts'

export function corrections(on: OnStore): void {
  describeApi('corrections', on, (api) => {
    const { request, newPet, placed } = ordersOf(api)
    beforeAll(() => turnToNow(api))
    const change = (path: string, body: object) => request(`PATCH ${path}`, JSON_TYPE, JSON.stringify(body))

    test('are logged with what they change and by which API key', async () => {
      const [petId, other] = [await newPet(), await newPet()]
      const order = await placed()
      for (const [answer, msg, fields] of [
        [await change(`/pets/${petId}`, { name: 'Luna' }), 'updatePet', { petId: String(petId) }],
        [await request(`DELETE /pets/${other}`), 'deletePet', { petId: String(other) }],
        [
          await change(`/store/orders/${order.id}`, { reference: 'Ada' }),
          'updateOrder',
          { orderId: String(order.id), petId: String(order.petId), status: 'pending' },
        ],
      ] as const) {
        const requestId = answer.headers.get('X-Request-Id')
        const line = api.service.logged.find((one) => one.includes(requestId as string))
        expect(JSON.parse(line ?? '')).toMatchObject({ msg, keyId: '1', requestId, ...fields })
      }
    })

    test('of a pet that an order holds say which, and what frees it', async () => {
      const { id, petId } = await placed()
      for (const status of ['pending', 'sold'] as const) {
        const { code, message } = petHeld({ id: BigInt(petId), status }, BigInt(id))
        expectError(await change(`/pets/${petId}`, { status: 'available' }), 409, code, [message])
        await request(`POST /store/orders/${id}/complete`)
      }
    })

    test('whose bodies do not arrive in time: 408 request_timeout', async () => {
      const impatient = await api.start({ bodyTimeoutMs: 100 })
      for (const path of ['/pets/1', '/store/orders/1']) {
        const body = new ReadableStream({ start: (controller) => controller.enqueue('{') })
        const answer = await impatient.request('PATCH', path, { headers: JSON_TYPE, body })
        expectError(answer, 408, 'request_timeout', ['0.1 seconds'])
      }
    })
  })
}
