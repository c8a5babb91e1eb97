// What placeOrder takes and refuses, and that a pet is never promised twice.

import { beforeAll, expect, test } from 'bun:test'
import { DAY_MS, describeApi, expectError, JSON_TYPE, type OnStore, type Row } from './api.ts'
import { after, ordersOf, turnToNow } from './orders.ts'

export function placeOrder(on: OnStore): void {
  describeApi('placeOrder', on, (api) => {
    const { newPet, place, placed, petStatus, read, complete, cancel } = ordersOf(api)
    beforeAll(() => turnToNow(api))

    test('answers with the order and where it is, and the pet is pending', async () => {
      const petId = await newPet({ name: 'Mia "the cat"' })
      const { status, text, headers } = await place({ petId, reference: ' till 3 ' })
      expect(status).toBe(201)
      const order = JSON.parse(text)
      expect(order).toEqual({
        id: expect.any(Number),
        petName: 'Mia "the cat"',
        status: 'pending',
        placedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        changedAt: order.placedAt,
        petId,
        reference: ' till 3 ',
      })
      expect(headers.get('Location')).toBe(`/v1/store/orders/${order.id}`)
      expect(headers.get('Cache-Control')).toBe('no-store')
      expect([headers.has('ETag'), headers.has('Idempotency-Replayed')]).toEqual([false, false])
      expect(await petStatus(petId)).toBe('pending')
      expect((await read(order.id)).text).toBe(text)
    })

    test('ids follow each other', async () => {
      const first = await placed()
      expect((await placed()).id).toBe(first.id + 1)
    })

    test('logs the new order with its pet and API key', async () => {
      const { id, petId } = await placed()
      const line = JSON.parse(api.service.logged.at(-1) ?? '')
      const ids = { orderId: String(id), petId: String(petId), keyId: '1' }
      expect(line).toMatchObject({ level: 'info', msg: 'placeOrder', status: 'pending', ...ids })
    })

    for (const [description, offsetMs, written] of [
      ['Z', 0, (text: string) => text],
      ['an offset', 2 * 3_600_000, (text: string) => text.replace('Z', '+02:00')],
      ['small letters and more digits', 0, (text: string) => text.replace('T', 't').replace('Z', '999z')],
    ] as const) {
      test(`expiresAt with ${description} is answered in UTC with milliseconds`, async () => {
        const until = after(DAY_MS)
        const expiresAt = written(new Date(Date.parse(until) + offsetMs).toISOString())
        expect((await placed({ expiresAt })).expiresAt).toBe(until)
      })
    }

    test('takes a reservation of almost 366 days', async () => {
      expect((await placed({ expiresAt: after(366 * DAY_MS - 60_000) })).status).toBe('pending')
    })

    test('ignores an id, a status, a name and other unknown fields', async () => {
      const { status, text } = await place({ petId: await newPet(), id: 1, status: 'sold', petName: 'Max', x: [] })
      expect([status, JSON.parse(text).petName]).toEqual([201, 'Rex'])
    })

    const refused = (description: string, body: string, ...message: string[]): Row => ({
      description,
      ask: 'POST /store/orders',
      headers: JSON_TYPE,
      body,
      status: 400,
      code: message.length > 0 ? 'invalid_order' : 'malformed_json',
      message,
    })
    const withReference = (reference: string) => JSON.stringify({ petId: 1, reference })
    const notADate = 'expiresAt must be a date and time with an offset'
    api.rows([
      refused('refuses an order without a pet', '{}', 'petId is required.'),
      refused('refuses a string as petId', '{"petId":"1"}', 'petId must be an integer.'),
      refused('refuses a fraction', '{"petId":1.5}', 'petId must be an integer, without a fraction.'),
      refused('refuses 2^63', '{"petId":9223372036854775808}', 'petId must be an integer from'),
      refused('refuses an empty reference', withReference(''), 'reference must be 1 to 255 characters'),
      refused('refuses a reference of 256', withReference('x'.repeat(256)), 'reference must be 1 to 255 characters'),
      refused('refuses a reference of white space', withReference(' \t'), 'reference must contain a character that'),
      refused('refuses U+0000 in a reference', withReference('a\0'), 'no U+0000'),
      refused('refuses a reference of null', '{"petId":1,"reference":null}', 'reference must be a string.'),
      refused('refuses an expiresAt of null', '{"petId":1,"expiresAt":null}', notADate),
      refused('refuses a number as expiresAt', '{"petId":1,"expiresAt":1795284000000}', notADate),
      refused('refuses an expiresAt without offset', '{"petId":1,"expiresAt":"2026-11-21T18:00:00"}', notADate),
      refused('refuses 30 February', '{"petId":1,"expiresAt":"2027-02-30T18:00:00Z"}', notADate),
      refused('names all problems at once', '{"reference":1,"expiresAt":1}', 'petId is', 'reference must', notADate),
      refused('names what is missing and what is wrong', '{"expiresAt":"today"}', 'petId is', notADate),
      refused('refuses an array', '[]', 'The body must be a JSON object.'),
      refused('refuses a text', '"petId"', 'The body must be a JSON object.'),
      refused('refuses an empty body', ''),
      refused('refuses what is no JSON', '{"petId":1,}'),
      refused('refuses a name given twice', '{"petId":1,"petId":1}'),
      { ...refused('refuses a large body', ' '.repeat(65_537)), status: 413, code: 'body_too_large' },
      {
        ...refused('refuses another media type', '{"petId":1}'),
        headers: { 'Content-Type': 'text/plain' },
        status: 415,
        code: 'unsupported_media_type',
      },
      ...['0', '-1', '999999999', '9223372036854775807'].map((petId) => ({
        ...refused(`no pet has ${petId}`, `{"petId":${petId}}`, `No pet has id ${petId}.`),
        status: 404,
        code: 'pet_not_found',
      })),
    ])

    for (const [description, expiresAt] of [
      ['past', () => after(-60_000)],
      ['long past', () => '0001-01-01T00:00:00Z'],
      ['too far ahead', () => after(366 * DAY_MS + 60_000)],
      ['at the end of time', () => '9999-12-31T23:59:59-23:59'],
    ] as const) {
      test(`an expiresAt that is ${description}: 400 invalid_order, and the pet stays available`, async () => {
        const petId = await newPet()
        expectError(await place({ petId, expiresAt: expiresAt() }), 400, 'invalid_order', ['expiresAt'])
        expect(await petStatus(petId)).toBe('available')
      })
    }

    test('a pet that is not available: 409 pet_not_available, which names the order and until when', async () => {
      const expiresAt = after(DAY_MS)
      const reserved = await placed()
      const until = await placed({ expiresAt })
      const sold = await placed()
      await complete(sold.id)
      for (const [petId, message] of [
        [reserved.petId, `Pet ${reserved.petId} is pending: order ${reserved.id} holds it.`],
        [until.petId, `Pet ${until.petId} is pending: order ${until.id} holds it until ${expiresAt}.`],
        [sold.petId, `Pet ${sold.petId} is sold: order ${sold.id}.`],
      ] as const) {
        const answer = await place({ petId })
        expectError(answer, 409, 'pet_not_available', [])
        expect(JSON.parse(answer.text).message).toBe(message)
      }
    })

    for (const status of ['pending', 'sold']) {
      test(`a pet that was added as ${status} cannot be ordered: 409 pet_not_available`, async () => {
        const petId = await newPet({ status })
        expectError(await place({ petId }), 409, 'pet_not_available', [`Pet ${petId} is ${status}.`])
      })
    }

    test('a pet can be ordered again once it is available again', async () => {
      const first = await placed()
      await cancel(first.id)
      const second = await placed({ petId: first.petId })
      expect(second.id).toBe(first.id + 1)
    })

    test('one of many requests that order the same pet at the same time succeeds', async () => {
      const petId = await newPet()
      const answers = await Promise.all(Array.from({ length: 20 }, () => place({ petId })))
      const statuses = answers.map(({ status }) => status).sort()
      expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)])
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
