// What a lesson is, and a record as the lessons ask about it: which requests go with each other.

import { isOf } from './contract-faults/shared/requests.ts'
import type { Exchange } from './exchange.ts'

/** What two requests may have in common. `undefined`: this one has nothing of the kind. */
export type Subject = (exchange: Exchange) => string | undefined

export const any: Subject = () => ''
export const wholeRequest: Subject = ({ method, target, body }) => `${method} ${target} ${body.toString('latin1')}`
/** With its Idempotency-Key: creates of others may look alike. */
const attempt: Subject = (exchange) => `${exchange.header('Idempotency-Key')} ${wholeRequest(exchange)}`
export const feed: Subject = (exchange) => (isOf(exchange, 'GET /store/events') ? '' : undefined)
/** Of the requests that need a key. */
export const authorization: Subject = (exchange) =>
  exchange.method === 'OPTIONS' || !/\/v1(?:\/|$)/.test(exchange.target)
    ? undefined
    : (exchange.header('Authorization') ?? '')

export class History {
  private readonly links = new Map<Subject, Map<Exchange, Exchange>>()
  private readonly repeats = new Map<Exchange, Exchange>()

  /** `now` as the times of the exchanges. */
  constructor(
    readonly exchanges: readonly Exchange[],
    readonly now: number,
  ) {
    for (const exchange of exchanges) {
      const again = exchange.hasFailed && this.retry(exchange)
      if (again) this.repeats.set(again, exchange)
    }
  }

  /** The first request of this subject that came when this one had its answer, or would have none any more. */
  after(exchange: Exchange, subject: Subject): Exchange | undefined {
    return this.first(exchange, subject, (next) => next.startedAt >= (exchange.end ?? Number.POSITIVE_INFINITY))
  }

  /** The first that the client sent knowing this answer. */
  knowing(exchange: Exchange, subject: Subject): Exchange | undefined {
    return this.first(exchange, subject, (next) => exchange.wasKnownTo(next))
  }

  /** The same, sent once more by a client that knew the answer. */
  retry(exchange: Exchange): Exchange | undefined {
    return this.knowing(exchange, attempt) ?? this.knowing(exchange, wholeRequest)
  }

  private first(exchange: Exchange, subject: Subject, isMeant: (next: Exchange) => boolean): Exchange | undefined {
    if (exchange.end === undefined) return undefined
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

/** Whether this request shows that the client keeps the lesson (true) or misses it (false); `undefined`: it shows neither. */
export type Judge = (exchange: Exchange) => boolean | undefined

export interface Lesson {
  sentence: string
  /** What a client that misses it does next, and the page that explains it. */
  advice: string
  /** The judge gets each request of the history once, in their order. */
  judge(history: History): Judge
}

/** By their ids. */
export type Lessons = Readonly<Record<string, Lesson>>
