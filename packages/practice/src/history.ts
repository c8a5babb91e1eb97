// A record as the lessons ask about it: what became of each request, and which others go with it.

import { isOf, parametersOf } from './contract-faults/shared/requests.ts'
import { headerOf } from './messages.ts'
import type { Exchange } from './record.ts'

/** What two requests may have in common. `undefined`: this one has nothing of the kind. */
export type Subject = (exchange: Exchange) => string | undefined

export const any: Subject = () => ''
export const wholeRequest: Subject = ({ method, target, body }) => `${method} ${target} ${body.toString('latin1')}`
/** With its Idempotency-Key: creates of others may look alike. */
const attempt: Subject = (exchange) => `${requestHeader(exchange, 'Idempotency-Key')} ${wholeRequest(exchange)}`
export const feed: Subject = (exchange) => (isOf(exchange, 'GET /store/events') ? '' : undefined)
/** Of the requests that need a key. */
export const authorization: Subject = (exchange) =>
  exchange.method === 'OPTIONS' || !/\/v1(?:\/|$)/.test(exchange.target)
    ? undefined
    : (requestHeader(exchange, 'Authorization') ?? '')

/** With these, a proxy says too that another attempt may succeed. */
const TEMPORARY = [408, 429, 500, 502, 503, 504]
/** After these a change may have been made. */
const UNCERTAIN = [500, 502, 504]
/** What comes so soon on another connection may have been on its way. */
const PARALLEL_MS = 50

export class History {
  private readonly links = new Map<Subject, Map<Exchange, Exchange>>()
  private readonly repeats = new Map<Exchange, Exchange>()

  /** `now` as the times of the exchanges. */
  constructor(
    readonly exchanges: readonly Exchange[],
    readonly now: number,
  ) {
    for (const exchange of exchanges) {
      const again = hasFailed(exchange) && this.retry(exchange)
      if (again) this.repeats.set(again, exchange)
    }
  }

  /** The first request of this subject that came when this one had its answer, or would have none any more. */
  after(exchange: Exchange, subject: Subject): Exchange | undefined {
    return this.first(exchange, subject, (next) => next.startedAt >= (endOf(exchange) ?? Number.POSITIVE_INFINITY))
  }

  /** The first that the client sent knowing this answer. */
  knowing(exchange: Exchange, subject: Subject): Exchange | undefined {
    return this.first(exchange, subject, (next) => knew(exchange, next))
  }

  /** The same, sent once more by a client that knew the answer. */
  retry(exchange: Exchange): Exchange | undefined {
    return this.knowing(exchange, attempt) ?? this.knowing(exchange, wholeRequest)
  }

  private first(exchange: Exchange, subject: Subject, isMeant: (next: Exchange) => boolean): Exchange | undefined {
    if (endOf(exchange) === undefined) return undefined
    const links = this.linked(subject)
    let next = links.get(exchange)
    while (next && !isMeant(next)) next = links.get(next)
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

/** From the end of one to the beginning of the other. */
export function pauseBetween(exchange: Exchange, next: Exchange): number {
  return next.startedAt - (endOf(exchange) ?? 0)
}

/** Whether the client had the answer to one request when it sent the other, as far as can be told. */
export function knew(one: Exchange, other: Exchange): boolean {
  const end = endOf(one)
  if (end === undefined || other.startedAt < end) return false
  const isStillOpen = (one.connection.closedAt ?? Number.POSITIVE_INFINITY) > other.startedAt
  return one.connection === other.connection || !isStillOpen || other.startedAt >= end + PARALLEL_MS
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

/** What the client asked for may have been done, and it cannot know. */
export function isUncertain(exchange: Exchange): boolean {
  return isLost(exchange) || hasLeft(exchange) || UNCERTAIN.includes(statusOf(exchange) ?? 0)
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
