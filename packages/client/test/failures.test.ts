// Failed requests: which ones the client retries and which it reports. Also aborted calls.

import { describe, expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { answer, clientOf, errorJson, ORDER_JSON, REX, REX_JSON, withServer } from '../../../test/support/client.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { until } from '../../../test/support/until.ts'
import { type PetstoreApiError, PetstoreNetworkError, PetstoreTimeoutError } from '../src/petstore.ts'

describe('the client when requests fail', () => {
  test('the client retries temporary errors; a create keeps its idempotency key', async () => {
    const keys: (string | null)[] = []
    await withServer(
      (request, n) => {
        keys.push(request.headers.get('Idempotency-Key'))
        return n === 0 ? answer(503, errorJson('unavailable', 503)) : answer(201, REX_JSON)
      },
      async (url) => expect(await clientOf(url).createPet(REX)).toEqual(REX),
    )
    expect(keys).toEqual([expect.stringMatching(/^"[0-9a-f]{32}"$/), keys[0] as string])
  })

  test.each([
    [503, 3],
    [409, 1],
  ])('handles an unknown code by its status %d, and rejects with it after the retries', (status, attempts) =>
    withServer(
      () => answer(status, errorJson('code_of_tomorrow', status)),
      async (url, tries) => {
        const error = await rejectionOf(clientOf(url).placeOrder({ petId: 1n }))
        expect(error).toMatchObject({ code: 'code_of_tomorrow', status })
        // Compiles only while the type of the code is open.
        expect((error as PetstoreApiError).code === 'code_of_tomorrow').toBe(true)
        expect(tries()).toBe(attempts)
      },
    ),
  )

  test('the client does not call onEntityTag without an ETag', () =>
    withServer(
      () => answer(200, ORDER_JSON),
      async (url) => {
        const tags: string[] = []
        await clientOf(url).getOrder(1n, { onEntityTag: (tag) => tags.push(tag) })
        expect(tags).toEqual([])
      },
    ))

  test.each([
    ['no response arrives', () => new Promise<Response>(() => {})],
    ['the response does not end', () => new Response(new ReadableStream({ start: (body) => body.enqueue('[') }))],
  ])('the client reports a timeout if %s', (_what, respond) =>
    withServer(respond, async (url) => {
      const error = await rejectionOf(clientOf(url, { timeoutMs: 200, retries: 0 }).listPage())
      expect(error).toBeInstanceOf(PetstoreTimeoutError)
    }),
  )

  test('the default timeout is the one in docs/clients.md', () =>
    withServer(
      () => answer(200, '[]'),
      async (url) => {
        const page = await Bun.file(join(import.meta.dir, '../../../docs/clients.md')).text()
        const [, ms = ''] = /`timeoutMs` for each attempt \(default ([\d ]+)\)/.exec(page) ?? []
        const timers = spyOn(globalThis, 'setTimeout')
        await clientOf(url).listPage()
        expect(timers.mock.calls.map(([, after]) => after)).toContain(Number(ms.replace(' ', '')))
        timers.mockRestore()
      },
    ))

  test('the client reports that the service cannot be reached, and why', async () => {
    const error = await rejectionOf(clientOf('http://127.0.0.1:1/v1', { retries: 1 }).listPage())
    expect(error).toBeInstanceOf(PetstoreNetworkError)
    expect(error.cause).toBeInstanceOf(Error)
  })

  test('the client rejects immediately with the reason of the signal when aborted, also between attempts', () =>
    withServer(
      (_request, n) =>
        n === 0 ? answer(503, errorJson('unavailable', 503), { 'Retry-After': '20' }) : answer(200, '[]'),
      async (url, tries) => {
        const reason = new Error('the person left')
        const aborter = new AbortController()
        let pauses = 0
        const patient = clientOf(url, { onRetry: () => pauses++ })
        const call = rejectionOf(patient.listPage({}, { signal: aborter.signal }))
        await until('the client pauses', () => pauses === 1)
        aborter.abort(reason)
        expect(await call).toBe(reason)
        expect(await rejectionOf(clientOf(url).createPet(REX, { signal: aborter.signal }))).toBe(reason)
        expect(tries()).toBe(1)
      },
    ))

  test("the client's signal aborts every call, also one with its own signal", () =>
    withServer(
      () => answer(503, errorJson('unavailable', 503), { 'Retry-After': '20' }),
      async (url, tries) => {
        const aborter = new AbortController()
        const client = clientOf(url, { signal: aborter.signal })
        const calls = [client.listPage(), client.createPet(REX, { signal: AbortSignal.any([]) })].map(rejectionOf)
        await until('the client tries again', () => tries() >= 2)
        const reason = new Error('the person signed out')
        aborter.abort(reason)
        expect(await Promise.all([...calls, rejectionOf(client.getInventory())])).toEqual([reason, reason, reason])
        expect(tries()).toBe(2)
      },
    ))

  test('the client follows no redirect, which would send its key to another server', () =>
    withServer(
      () => answer(200, '[]'),
      async (elsewhere, tries) =>
        withServer(
          () => new Response(null, { status: 307, headers: { Location: `${elsewhere}/pets` } }),
          async (url) => {
            expect(await rejectionOf(clientOf(url, { retries: 0 }).listPage())).toBeInstanceOf(PetstoreNetworkError)
            expect(tries()).toBe(0)
          },
        ),
    ))
})
