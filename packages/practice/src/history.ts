// A record as the lessons ask about it: what became of each request, and which others go with it.

import { isOf, parametersOf } from './lie-builders.ts'
import { headerOf } from './messages.ts'
import type { Exchange } from './record.ts'

/** What two requests may have in common. `undefined`: this one has nothing of the kind. */
export type Subject = (exchange: Exchange) => string | undefined

export const any: Subject = () => ''
export const wholeRequest: Subject = ({ method, target, body }) => `${method} ${target} ${body.toString('latin1')}`
export const feed: Subject = (exchange) => (isOf(exchange, 'GET /store/events') ? '' : undefined)
export const authorization: Subject = (exchange) => requestHeader(exchange, 'Authorization') ?? ''

/** With these, a proxy says too that another attempt may succeed. */
const TEMPORARY = [408, 429, 500, 502, 503, 504]

export class History {
  private readonly links = new Map<Subject, Map<Exchange, Exchange>>()
  private readonly repeats = new Map<Exchange, Exchange>()

  /** `now` as the times of the exchanges. */
  constructor(
    readonly exchanges: readonly Exchange[],
    readonly now: number,
  ) {
    for (const exchange of exchanges) {
      const again = hasFailed(exchange) && this.again(exchange)
      if (again) this.repeats.set(again, exchange)
    }
  }

  /** The first request of this subject that came when this one had its answer, or would have none any more. */
  after(exchange: Exchange, subject: Subject): Exchange | undefined {
    const end = endOf(exchange)
    if (end === undefined) return undefined
    const links = this.linked(subject)
    let next = links.get(exchange)
    while (next && next.startedAt < end) next = links.get(next)
    return next
  }

  /** The same request, once more. */
  again(exchange: Exchange): Exchange | undefined {
    return this.after(exchange, wholeRequest)
  }

  /** The failed request that this one repeats. */
  failedBefore(exchange: Exchange): Exchange | undefined {
    return this.repeats.get(exchange)
  }

  /** Each request, and the next with this subject. */
  private linked(subject: Subject): ReadonlyMap<Exchange, Exchange> {
    const known = this.links.get(subject)
    if (known) return known
    const links = new Map<Exchange, Exchange>()
    const last = new Map<string, Exchange>()
    for (const exchange of this.exchanges) {
      const name = subject(exchange)
      if (name === undefined) continue
      const before = last.get(name)
      if (before) links.set(before, exchange)
      last.set(name, exchange)
    }
    this.links.set(subject, links)
    return links
  }
}

export function endOf({ endedAt, connection }: Exchange): number | undefined {
  return endedAt ?? connection.closedAt
}

/** The client closed the connection before it had its answer. */
export function hasLeft({ endedAt, connection }: Exchange): boolean {
  return endedAt === undefined && connection.closedAt !== undefined
}

/** The connection was cut before the whole answer had arrived. */
export function isLost({ fault, endedAt }: Exchange): boolean {
  return endedAt !== undefined && (fault?.cut !== undefined || fault?.truncate !== undefined)
}

/** Of an answer that arrived. */
export function statusOf(exchange: Exchange): number | undefined {
  return exchange.endedAt === undefined || isLost(exchange) ? undefined : exchange.response?.status
}

/** The code of an error that arrived. */
export function codeOf(exchange: Exchange): string | undefined {
  const code = (statusOf(exchange) ?? 0) >= 400 && /"code":"(\w+)"/.exec(`${exchange.response?.body}`)?.[1]
  return code || undefined
}

/** In such a way that another attempt may succeed. */
export function hasFailed(exchange: Exchange): boolean {
  const isTemporary = TEMPORARY.includes(statusOf(exchange) ?? 0) || codeOf(exchange) === 'idempotency_in_flight'
  return isTemporary || isLost(exchange) || hasLeft(exchange)
}

export function isCreate(exchange: Exchange): boolean {
  return isOf(exchange, 'POST /pets|POST /store/orders')
}

/** A correction that may undo what others have changed since, if it is sent again. */
export function isBlind(exchange: Exchange): boolean {
  return exchange.method === 'PATCH' && (requestHeader(exchange, 'If-Match') ?? '*') === '*'
}

/** A header of the request. */
export function requestHeader({ headers }: Exchange, name: string): string | undefined {
  return headerOf(headers, name)
}

/** A header of the answer. */
export function responseHeader({ response }: Exchange, name: string): string | undefined {
  return response && headerOf(response.headers, name)
}

/** The parameters of the link to the next page, where the answer has one. */
export function nextPage(exchange: Exchange): URLSearchParams | undefined {
  const [, target] = /<([^<>]*)>;\s*rel="next"/.exec(responseHeader(exchange, 'Link') ?? '') ?? []
  return target === undefined ? undefined : parametersOf({ ...exchange, target })
}
