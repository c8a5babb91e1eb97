// What a planted fault is made of: something between the clients and the service that changes requests and answers.
// Where it changes an answer, the answer has the tag that its bytes would have.

import { entityTag } from '../../../packages/service/src/http/response/conditions.ts'
import type { Pass, Received, Sent } from '../clients.ts'

/** Made anew for each history, so it may remember. */
export type Fault = (sent: Sent, pass: Pass) => Promise<Received>
export type Making = () => Fault

// biome-ignore lint/suspicious/noExplicitAny: bodies are whatever they are
export type Body = any

const PATHS: readonly [operation: string, method: RegExp, path: RegExp][] = [
  ['listPets', /GET|HEAD/, /^\/pets\?/],
  ['createPet', /POST/, /^\/pets$/],
  ['getPet', /GET|HEAD/, /^\/pets\/\d+$/],
  ['updatePet', /PATCH/, /^\/pets\/\d+$/],
  ['deletePet', /DELETE/, /^\/pets\/\d+$/],
  ['listOrders', /GET|HEAD/, /^\/store\/orders\?/],
  ['placeOrder', /POST/, /^\/store\/orders$/],
  ['getOrder', /GET|HEAD/, /^\/store\/orders\/\d+$/],
  ['updateOrder', /PATCH/, /^\/store\/orders\/\d+$/],
  ['cancelOrder', /DELETE/, /^\/store\/orders\/\d+$/],
  ['completeOrder', /POST/, /^\/store\/orders\/\d+\/complete$/],
  ['returnOrder', /POST/, /^\/store\/orders\/\d+\/return$/],
  ['getInventory', /GET|HEAD/, /^\/store\/inventory$/],
  ['listEvents', /GET|HEAD/, /^\/store\/events\?/],
]

export function operationOf({ method, path }: Sent): string {
  return PATHS.find(([, methods, paths]) => methods.test(method) && paths.test(path))?.[0] ?? ''
}

export function isRead({ method }: Sent): boolean {
  return method === 'GET' || method === 'HEAD'
}

export function idOf({ path }: Sent): number {
  return Number(/\/(\d+)/.exec(path)?.[1])
}

export function json({ text }: { text: string }): Body {
  return JSON.parse(text)
}

export function withBody(received: Received, body: Body, links = received.headers.get('Link')): Received {
  const text = JSON.stringify(body)
  const headers = new Headers(received.headers)
  if (links === null || links === '') headers.delete('Link')
  else headers.set('Link', links)
  const isList = Array.isArray(body)
  if (headers.has('ETag')) headers.set('ETag', entityTag(text, isList ? (links ?? '') : ''))
  return { ...received, headers, text }
}

/** An answer that the service did not give. `as`: one whose headers it has. */
export function answer(status: number, body?: Body, as?: Received): Received {
  const text = body === undefined ? '' : JSON.stringify(body)
  const headers = new Headers(as?.headers)
  if (headers.has('ETag')) headers.set('ETag', entityTag(text))
  return { status, text, headers }
}

export function refusal(status: number, code: string, message: string): Received {
  return answer(status, { code, message, status })
}

/** Answers to reads with a tag that a fault gives as they are. */
const unconditional = new WeakSet<Received>()

/** The service is asked without the tags that were sent: they are compared with that of the answer which the client gets. */
export function conditional(fault: Fault): Fault {
  return async (sent, pass) => {
    const received = await fault(sent, ({ headers: { 'If-None-Match': _, ...headers }, ...rest }) =>
      pass({ ...rest, headers }),
    )
    const tags = sent.headers['If-None-Match']?.split(', ') ?? []
    const isKnown = received.status === 200 && tags.includes(received.headers.get('ETag') ?? '')
    return isKnown && !unconditional.has(received) ? notModified(received) : received
  }
}

function notModified(received: Received, tag = received.headers.get('ETag') ?? ''): Received {
  const headers = new Headers(received.headers)
  headers.set('ETag', tag)
  return { ...received, headers, status: 304, text: '' }
}

/** Answers a read that has tags with 304 and the tag that `tagOf` chooses, or with 200. */
export function knowing(tagOf: (sent: readonly string[], tag: string) => string | undefined, share = 1): Making {
  return () => async (sent, pass) => {
    const received = await pass(sent)
    const tags = sent.headers['If-None-Match']?.split(', ') ?? []
    if (received.status !== 200 || tags.length === 0 || Math.random() >= share) return received
    const known = tagOf(tags, received.headers.get('ETag') ?? '')
    if (known !== undefined) return notModified(received, known)
    unconditional.add(received)
    return received
  }
}

/** Only these operations; `share` of them. */
export function of(operations: string, fault: Fault, share = 1): Fault {
  const names = operations.split(' ')
  return (sent, pass) => (names.includes(operationOf(sent)) && Math.random() < share ? fault(sent, pass) : pass(sent))
}

/** Changes what was asked for. */
export function asked(operations: string, change: (body: Body, sent: Sent) => Body, share = 1): Making {
  return () =>
    of(
      operations,
      (sent, pass) => {
        const body = sent.body === undefined ? undefined : change(JSON.parse(sent.body), sent)
        return pass(body === undefined ? sent : { ...sent, body: JSON.stringify(body) })
      },
      share,
    )
}

/** Changes what is answered to a success that has a body. */
export function answered(operations: string, change: (body: Body, sent: Sent) => Body, share = 1): Making {
  return () =>
    of(
      operations,
      async (sent, pass) => {
        const received = await pass(sent)
        if (received.status >= 300 || received.text === '') return received
        return withBody(received, change(json(received), sent))
      },
      share,
    )
}

/** Of a page of the feed. */
export function events(change: (rows: Body[], sent: Sent) => Body[]): Making {
  return answered('listEvents', change)
}

/** Each of them for itself: the requests by the first, the answers by the second. */
export function both(first: Making, second: Making): Making {
  return () => {
    const [one, other] = [first(), second()]
    return (sent, pass) => other(sent, (passed) => one(passed, pass))
  }
}

/** Each pet, order or event of any answer. */
export function everyRow(change: (row: Body) => Body): Making {
  return () => async (sent, pass) => {
    const received = await pass(sent)
    if (received.status >= 300 || received.text === '' || /inventory/.test(sent.path)) return received
    const body = json(received)
    return withBody(received, Array.isArray(body) ? body.map(change) : change(body))
  }
}

/** The resource as a GET gives it now. */
export async function current(sent: Sent, pass: Pass): Promise<Received> {
  const { body: _, ...rest } = sent
  const { Authorization = '' } = sent.headers
  return pass({
    ...rest,
    method: 'GET',
    path: sent.path.replace(/\/(complete|return)$/, ''),
    headers: { Authorization },
  })
}

/** The time, so much later or earlier. */
export function shifted(time: string, ms: number): string {
  return new Date(Date.parse(time) + ms).toISOString()
}
