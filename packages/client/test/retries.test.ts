// How often and after which pauses the client retries, what it retries after a lost response, and its error if it is
// unknown whether a change was made.

import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { answer, clientOf, errorJson, ORDER_JSON, REX, REX_JSON, withServer } from '../../../test/support/client.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'
import { hurryPauses } from '../../../test/support/timers.ts'
import { PetstoreApiError, PetstoreNetworkError, PetstoreUncertainError } from '../src/petstore.ts'

let hurried: ReturnType<typeof hurryPauses>
beforeEach(() => {
  hurried = hurryPauses()
})
afterEach(() => hurried.mockRestore())

type Client = ReturnType<typeof clientOf>
const NAME = { name: 'Rex' }
/** Marks a response that does not reach the client. */
const LOST = { 'X-Lost': '1' }
const MATCH = { ifMatch: '"tag"' }

/** A change with each method. A PATCH is only retried with `ifMatch`. */
const CHANGES: readonly (readonly [string, (client: Client, options?: { ifMatch?: string }) => Promise<unknown>])[] = [
  ['updatePet', (client, options) => client.updatePet(1n, NAME, options)],
  ['deletePet', (client, options) => client.deletePet(1n, options)],
  ['completeOrder', (client, options) => client.completeOrder(1n, options)],
]
const done = ({ method, url }: Request) =>
  method === 'DELETE'
    ? new Response(null, { status: 204 })
    : answer(200, url.includes('/orders') ? ORDER_JSON : REX_JSON)
const refused = (code: string, status: number) => () => answer(status, errorJson(code, status))
const BUSY = refused('rate_limited', 429)
const cut = () => answer(200, 'lost', LOST)

async function losing(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  if (response.headers.has('X-Lost')) throw new TypeError('The response was lost.')
  return response
}

/** Sends these responses in order. */
const withAnswers = (
  answers: readonly ((request: Request) => Response)[],
  use: (client: Client, tries: () => number) => Promise<unknown>,
) =>
  withServer(
    (request, n) => (answers[n] ?? refused('internal', 500))(request),
    (url, tries) => use(clientOf(url, { fetch: losing }), tries),
  )

describe('updatePet', () => {
  const change = (client: Client, options?: { ifMatch: string }) => client.updatePet(1n, NAME, options)

  test.each([
    ['no response', cut, PetstoreNetworkError],
    ['408', refused('request_timeout', 408), PetstoreApiError],
    ['500', refused('internal', 500), PetstoreApiError],
    ['502 of a proxy', () => answer(502, '<h1>Bad gateway</h1>'), PetstoreApiError],
    ['503', refused('unavailable', 503), PetstoreApiError],
    ['520 of a proxy', () => answer(520, ''), PetstoreApiError],
  ])('updatePet is not retried without an ETag: %s', async (_, lost, kind) => {
    for (const options of [undefined, { ifMatch: '*' }]) {
      await withAnswers([lost, done], async (client, tries) => {
        const error = await rejectionOf(change(client, options))
        expect(error).toBeInstanceOf(PetstoreUncertainError)
        expect(error.message).toStartWith('The change may have been made')
        expect(error.cause).toBeInstanceOf(kind)
        expect(error.message).toEndWith((error.cause as Error).message)
        expect(tries()).toBe(1)
      })
    }
  })

  test('a change is retried after 429, because nothing was changed, and a later rejection is certain', async () => {
    await withAnswers([BUSY, done], async (client, tries) => {
      await change(client)
      expect(tries()).toBe(2)
    })
    await withAnswers([BUSY, refused('not_found', 404)], async (client) => {
      expect(await rejectionOf(change(client))).toMatchObject({ name: 'PetstoreApiError', code: 'not_found' })
    })
    await withAnswers([BUSY, cut, done], async (client, tries) => {
      expect(await rejectionOf(change(client))).toBeInstanceOf(PetstoreUncertainError)
      expect(tries()).toBe(2)
    })
  })
})

describe.each(CHANGES)('%s', (name, change) => {
  test('a change is retried with the same ETag after a lost response', async () => {
    const tags: (string | null)[] = []
    const noting = (respond: (request: Request) => Response) => (request: Request) => {
      tags.push(request.headers.get('If-Match'))
      return respond(request)
    }
    await withAnswers([cut, refused('unavailable', 503), done].map(noting), (client) => change(client, MATCH))
    expect(tags).toEqual(Array(3).fill(MATCH.ifMatch))
  })

  const REFUSED = { not_found: 404, order_not_pending: 409, precondition_failed: 412 }
  const OUTCOMES = 'is rejected with %s, and uncertain if a response was lost before'
  test.each(Object.entries(REFUSED))(OUTCOMES, async (code, status) => {
    const refusal = refused(code, status)
    const uncertain = { name: 'PetstoreUncertainError', cause: { name: 'PetstoreApiError', code, status } }
    const isGone = name === 'deletePet' && status === 404
    await Promise.all(
      [[], [BUSY], [cut], [cut, BUSY]].map((before) =>
        withAnswers([...before, refusal], async (client, tries) => {
          const call = change(client, MATCH)
          if (!before.includes(cut)) {
            expect(await rejectionOf(call)).toMatchObject({ name: 'PetstoreApiError', code, status })
          } else if (isGone) expect(await call).toBeUndefined()
          else expect(await rejectionOf(call)).toMatchObject(uncertain)
          expect(tries()).toBe(before.length + 1)
        }),
      ),
    )
  })

  test('rejects with the last failure if no response arrives', () =>
    withAnswers([cut, cut, cut], async (client, tries) => {
      expect(await rejectionOf(change(client, MATCH))).toBeInstanceOf(PetstoreNetworkError)
      expect(tries()).toBe(3)
    }))
})

test('a 404 of a proxy does not confirm a deletion', () =>
  withAnswers([cut, () => answer(404, 'no such host')], async (client) => {
    expect(await rejectionOf(client.deletePet(1n))).toBeInstanceOf(PetstoreUncertainError)
  }))

test('rejections of reads and creates are certain, even after a lost response', async () => {
  const creates = [(client: Client) => client.createPet(REX), (client: Client) => client.placeOrder({ petId: 1n })]
  for (const call of [(client: Client) => client.getOrder(1n), ...creates]) {
    await withAnswers([cut, refused('pet_not_available', 409)], async (client) => {
      expect(await rejectionOf(call(client))).toMatchObject({ name: 'PetstoreApiError', code: 'pet_not_available' })
    })
  }
})

const REPLAYED = () => answer(201, REX_JSON, { 'Idempotency-Replayed': 'true' })
const IN_FLIGHT = refused('idempotency_in_flight', 409)
test.each([
  ['no earlier attempt', [], 1],
  ['a 429', [BUSY], 1],
  ['a 429 and a conflict with a create in flight', [BUSY, IN_FLIGHT], 1],
  ['a lost response', [cut], 0],
  ['a lost response and a 429', [cut, BUSY], 0],
  ['a 408', [refused('request_timeout', 408)], 0],
  ['a 503', [refused('unavailable', 503)], 0],
])(
  'a replay after %s belongs to an earlier call unless an attempt of this one may have succeeded',
  (_, before, calls) =>
    withAnswers([...before, REPLAYED], async (client) => {
      let replays = 0
      await client.createPet(REX, { onReplayed: () => replays++ })
      expect(replays).toBe(calls)
    }),
)

test('with retryAfterMaxMs, waiting for Retry-After does not count as a retry, but other failures do', () => {
  const wait = (seconds: string) => answer(429, errorJson('rate_limited', 429), { 'Retry-After': seconds })
  return withServer(
    (_request, n) => (n < 3 ? wait('0') : n < 5 ? answer(503, errorJson('unavailable', 503)) : wait('61')),
    async (url, tries) => {
      const options = { retries: 1, retryAfterMaxMs: 60_000 }
      expect(await rejectionOf(clientOf(url, options).createPet(REX))).toMatchObject({ status: 503 })
      expect(tries()).toBe(5)
      expect(await rejectionOf(clientOf(url, options).createPet(REX))).toMatchObject({ retryAfterMs: 61_000 })
      expect(tries()).toBe(6)
    },
  )
})

test('pauses before each retry for at least half of a time that doubles up to 5 s, and leaves no timer', async () => {
  hurried.mockRestore()
  const pauses: number[] = []
  const open = new Set<unknown>()
  const [start, stop] = [setTimeout, clearTimeout]
  const timeoutMs = 60_000
  const starting = spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, ms: number) => {
    const timer = start(() => open.delete(timer) && act(), ms < timeoutMs ? 0 : ms)
    open.add(timer)
    return timer
  }) as typeof setTimeout)
  const stopping = spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    open.delete(timer)
    stop(timer as Timer)
  })
  const leaving = new AbortController()
  const onRetry = (_reason: Error, pauseMs: number) => {
    if (pauses.push(pauseMs) > 7) queueMicrotask(() => leaving.abort())
  }
  await withServer(
    () => answer(503, errorJson('unavailable', 503)),
    (url) => rejectionOf(clientOf(url, { retries: 8, timeoutMs, onRetry }).listPage({}, { signal: leaving.signal })),
  )
  starting.mockRestore()
  stopping.mockRestore()
  expect([leaving.signal.aborted, open.size]).toEqual([true, 0])
  for (const [n, pauseMs] of pauses.entries()) {
    const most = Math.min(5_000, 200 * 2 ** n)
    expect(pauseMs).toBeWithin(most / 2, most + 0.01)
  }
})

test('accepts a number of retries for one call', () =>
  withServer(
    () => answer(503, errorJson('unavailable', 503), { 'Retry-After': '0' }),
    async (url, tries) => {
      expect(await rejectionOf(clientOf(url).listPage({}, { retries: 0 }))).toMatchObject({ retryAfterMs: 0 })
      expect(tries()).toBe(1)
      await rejectionOf(clientOf(url, { retries: 0 }).createPet(REX, { retries: 1 }))
      expect(tries()).toBe(3)
    },
  ))
