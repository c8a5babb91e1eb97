// What was answered and not done, done twice, or done late.

import type { Pass, Received, Sent } from '../clients.ts'
import {
  answer,
  asked,
  both,
  current,
  everyRow,
  json,
  type Making,
  of,
  operationOf,
  refusal,
  shifted,
  withBody,
} from './fault.ts'

const LATE_MS = 80

/** What a move makes of an order. */
const MOVED: Readonly<Record<string, string>> = { completeOrder: 'completed', returnOrder: 'returned' }

/** The answer that the service would give, without asking it. */
async function pretended(sent: Sent, pass: Pass): Promise<Received> {
  const before = await current(sent, pass)
  const name = operationOf(sent)
  if (before.status !== 200) return pass(sent)
  if (sent.method === 'DELETE') return answer(204)
  const order = json(before)
  if (name === 'completeOrder' && order.status !== 'pending') return pass(sent)
  if (name === 'returnOrder' && order.status !== 'completed') return pass(sent)
  const status = MOVED[name]
  return withBody(before, { ...order, ...JSON.parse(sent.body ?? '{}'), ...(status ? { status } : {}) })
}

const onlyAnswered =
  (operations: string): Making =>
  () =>
    of(operations, pretended, 0.5)

/** Answered at once, and done later. */
const late = (operations: string): Making => {
  return () =>
    of(
      operations,
      async (sent, pass) => {
        const pretence = await pretended(sent, pass)
        if (pretence.status < 300) setTimeout(() => pass(sent).catch(() => undefined), LATE_MS)
        return pretence
      },
      0.5,
    )
}

/** Reservations end so much later than what is asked and answered says. */
const ending = (ms: number): Making =>
  both(
    asked('placeOrder updateOrder', ({ expiresAt, ...body }) => {
      return expiresAt
        ? { ...body, expiresAt: shifted(expiresAt, ms) }
        : { ...body, ...(expiresAt === null ? { expiresAt } : {}) }
    }),
    everyRow((row) => (row.expiresAt ? { ...row, expiresAt: shifted(row.expiresAt, -ms) } : row)),
  )

/** In the headers of a request that is meant. */
const headers = (
  change: (headers: Record<string, string | undefined>, sent: Sent) => Record<string, string | undefined>,
): Making => {
  return () => (sent, pass) => {
    const sentHeaders = Object.entries(change({ ...sent.headers }, sent)).filter(([, value]) => value !== undefined)
    return pass({ ...sent, headers: Object.fromEntries(sentHeaders) as Record<string, string> })
  }
}

const oneTag = (n: number): Making => headers((sent) => ({ ...sent, 'If-Match': sent['If-Match']?.split(', ').at(n) }))

export const TWICE: Readonly<Record<string, Making>> = {
  'a key that is not kept': headers((sent) => ({ ...sent, 'Idempotency-Key': undefined })),
  'keys forgotten too soon': headers(({ 'Idempotency-Key': key, ...sent }) => ({
    ...sent,
    'Idempotency-Key': key && `"${key.slice(1, -1)}-${Math.floor(performance.now() / 100)}"`,
  })),
  'keys forgotten by one of the servers': headers((sent, { server }) =>
    server === 0 ? { ...sent, 'Idempotency-Key': undefined } : sent,
  ),
  'another request under a used key is done': () =>
    of('createPet placeOrder', async (sent, pass) => {
      const received = await pass(sent)
      if (received.status !== 422) return received
      const { 'Idempotency-Key': _, ...rest } = sent.headers
      return pass({ ...sent, headers: rest })
    }),
  'a create without a key is sent twice': () =>
    of('createPet', async (sent, pass) => {
      if (!('Idempotency-Key' in sent.headers)) await pass(sent)
      return pass(sent)
    }),
  'a 503 that was done twice': () =>
    of(
      'createPet',
      async ({ headers: { 'Idempotency-Key': _, ...rest }, ...sent }, pass) => {
        for (let n = 0; n < 2; n++) await pass({ ...sent, headers: rest })
        return refusal(503, 'unavailable', 'Try again.')
      },
      0.1,
    ),
  'a correction that is done again later': () =>
    of('updatePet', async (sent, pass) => {
      setTimeout(() => pass(sent).catch(() => undefined), LATE_MS)
      return pass(sent)
    }),
  'an order that comes back by itself': () =>
    of(
      'completeOrder',
      async (sent, pass) => {
        const received = await pass(sent)
        if (received.status === 200)
          setTimeout(
            () => pass({ ...sent, path: sent.path.replace('complete', 'return') }).catch(() => undefined),
            LATE_MS,
          )
        return received
      },
      0.3,
    ),
  'one request under an Idempotency-Key, whatever the API key': () => {
    const owners = new Map<string, string>()
    return of('createPet placeOrder', async (sent, pass) => {
      const { 'Idempotency-Key': key, Authorization = '' } = sent.headers
      const mayWrite = [...owners.values()].includes(Authorization)
      const request = `${key} ${sent.body}`
      const owner = (mayWrite && owners.get(request)) || Authorization
      const received = await pass({ ...sent, headers: { ...sent.headers, Authorization: owner } })
      if (key && received.status === 201) owners.set(request, owner)
      return received
    })
  },
  'of two tags in If-Match the first': oneTag(0),
  'of two tags in If-Match the last': oneTag(-1),
  'If-Match is ignored': headers((sent) => ({ ...sent, 'If-Match': undefined })),
}

export const NOT_DONE: Readonly<Record<string, Making>> = {
  'a cancel that is only answered': onlyAnswered('cancelOrder'),
  'a completion that is only answered': onlyAnswered('completeOrder'),
  'a return that is only answered': onlyAnswered('returnOrder'),
  'a deletion that is only answered': onlyAnswered('deletePet'),
  'a rename that is only answered': onlyAnswered('updatePet'),
  'a change of an order that is only answered': onlyAnswered('updateOrder'),
  'a create that is only answered': () => {
    let id = 1_000_000
    return of(
      'createPet',
      async (sent) => answer(201, { id: id++, status: 'available', ...JSON.parse(sent.body ?? '') }),
      0.2,
    )
  },
  'a rename that is undone': () =>
    of(
      'updatePet',
      async (sent, pass) => {
        const before = await current(sent, pass)
        const received = await pass(sent)
        const undone = before.status === 200 && JSON.stringify({ name: json(before).name })
        if (received.status === 200 && undone) await pass({ ...sent, body: undone })
        return received
      },
      0.5,
    ),
}

export const LATE: Readonly<Record<string, Making>> = {
  'a cancel that is done later': late('cancelOrder'),
  'a deletion that is done later': late('deletePet'),
  'a correction that is done later': late('updatePet'),
  'a completion that is done later': late('completeOrder'),
  'a change of an order that is done later': late('updateOrder'),
  'reservations that end two seconds late': ending(2_000),
  'reservations that never end': ending(3_600_000),
  'completed and changed after its end': ending(300),
}
