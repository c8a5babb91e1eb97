// That a create under an Idempotency-Key happens once: which requests count as the same, and which keys are none.

import { beforeAll, expect, test } from 'bun:test'
import { petBody } from '../support/pets.ts'
import type { Answer } from '../support/service.ts'
import { bearer, describeApi, expectError, JSON_TYPE, type OnStore, PET, type Row } from './api.ts'

export function idempotencyKey(on: OnStore): void {
  describeApi('Idempotency-Key', on, (api) => {
    const under = (key: string, body = PET) => api.service.post(body, { ...JSON_TYPE, 'Idempotency-Key': key })
    const replayed = ({ headers }: Answer) => headers.get('Idempotency-Replayed')

    test('the same key again returns the first answer and adds no second pet', async () => {
      const first = await under('"one"')
      expect([first.status, replayed(first)]).toEqual([201, null])
      for (const key of ['"one"', 'one']) {
        const again = await under(key, '{ "status": "available", "categoryId": 7.0, "name": "Rex", "x": 1 }')
        expect([again.status, replayed(again), again.text]).toEqual([201, 'true', first.text])
      }
      expect((await under('"two"')).text).not.toBe(first.text)
    })

    test('a key of a refused request can be used again', async () => {
      expect((await under('"three"', '{}')).status).toBe(400)
      expect(replayed(await under('"three"'))).toBeNull()
    })

    test('the escapes \\" and \\\\ in a quoted key are decoded', async () => {
      const first = await under('"a\\\\b\\"c"')
      expect((await under('"a\\\\b\\"c"')).text).toBe(first.text)
      expect((await under('a\\b')).text).not.toBe(first.text)
    })

    test('different API keys may use the same key', async () => {
      const first = await under('"four"')
      const other = await api.service.addKey()
      const second = await api.service.post(PET, { 'Idempotency-Key': '"four"', Authorization: `Bearer ${other}` })
      expect([second.status, replayed(second)]).toEqual([201, null])
      expect(second.text).not.toBe(first.text)
    })

    test('different API keys may use the same key at the same time', async () => {
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      const { store } = api.service
      let calls = 0
      const slow = await api.start({
        store: {
          ...store,
          createPet: async (...creation) => {
            if (++calls === 1) {
              begin()
              await held
            }
            return store.createPet(...creation)
          },
        },
      })
      const headers = { ...JSON_TYPE, 'Idempotency-Key': '"at once"' }
      const first = slow.post(PET, headers)
      await begun
      const other = await slow.post(PET, { ...headers, ...bearer(await slow.addKey()) })
      release()
      expect([other.status, (await first).status]).toEqual([201, 201])
    })

    test('while the first request is running, the second: 409 idempotency_in_flight', async () => {
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      const slow = await api.start({
        store: {
          ...api.service.store,
          createPet: async (...creation) => {
            await held
            return api.service.store.createPet(...creation)
          },
        },
      })
      const create = () => slow.post(PET, { 'Idempotency-Key': '"five"' })
      const racing = [create(), create()]
      expectError(await Promise.race(racing), 409, 'idempotency_in_flight', ['again'])
      release()
      const [first] = (await Promise.all(racing)).filter(({ status }) => status === 201)
      expect((await create()).text).toBe(first?.text as string)
    })

    const row = (description: string, key: string, status: number, code: string, body = PET): Row => ({
      description,
      ask: 'POST /pets',
      headers: { ...JSON_TYPE, 'Idempotency-Key': key },
      body,
      status,
      code,
      ...(status === 400 ? { message: ['Idempotency-Key must be 1 to 255'] } : {}),
    })
    const used = '"used"'
    beforeAll(() => under(used))
    api.rows([
      row('another name', used, 422, 'idempotency_mismatch', petBody({ name: 'Max' })),
      row('another category', used, 422, 'idempotency_mismatch', petBody({ categoryId: 8n })),
      row('another status', used, 422, 'idempotency_mismatch', petBody({ status: 'sold' })),
      ...['', '""', '"', '"a', 'a"', '"a"b"', 'a b', 'a,b', '"a", "b"', '"\\a"', '"ä"', '"a";p=1', 'x'.repeat(256)].map(
        (key) => row(`the key ${key.slice(0, 20)}`, key, 400, 'invalid_parameter'),
      ),
    ])

    test('a key may have 255 characters', async () => {
      expect((await under(`"${'x'.repeat(255)}"`)).status).toBe(201)
    })
  })
}
