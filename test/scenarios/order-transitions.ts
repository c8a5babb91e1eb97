// How an order goes on: completed, cancelled, returned; what each does to the pet, that repeating is safe, and what is refused.

import { beforeAll, expect, test } from 'bun:test'
import { describeApi, expectError, type OnStore } from './api.ts'
import { ordersOf, turnToNow } from './orders.ts'

export function orderTransitions(on: OnStore): void {
  describeApi('an order', on, (api) => {
    const { request, placed, petStatus, read, complete, cancel, giveBack, orderThatIs, place } = ordersOf(api)
    beforeAll(() => turnToNow(api))
    const STATES = ['pending', 'completed', 'cancelled', 'returned'] as const

    for (const [done, ask, from, to, pet, success, refusal, only] of [
      ['completed', complete, 'pending', 'completed', 'sold', 200, 'order_not_pending', 'a pending'],
      ['cancelled', cancel, 'pending', 'cancelled', 'available', 204, 'order_not_pending', 'a pending'],
      ['returned', giveBack, 'completed', 'returned', 'available', 200, 'order_not_completed', 'a completed'],
    ] as const) {
      test(`that is ${from} can be ${done}: ${success}, and the pet is ${pet}`, async () => {
        const before = await orderThatIs(from)
        api.service.clock.at = Date.now() + 1000
        const { status, text, headers } = await ask(before.id)
        turnToNow(api)
        expect(status).toBe(success)
        const now = await read(before.id)
        const order = JSON.parse(now.text)
        expect(order).toEqual({ ...before, status: to, changedAt: expect.any(String) })
        expect(order.changedAt >= before.changedAt).toBe(true)
        expect(text).toBe(success === 204 ? '' : now.text)
        expect([headers.has('ETag'), headers.get('X-Request-Id')]).toEqual([false, expect.any(String)])
        expect(await petStatus(before.petId)).toBe(pet)
      })

      test(`that is ${done} already: ${success} again, and nothing changes`, async () => {
        const { id } = await orderThatIs(to)
        const first = await read(id)
        expect((await ask(id)).status).toBe(success)
        expect((await read(id)).text).toBe(first.text)
      })

      for (const state of STATES.filter((one) => one !== from && one !== to)) {
        test(`that is ${state} cannot be ${done}: 409 ${refusal}`, async () => {
          const { id } = await orderThatIs(state)
          const before = await read(id)
          const answer = await ask(id)
          expectError(answer, 409, refusal, [`Order ${id} is ${state}: only ${only} order can be ${done}.`])
          expect((await read(id)).text).toBe(before.text)
        })
      }

      test(`that does not exist cannot be ${done}: 404`, async () => {
        for (const id of [0, 999_999_999]) expectError(await ask(id), 404, 'not_found', [`No order has id ${id}.`])
      })

      test(`once ${done}, is logged with its pet and API key`, async () => {
        const { id, petId } = await orderThatIs(from)
        const { headers } = await ask(id)
        expect(JSON.parse(api.service.logged.at(-1) ?? '')).toMatchObject({
          msg: { completed: 'completeOrder', cancelled: 'cancelOrder', returned: 'returnOrder' }[done],
          orderId: String(id),
          petId: String(petId),
          keyId: '1',
          status: to,
          requestId: headers.get('X-Request-Id'),
        })
      })
    }

    for (const path of ['complete', 'return']) {
      test(`a body sent to ${path} is ignored, with any media type`, async () => {
        const { id } = await orderThatIs(path === 'complete' ? 'pending' : 'completed')
        for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
          const { status } = await request(`POST /store/orders/${id}/${path}`, { 'Content-Type': type }, '{"x":')
          expect(status).toBe(200)
        }
      })
    }

    test('that many requests end at the same time ends once: completed or cancelled, and the pet agrees', async () => {
      const { id, petId } = await placed()
      const ask = (_: unknown, n: number) => (n % 2 === 0 ? complete(id) : cancel(id))
      const answers = await Promise.all(Array.from({ length: 20 }, ask))
      const { status } = JSON.parse((await read(id)).text)
      expect(['completed', 'cancelled']).toContain(status)
      const expected = status === 'completed' ? [200, 409] : [409, 204]
      expect(answers.map((answer) => answer.status)).toEqual(answers.map((_, n) => expected[n % 2] as number))
      expect(await petStatus(petId)).toBe(status === 'completed' ? 'sold' : 'available')
    })

    test('that was returned leaves a pet that can be ordered and sold again', async () => {
      const { petId } = await orderThatIs('returned')
      const again = await placed({ petId })
      expect((await complete(again.id)).status).toBe(200)
      expectError(await place({ petId }), 409, 'pet_not_available', [`Pet ${petId} is sold: order ${again.id}.`])
    })

    const NO_IDS = ['9223372036854775808', '1.0', '01', '+1', 'x', '%20', '-0', '%00']
    api.rows(
      ['GET ', 'DELETE ', 'POST complete', 'POST return'].flatMap((one) => {
        const [method, action] = one.split(' ')
        return NO_IDS.map((id) => {
          const ask = `${method} /store/orders/${id}${action ? `/${action}` : ''}`
          return { description: ask, ask, status: 404, code: 'not_found' }
        })
      }),
    )
    api.rows([
      {
        description: 'an order that does not exist',
        ask: 'GET /store/orders/999999999',
        status: 404,
        code: 'not_found',
      },
      {
        description: 'below an order there is nothing else',
        ask: 'POST /store/orders/1/cancel',
        status: 404,
        code: 'not_found',
      },
      { description: 'below the store there is nothing else', ask: 'GET /store', status: 404, code: 'not_found' },
    ])
  })

  describeApi('the preconditions of a change', on, (api) => {
    const { read, complete, cancel, giveBack, orderThatIs } = ordersOf(api)
    beforeAll(() => turnToNow(api))

    const MATCH = 'If-Match'
    const NONE = 'If-None-Match'
    for (const [name, ask, from, to, success, conflict, refusal] of [
      ['completeOrder', complete, 'pending', 'completed', 200, 'cancelled', 'order_not_pending'],
      ['cancelOrder', cancel, 'pending', 'cancelled', 204, 'completed', 'order_not_pending'],
      ['returnOrder', giveBack, 'completed', 'returned', 200, 'cancelled', 'order_not_completed'],
    ] as const) {
      for (const [description, of, conditions, status, code] of [
        ['the tag', from, (tag: string) => ({ [MATCH]: tag }), success, ''],
        ['the tag among others', from, (tag: string) => ({ [MATCH]: `"x", W/"y" , ${tag}` }), success, ''],
        ['*', from, () => ({ [MATCH]: '*' }), success, ''],
        ['another tag', from, () => ({ [MATCH]: '"x"' }), 412, 'precondition_failed'],
        ['the tag, weak', from, (tag: string) => ({ [MATCH]: `W/${tag}` }), 412, 'precondition_failed'],
        ['the tag, not quoted', from, (tag: string) => ({ [MATCH]: tag.slice(1, -1) }), 412, 'precondition_failed'],
        ['nothing', from, () => ({ [MATCH]: '' }), 412, 'precondition_failed'],
        ['another tag', conflict, () => ({ [MATCH]: '"x"' }), 409, refusal],
        ['another tag', to, () => ({ [MATCH]: '"x"' }), success, ''],
        ['not another tag', from, () => ({ [NONE]: '"x"' }), success, ''],
        ['not the tag', from, (tag: string) => ({ [NONE]: tag }), 412, 'precondition_failed'],
        ['not the tag, weak', from, (tag: string) => ({ [NONE]: `W/${tag}` }), 412, 'precondition_failed'],
        ['not *', from, () => ({ [NONE]: '*' }), 412, 'precondition_failed'],
        ['not *', conflict, () => ({ [NONE]: '*' }), 409, refusal],
        ['not *', to, () => ({ [NONE]: '*' }), success, ''],
        ['the tag, and not it', from, (tag: string) => ({ [MATCH]: tag, [NONE]: tag }), 412, 'precondition_failed'],
        ['*, and not another tag', from, () => ({ [MATCH]: '*', [NONE]: '"x"' }), success, ''],
      ] as const) {
        test(`${name}, ${of}, if ${description}: ${status} ${code}`, async () => {
          const { id } = await orderThatIs(of)
          const before = await read(id)
          const answer = await ask(id, conditions(before.headers.get('ETag') ?? ''))
          if (code !== '') expectError(answer, status, code, [])
          expect(answer.status).toBe(status)
          expect(JSON.parse((await read(id)).text).status).toBe(status === success ? to : of)
        })
      }

      test(`${name} of an order that does not exist, with preconditions: 404`, async () => {
        for (const headers of [{ [MATCH]: '*' }, { [NONE]: '*' }, { [MATCH]: '"x"' }]) {
          expectError(await ask(999_999_999, headers), 404, 'not_found', [])
        }
      })
    }

    test('of many that have seen the same, one succeeds', async () => {
      const { id } = await orderThatIs('pending')
      const tag = (await read(id)).headers.get('ETag') ?? ''
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? complete : cancel)(id, { [MATCH]: tag })),
      )
      const { status } = JSON.parse((await read(id)).text)
      const expected = status === 'completed' ? [409, 200] : [204, 409]
      expect(answers.map((answer) => answer.status)).toEqual(answers.map((_, n) => expected[n % 2] as number))
    })
  })

  describeApi('methods', on, (api) => {
    for (const [path, allow, ...wrong] of [
      ['/store/orders', 'GET, HEAD, POST, OPTIONS', 'PUT', 'PATCH', 'DELETE'],
      ['/store/orders/1', 'GET, HEAD, DELETE, OPTIONS', 'POST', 'PUT', 'PATCH'],
      ['/store/orders/1/complete', 'POST, OPTIONS', 'GET', 'PUT', 'DELETE'],
      ['/store/orders/1/return', 'POST, OPTIONS', 'GET', 'HEAD', 'DELETE'],
      ['/store/inventory', 'GET, HEAD, OPTIONS', 'POST', 'DELETE'],
    ] as const) {
      test(`${path}: ${allow}`, async () => {
        const asked = await fetch(api.service.url + path, { method: 'OPTIONS' })
        expect([asked.status, asked.headers.get('Allow')]).toEqual([204, allow])
        for (const method of wrong) {
          const { status, headers } = await fetch(api.service.url + path, { method })
          expect([method, status, headers.get('Allow')]).toEqual([method, 405, allow])
        }
      })
    }
  })
}
