// What placing an order logs, what a refusal says of the pet, and orders that arrive together or slowly.

import { beforeAll, expect, test } from 'bun:test'
import { petNotAvailable } from '../../../src/domain/decisions/refusal-messages.ts'
import { DAY_MS, describeApi, expectError, JSON_TYPE, type OnStore } from './api.ts'
import { after, ordersOf, turnToNow } from './orders.ts'

export function placeOrder(on: OnStore): void {
  describeApi('placeOrder', on, (api) => {
    const { newPet, place, placed, complete } = ordersOf(api)
    beforeAll(() => turnToNow(api))

    test('logs the new order with its pet and API key', async () => {
      const { id, petId } = await placed()
      const line = JSON.parse(api.service.logged.at(-1) ?? '')
      const ids = { orderId: String(id), petId: String(petId), keyId: '1' }
      expect(line).toMatchObject({ level: 'info', msg: 'placeOrder', status: 'pending', ...ids })
    })

    test('of a pet that is not available, the order that holds it is named, and until when', async () => {
      const expiresAt = after(DAY_MS)
      const reserved = await placed()
      const until = await placed({ expiresAt })
      const sold = await placed()
      await complete(sold.id)
      for (const [{ id, petId }, status, end] of [
        [reserved, 'pending', undefined],
        [until, 'pending', Date.parse(expiresAt)],
        [sold, 'sold', undefined],
      ] as const) {
        const { code, message } = petNotAvailable({ id: BigInt(petId), status }, { id: BigInt(id), expiresAt: end })
        const answer = await place({ petId })
        expectError(answer, 409, code, [])
        expect(JSON.parse(answer.text).message).toBe(message)
      }
    })

    test('a refusal does not affect other orders that arrive with it', async () => {
      const pets = await Promise.all(Array.from({ length: 10 }, () => newPet()))
      const answers = await Promise.all(
        pets.flatMap((petId) => [place({ petId }), place({ petId: 999_999_999 }), place({ petId, expiresAt: 'x' })]),
      )
      expect(answers.map(({ status }) => status)).toEqual(pets.flatMap(() => [201, 404, 400]))
    })

    test('a body that does not arrive in time: 408 request_timeout', async () => {
      const impatient = await api.start({ bodyTimeoutMs: 100 })
      const body = new ReadableStream({ start: (controller) => controller.enqueue('{') })
      const answer = await impatient.request('POST', '/store/orders', { headers: JSON_TYPE, body })
      expectError(answer, 408, 'request_timeout', ['0.1 seconds'])
    })
  })
}
