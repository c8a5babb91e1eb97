// That an order under an Idempotency-Key is placed once, and that a replay gives the first answer, whatever has happened since.

import { beforeAll, expect, test } from 'bun:test'
import type { OrderStore } from '../../src/domain/orders.ts'
import type { Store } from '../../src/domain/store.ts'
import type { Answer } from '../support/service.ts'
import { DAY_MS, describeApi, expectError, JSON_TYPE, type OnStore, PET, type Row } from './api.ts'
import { after, ordersOf, turnToNow } from './orders.ts'

export function orderIdempotency(on: OnStore): void {
  describeApi('Idempotency-Key of placeOrder', on, (api) => {
    const { newPet, place, read, complete, cancel, giveBack, placed } = ordersOf(api)
    beforeAll(() => turnToNow(api))

    const under = (key: string, body: object | string) => place(body, { 'Idempotency-Key': key })
    const expectReplay = (again: Answer, first: Answer) => {
      expect([again.status, again.text]).toEqual([201, first.text])
      expect(again.headers.get('Idempotency-Replayed')).toBe('true')
      expect(again.headers.get('Location')).toBe(first.headers.get('Location'))
    }

    test('a request of the same meaning gets the first answer again, and places no second order', async () => {
      const petId = await newPet()
      const expiresAt = after(DAY_MS)
      const first = await under('"same"', { petId, reference: 'till 3', expiresAt })
      expect([first.status, first.headers.get('Idempotency-Replayed')]).toEqual([201, null])
      const elsewhere = new Date(Date.parse(expiresAt) + 3_600_000).toISOString().replace('Z', '+01:00')
      for (const body of [
        `{"petId":${petId},"reference":"till 3","expiresAt":"${expiresAt}"}`,
        `{ "expiresAt": "${elsewhere}", "x": 1, "reference": "till\\u00203", "petId": ${petId}.0 }`,
      ]) {
        expectReplay(await under('same', body), first)
      }
      expect((await placed()).id).toBe(JSON.parse(first.text).id + 1)
    })

    for (const [fate, steps] of [
      ['completed', [complete]],
      ['cancelled', [cancel]],
      ['returned', [complete, giveBack]],
    ] as const) {
      test(`after the order was ${fate}, a replay gives its first answer`, async () => {
        const body = { petId: await newPet() }
        const first = await under(`"${fate}"`, body)
        const { id } = JSON.parse(first.text)
        for (const step of steps) await step(id)
        if (fate !== 'completed') await placed(body)
        expectReplay(await under(`"${fate}"`, body), first)
        expect(JSON.parse((await read(id)).text).status).toBe(fate)
      })
    }

    test('a create that is replayed after its pet was ordered gives its first answer', async () => {
      const create = () => api.service.post(PET, { ...JSON_TYPE, 'Idempotency-Key': '"pet"' })
      const first = await create()
      await placed({ petId: JSON.parse(first.text).id })
      const again = await create()
      expect([again.text, again.headers.get('Idempotency-Replayed')]).toEqual([first.text, 'true'])
    })

    test('a key of a refused request can be used again', async () => {
      const held = await placed()
      const body = { petId: held.petId }
      expect((await under('"free"', body)).status).toBe(409)
      await cancel(held.id)
      const placedNow = await under('"free"', body)
      expect([placedNow.status, placedNow.headers.get('Idempotency-Replayed')]).toEqual([201, null])
    })

    test('different API keys may use the same key', async () => {
      const other = { Authorization: `Bearer ${await api.service.addKey()}`, 'Idempotency-Key': '"shared"' }
      expect((await under('"shared"', { petId: await newPet() })).status).toBe(201)
      const { status, headers } = await place({ petId: await newPet() }, other)
      expect([status, headers.get('Idempotency-Replayed')]).toEqual([201, null])
    })

    test('another request under a used key: 422, before anything that depends on state or time', async () => {
      const petId = await newPet()
      await under('"used"', { petId })
      for (const body of [
        { petId: await newPet() },
        { petId: 999_999_999 },
        { petId, reference: 'till 3' },
        { petId, expiresAt: after(DAY_MS) },
        { petId, expiresAt: after(-DAY_MS) },
      ]) {
        expectError(await under('"used"', body), 422, 'idempotency_mismatch', ['another request'])
      }
    })

    test('a key used for a pet cannot be used for an order, and the reverse: 422', async () => {
      await api.service.post(PET, { ...JSON_TYPE, 'Idempotency-Key': '"a pet"' })
      expectError(await under('"a pet"', { petId: await newPet() }), 422, 'idempotency_mismatch', [])
      await under('"an order"', { petId: await newPet() })
      const pet = await api.service.post(PET, { ...JSON_TYPE, 'Idempotency-Key': '"an order"' })
      expectError(pet, 422, 'idempotency_mismatch', [])
    })

    test('while the first request is running, the second: 409 idempotency_in_flight', async () => {
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      const store = api.service.store as Store & OrderStore
      const slow = await api.start({
        store: {
          ...store,
          placeOrder: async (...order) => {
            await held
            return store.placeOrder(...order)
          },
        },
      })
      const body = JSON.stringify({ petId: await newPet() })
      const headers = { ...JSON_TYPE, 'Idempotency-Key': '"slow"' }
      const ask = () => slow.request('POST', '/store/orders', { headers, body })
      const racing = [ask(), ask()]
      expectError(await Promise.race(racing), 409, 'idempotency_in_flight', ['again'])
      release()
      const [first] = (await Promise.all(racing)).filter(({ status }) => status === 201)
      expectReplay(await ask(), first as Answer)
    })

    api.rows(
      ['', '"', 'a b', '"a", "b"', '"ä"', 'x'.repeat(256)].map(
        (key): Row => ({
          description: `the key ${key.slice(0, 20)}`,
          ask: 'POST /store/orders',
          headers: { ...JSON_TYPE, 'Idempotency-Key': key },
          body: '{"petId":1}',
          status: 400,
          code: 'invalid_parameter',
          message: ['Idempotency-Key must be'],
        }),
      ),
    )
  })
}
