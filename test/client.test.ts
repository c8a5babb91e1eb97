// The client against a real service, and against servers that behave as services should not.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import fc from 'fast-check'
import {
  type Deprecation,
  PetstoreApiError,
  PetstoreClient,
  type PetstoreClientOptions,
  PetstoreNetworkError,
  PetstoreTimeoutError,
  toJson,
} from '../src/client/petstore.ts'
import { petsFromJson } from '../src/client/responses.ts'
import { stringifyJson } from '../src/json/json.ts'
import { newPet } from './support/pets.ts'
import { rejectionOf } from './support/rejection.ts'
import { type Service, startService } from './support/service.ts'

const REX = { id: 1n, ...newPet() }
const REX_JSON = stringifyJson(REX)
const AT = '2026-11-21T09:30:00.000Z'
const ORDER = { id: 1n, petName: 'Rex', status: 'pending', placedAt: AT, changedAt: AT, petId: 2n } as const
const ORDER_JSON = stringifyJson(ORDER)

describe('the client on a service', () => {
  let service: Service
  let client: PetstoreClient
  beforeAll(async () => {
    service = await startService()
    client = clientOf(service.url, { apiKey: service.key })
  })
  afterAll(() => service.stop())

  const ask = (path: string) => fetch(service.url + path, { headers: { Authorization: `Bearer ${service.key}` } })

  test('follows the links through every page, each pet once', async () => {
    const added = await Promise.all(
      Array.from({ length: 25 }, (_, n) => client.createPet({ ...REX, name: `pet ${n}` })),
    )
    const sold = await client.createPet(newPet({ name: 'Mia', categoryId: 2n ** 63n - 1n, status: 'sold' }))
    for (const limit of [undefined, 1, 7, 26]) {
      expect(await Array.fromAsync(client.listPets({ limit }))).toEqual([...added.sort(byId), sold])
    }
    expect(await Array.fromAsync(client.listPets({ status: 'sold' }))).toEqual([sold])
  })

  test('the last page has no next', async () => {
    expect((await client.listPage({ status: 'pending' })).next).toBeUndefined()
    const first = await client.listPage({ limit: 20 })
    expect(first.next).toBeString()
    expect((await client.listPage({ limit: 20, cursor: first.next })).next).toBeUndefined()
  })

  test('reports a refusal with its code, status and request id', async () => {
    const error = await rejectionOf(client.createPet(newPet({ name: '' })))
    expect(error).toBeInstanceOf(PetstoreApiError)
    expect(error).toMatchObject({
      code: 'invalid_pet',
      status: 400,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(error.message).toContain('name')
    expect(await rejectionOf(client.getPet(404n))).toMatchObject({ code: 'not_found', status: 404 })
    const stranger = clientOf(service.url, { apiKey: 'pets_live_0000000000000000000000000000' })
    expect(await rejectionOf(stranger.listPage())).toMatchObject({ code: 'invalid_api_key', status: 401 })
  })

  test('reports a deprecated operation once', async () => {
    const notices: Deprecation[] = []
    const watched = clientOf(service.url, { apiKey: service.key, onDeprecated: (notice) => notices.push(notice) })
    const { id } = await watched.createPet(REX)
    await watched.getPet(id)
    await watched.getPet(id)
    expect(notices).toEqual([{ operationId: 'getPet', since: new Date('2025-12-05'), removal: new Date('2030-12-05') }])
  })

  test('sells, releases and takes back a pet, and counts', async () => {
    const { id: petId } = await client.createPet(newPet({ name: 'Ada' }))
    const counted = await client.getInventory()
    const order = await client.placeOrder({ petId, reference: 'till 3', expiresAt: '2026-11-21T02:00:00+01:00' })
    expect(order).toMatchObject({ petId, petName: 'Ada', status: 'pending', expiresAt: '2026-11-21T01:00:00.000Z' })
    expect(toJson(order)).toBe(await (await ask(`/store/orders/${order.id}`)).text())
    expect(await client.getInventory()).toEqual({
      ...counted,
      available: counted.available - 1n,
      pending: counted.pending + 1n,
    })
    expect(await rejectionOf(client.placeOrder({ petId }))).toMatchObject({
      code: 'pet_not_available',
      message: `Pet ${petId} is pending: order ${order.id} holds it until 2026-11-21T01:00:00.000Z.`,
    })
    expect(await client.completeOrder(order.id)).toMatchObject({ status: 'completed' })
    const returned = await client.returnOrder(order.id)
    expect(returned).toMatchObject({ status: 'returned' })
    expect(await rejectionOf(client.cancelOrder(order.id))).toMatchObject({ code: 'order_not_pending', status: 409 })
    expect(await client.getOrder(order.id)).toEqual(returned)
    expect(await rejectionOf(client.getOrder(404n))).toMatchObject({
      code: 'not_found',
      message: 'No order has id 404.',
    })
    expect(await client.getInventory()).toEqual(counted)
  })

  test('lists the orders of a pet, or with a status, through every page', async () => {
    const { id: petId } = await client.createPet(newPet({ name: 'Bo' }))
    const ended = []
    for (let n = 0; n < 3; n++) {
      const { id } = await client.placeOrder({ petId })
      await client.cancelOrder(id)
      ended.push(await client.getOrder(id))
    }
    const last = await client.placeOrder({ petId })
    for (const limit of [undefined, 1, 3]) {
      expect(await Array.fromAsync(client.listOrders({ petId, limit }))).toEqual([...ended, last])
      expect(await Array.fromAsync(client.listOrders({ petId, status: 'cancelled', limit }))).toEqual(ended)
    }
    expect((await client.listOrderPage({ petId, limit: 4 })).next).toBeUndefined()
  })

  test('cancels an order only if it has the entity tag that was read', async () => {
    const { id: petId } = await client.createPet(REX)
    const { id } = await client.placeOrder({ petId })
    expect(await rejectionOf(client.cancelOrder(id, { ifMatch: '"other"' }))).toMatchObject({
      code: 'precondition_failed',
    })
    let ifMatch = ''
    await client.getOrder(id, { onEntityTag: (tag) => (ifMatch = tag) })
    await client.cancelOrder(id, { ifMatch })
    expect(await client.getOrder(id)).toMatchObject({ status: 'cancelled' })
  })

  test('places an order once for one idempotency key, and says so', async () => {
    const { id: petId } = await client.createPet(REX)
    let replayed = 0
    const options = { idempotencyKey: 'till "3"', onReplayed: () => replayed++ }
    const order = await client.placeOrder({ petId }, options)
    await client.cancelOrder(order.id)
    expect([await client.placeOrder({ petId }, options), replayed]).toEqual([order, 1])
  })

  test('writes a pet, a page and anything around them as JSON, with all digits', async () => {
    const pet = await client.createPet(newPet({ name: '"Rex"', categoryId: 9007199254740993n }))
    const text = `{"id":${pet.id},"name":"\\"Rex\\"","categoryId":9007199254740993,"status":"available"}`
    expect(toJson(pet)).toBe(text)
    expect(toJson([pet, pet])).toBe(`[${text},${text}]`)
    expect(toJson({ at: new Date(0), next: undefined, none: null, pets: [pet] })).toBe(
      `{"at":"1970-01-01T00:00:00.000Z","none":null,"pets":[${text}]}`,
    )
  })

  test.each([
    [{ baseUrl: 'http://127.0.0.1/v1' }, 'apiKey is required'],
    [{ baseUrl: 'http://127.0.0.1/v1', apiKey: '' }, 'apiKey is required'],
    [{ baseUrl: 'http://127.0.0.1/v1', apiKey: 7 }, 'apiKey is required'],
    [{ apiKey: 'key' }, 'baseUrl is required'],
    [{ baseUrl: 'http://127.0.0.1', apiKey: 'key' }, 'baseUrl must end in /v1'],
    [{ baseUrl: 'http://127.0.0.1/v1/pets', apiKey: 'key' }, 'baseUrl must end in /v1'],
    [{ baseUrl: 'http://127.0.0.1/v1?x=1', apiKey: 'key' }, 'baseUrl must end in /v1'],
  ])('refuses options that cannot work, in one sentence: %j', (options, message) => {
    expect(() => new PetstoreClient(options as PetstoreClientOptions)).toThrow(new RegExp(`^${message}[^.]*\\.?`))
    expect(() => new PetstoreClient(options as PetstoreClientOptions)).toThrow(TypeError)
  })

  test('takes a relative baseUrl, and one with a slash at its end', () => {
    for (const baseUrl of ['/v1', 'http://127.0.0.1/v1/']) clientOf(baseUrl)
  })

  test('never shows its key', () => {
    expect(Bun.inspect(client) + JSON.stringify(client)).not.toContain(service.key)
    expect(() => clientOf(service.url, { apiKey: 'secret\n' })).toThrow(/^((?!secret).)*$/)
  })
})

describe('the client when requests fail', () => {
  test('retries temporary errors, a create with the same key', async () => {
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

  test('retries when a response was lost', async () => {
    let tries = 0
    const whole = `HTTP/1.1 200 OK\r\nContent-Length: ${REX_JSON.length + 2}\r\nConnection: close\r\n\r\n[${REX_JSON}]`
    const server = createServer((socket) => {
      socket.once('data', () => socket.end(++tries < 3 ? whole.slice(0, -1) : whole))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    expect((await clientOf(`http://127.0.0.1:${port}/v1`).listPage()).pets).toEqual([REX])
    expect(tries).toBe(3)
    server.close()
  })

  test.each([
    ['invalid_order', 400],
    ['pet_not_available', 409],
    ['idempotency_mismatch', 422],
    ['precondition_failed', 412],
  ])('does not retry %s, which a retry cannot change', (code, status) =>
    withServer(
      () => answer(status, errorJson(code, status)),
      async (url, tries) => {
        expect(await rejectionOf(clientOf(url).placeOrder({ petId: 1n }))).toMatchObject({ code, status })
        expect(tries()).toBe(1)
      },
    ),
  )

  test('retries while its first attempt is still running', () =>
    withServer(
      (_request, n) => (n === 0 ? answer(409, errorJson('idempotency_in_flight', 409)) : answer(201, ORDER_JSON)),
      async (url) => expect(await clientOf(url).placeOrder({ petId: 2n })).toEqual(ORDER),
    ))

  test('repeats a change of an order, with the same condition, when a response was lost', async () => {
    const asked: string[] = []
    await withServer(
      (request, n) => {
        const { pathname } = new URL(request.url)
        asked.push(
          `${request.method} ${pathname} ${request.headers.get('If-Match')} ${request.headers.get('Idempotency-Key')}`,
        )
        if (n % 2 === 0) return answer(502, '<h1>Bad gateway</h1>')
        return request.method === 'DELETE' ? new Response(null, { status: 204 }) : answer(200, ORDER_JSON)
      },
      async (url) => {
        const client = clientOf(url)
        expect(await client.completeOrder(1n)).toEqual(ORDER)
        expect(await client.returnOrder(1n)).toEqual(ORDER)
        expect(await client.cancelOrder(1n, { ifMatch: '"tag"' })).toBeUndefined()
      },
    )
    const twice = (call: string) => [call, call]
    expect(asked).toEqual([
      ...twice('POST /v1/store/orders/1/complete null null'),
      ...twice('POST /v1/store/orders/1/return null null'),
      ...twice('DELETE /v1/store/orders/1 "tag" null'),
    ])
  })

  test('gives up after its retries, with the last error', () =>
    withServer(
      () => answer(503, errorJson('storage_full', 503), { 'Retry-After': '0' }),
      async (url, tries) => {
        expect(await rejectionOf(clientOf(url).listPage())).toMatchObject({ code: 'storage_full', retryAfterMs: 0 })
        expect(tries()).toBe(3)
      },
    ))

  test('a call may have its own number of retries', () =>
    withServer(
      () => answer(503, errorJson('unavailable', 503), { 'Retry-After': '0' }),
      async (url, tries) => {
        await rejectionOf(clientOf(url).listPage({}, { retries: 0 }))
        expect(tries()).toBe(1)
        await rejectionOf(clientOf(url, { retries: 0 }).createPet(REX, { retries: 1 }))
        expect(tries()).toBe(3)
      },
    ))

  test('does not wait when the service asks for a long pause', () =>
    withServer(
      () => answer(429, errorJson('rate_limited', 429), { 'Retry-After': '3600' }),
      async (url, tries) => {
        expect(await rejectionOf(clientOf(url).listPage())).toMatchObject({
          code: 'rate_limited',
          retryAfterMs: 3_600_000,
        })
        expect(tries()).toBe(1)
      },
    ))

  test('reports a timeout when no response arrives', () =>
    withServer(
      () => new Promise(() => {}),
      async (url) => {
        const error = await rejectionOf(clientOf(url, { timeoutMs: 50, retries: 0 }).listPage())
        expect(error).toBeInstanceOf(PetstoreTimeoutError)
      },
    ))

  test('reports a timeout when the end of the response is missing', () =>
    withServer(
      () => new Response(new ReadableStream({ start: (body) => body.enqueue('[') })),
      async (url) => {
        const error = await rejectionOf(clientOf(url, { timeoutMs: 200, retries: 0 }).listPage())
        expect(error).toBeInstanceOf(PetstoreTimeoutError)
      },
    ))

  test('reports that the service cannot be reached, and why', async () => {
    const error = await rejectionOf(clientOf('http://127.0.0.1:1/v1', { retries: 1 }).listPage())
    expect(error).toBeInstanceOf(PetstoreNetworkError)
    expect(error.cause).toBeInstanceOf(Error)
  })

  test('ends at once when it is aborted, also between attempts, with the reason of the signal', () =>
    withServer(
      (_request, n) =>
        n === 0 ? answer(503, errorJson('unavailable', 503), { 'Retry-After': '20' }) : answer(200, '[]'),
      async (url, tries) => {
        const reason = new Error('the person left')
        const aborter = new AbortController()
        const call = rejectionOf(clientOf(url).listPage({}, { signal: aborter.signal }))
        while (tries() === 0) await Bun.sleep(5)
        await Bun.sleep(20)
        aborter.abort(reason)
        expect(await call).toBe(reason)
        expect(await rejectionOf(clientOf(url).createPet(REX, { signal: aborter.signal }))).toBe(reason)
        expect(tries()).toBe(1)
      },
    ))

  test.each([
    ['a page of a proxy', 502, '<h1>Bad gateway</h1>'],
    ['JSON that is no Error', 404, '{"detail":"no"}'],
    ['a page where a pet was expected', 200, '<!doctype html>'],
    ['a pet without an id', 200, '{"name":"Rex","categoryId":7,"status":"sold"}'],
    ['an id in quotes', 200, REX_JSON.replace('1', '"1"')],
    ['an id with a fraction', 200, REX_JSON.replace('1', '1.5')],
    ['no body', 200, ''],
  ])('does not accept %s as a response of the service', (_what, status, body) =>
    withServer(
      () => answer(status, body),
      async (url) =>
        expect(await rejectionOf(clientOf(url, { retries: 0 }).getPet(1n))).toMatchObject({
          code: 'unexpected_answer',
          status,
        }),
    ),
  )

  test.each([
    ['a pet', REX_JSON],
    ['an order without a time', ORDER_JSON.replace(/"placedAt":"[^"]*",/, '')],
    ['an order with null for what is absent', ORDER_JSON.replace('}', ',"expiresAt":null}')],
    ['an inventory without a number', '{"available":1,"pending":0}'],
  ])('does not accept %s as an order or the inventory', (_what, body) =>
    withServer(
      () => answer(200, body),
      async (url) => {
        const client = clientOf(url, { retries: 0 })
        for (const call of [client.getOrder(1n), client.completeOrder(1n), client.getInventory()]) {
          expect(await rejectionOf(call)).toMatchObject({ code: 'unexpected_answer', status: 200 })
        }
      },
    ),
  )

  test('sends its key nowhere else', () =>
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

  test.each([
    ['</v1/pets?cursor=A>; rel="next"', 'A'],
    ['</docs>; rel="help", </v1/pets?limit=2&cursor=B>;rel=next', 'B'],
    ['</v1/pets?cursor=C>; title="a, b; rel=next"; rel="prev"', undefined],
    ['</v1/pets?cursor=D>; title="x"; rel="start NEXT"', 'D'],
    ['</v1/pets>; rel="next"', undefined],
  ])('finds the next page in %s', (link, next) =>
    withServer(
      () => answer(200, '[]', { Link: link }),
      async (url) => expect((await clientOf(url).listPage()).next).toBe(next as string),
    ),
  )
})

describe('exact JSON', () => {
  test('every int64 goes out and comes in unchanged', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    fc.assert(
      fc.property(int64, int64, fc.string(), (id, categoryId, name) => {
        const pet = { id, name, categoryId, status: 'sold' as const }
        expect(petsFromJson(toJson([pet]))).toEqual([pet])
      }),
      {
        examples: [
          [2n ** 63n - 1n, -(2n ** 63n), '1'],
          [2n ** 53n + 1n, 0n, ' 12345678901234567890 '],
        ],
      },
    )
  })

  test('an id is never taken from a string, and never rounded', () => {
    const idOf = (id: string) => petsFromJson(`[{"id":${id},"name":"Rex","categoryId":1,"status":"sold"}]`)[0]?.id
    expect(idOf('1e3')).toBe(1000n)
    expect(idOf('9007199254740993.0')).toBe(9007199254740993n)
    for (const wrong of ['"1"', '1.5', '9223372036854775808', '01', '1.', '--1', '1e', '1 2', 'null', '[]']) {
      expect(() => idOf(wrong)).toThrow(SyntaxError)
    }
  })
})

function clientOf(baseUrl: string, options: Partial<PetstoreClientOptions> = {}): PetstoreClient {
  return new PetstoreClient({ baseUrl, apiKey: 'key', ...options })
}

function answer(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { 'Content-Type': 'application/json', ...headers } })
}

function errorJson(code: string, status: number): string {
  return JSON.stringify({ code, message: 'No.', status })
}

/** Starts a server that answers its n-th request, from 0, with `respond`. */
async function withServer(
  respond: (request: Request, n: number) => Response | Promise<Response>,
  use: (url: string, tries: () => number) => Promise<unknown>,
): Promise<void> {
  let tries = 0
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => respond(request, tries++) })
  try {
    await use(`http://127.0.0.1:${server.port}/v1`, () => tries)
  } finally {
    await server.stop(true)
  }
}

function byId(a: { id: bigint }, b: { id: bigint }): number {
  return a.id < b.id ? -1 : 1
}
