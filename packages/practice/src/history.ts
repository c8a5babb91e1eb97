// The type of a lesson, and the history of a client, in which lessons find related requests.

import { authorizationOf, filterOf, isOf, parametersOf } from './contract-faults/shared/requests.ts'
import { meaningOf } from './contract-faults/shared/values.ts'
import type { Exchange } from './exchange.ts'

/** Returns the same text for related requests, and `undefined` for a request that is not of this kind. */
export type Subject = (exchange: Exchange) => string | undefined

export const any: Subject = () => ''
export const wholeRequest: Subject = ({ method, target, body }) => `${method} ${target} ${meaningOf(body)}`
/** Includes the Idempotency-Key, because different creates can have the same body. */
export const attempt: Subject = (exchange) => `${exchange.header('Idempotency-Key')} ${wholeRequest(exchange)}`
/** The events of one pet are another feed than the events of all pets. */
export const feed: Subject = (exchange) =>
  isOf(exchange, 'GET /store/events') ? filterOf(parametersOf(exchange)) : undefined
/** Only for requests that need an API key. */
export const authorization: Subject = (exchange) =>
  exchange.method === 'OPTIONS' || !/\/v1(?:\/|$)/.test(exchange.target) ? undefined : (authorizationOf(exchange) ?? '')
/** After a pause of at least this length, the same read counts as a new one, not as a retry. */
export const POLL_MS = 1_000
/** Shorter pauses can be retries. */
const PACE_MS = 50

/** The requests of one API key. */
export class History {
  private readonly links = new Map<Subject, Map<Exchange, Exchange>>()
  private paces: ReadonlyMap<string | undefined, number | undefined> | undefined
  private readonly repeats = new Map<Exchange, Exchange>()

  /** `now` is on the same clock as the exchanges. */
  constructor(
    readonly exchanges: readonly Exchange[],
    readonly now: number,
  ) {
    for (const exchange of exchanges) {
      const again = exchange.hasFailed && this.nextRetry(exchange)
      if (again) this.repeats.set(again, exchange)
    }
  }

  /** Returns the first request with the same subject after this exchange ended. */
  nextLater(exchange: Exchange, subject: Subject): Exchange | undefined {
    return this.first(exchange, subject, (next) => next.startedAt >= (exchange.end ?? Number.POSITIVE_INFINITY))
  }

  /** Returns the first request with the same subject that the client sent after it had this response. */
  nextInformed(exchange: Exchange, subject: Subject): Exchange | undefined {
    return this.first(exchange, subject, (next) => exchange.wasKnownTo(next))
  }

  /** Returns the first repeat of the request that the client sent after it had this response. */
  nextRetry(exchange: Exchange): Exchange | undefined {
    return this.nextInformed(exchange, attempt) ?? this.nextInformed(exchange, wholeRequest)
  }

  private first(exchange: Exchange, subject: Subject, isMeant: (next: Exchange) => boolean): Exchange | undefined {
    if (exchange.end === undefined) return undefined
    const links = this.linked(subject)
    let next = links.get(exchange)
    while (next && !isMeant(next)) next = links.get(next)
    return next
  }

  /** Returns the first repeat of the request. An uncertain create with an Idempotency-Key must have the same key. */
  nextAttempt(exchange: Exchange): Exchange | undefined {
    const isKeyed = exchange.isCreate && exchange.isUncertain && exchange.header('Idempotency-Key') !== undefined
    return this.nextLater(exchange, isKeyed ? attempt : wholeRequest)
  }

  /** Whether the client polls at its own pace, so that `next` is not a reaction to this response. */
  isPolling(exchange: Exchange, next: Exchange): boolean {
    return exchange.method === 'GET' && (exchange.pauseBefore(next) >= POLL_MS || this.pace(exchange) !== undefined)
  }

  /** Returns the shortest pause between equal requests, if these pauses are steady. */
  pace(exchange: Exchange): number | undefined {
    this.paces ??= new Map(
      Array.from(Map.groupBy(this.exchanges, wholeRequest), ([name, all]) => [name, this.paceOf(all)]),
    )
    return this.paces.get(wholeRequest(exchange))
  }

  private paceOf(repeated: readonly Exchange[]): number | undefined {
    const pauses = repeated.flatMap((one) => {
      const next = this.nextInformed(one, wholeRequest)
      return next ? [one.pauseBefore(next)] : []
    })
    const pace = Math.min(...pauses)
    return pauses.length >= 3 && pace >= PACE_MS && Math.max(...pauses) <= 2 * pace ? pace : undefined
  }

  /** Returns the failed request that this one repeats. */
  failedBefore(exchange: Exchange): Exchange | undefined {
    return this.repeats.get(exchange)
  }

  /** Maps each request to the next one with the same subject. */
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

/**
 * Returns whether the client keeps (true) or misses (false) the lesson here; `undefined` if this request shows
 * neither.
 */
export type Judge = (exchange: Exchange) => boolean | undefined

export interface Lesson {
  sentence: string
  /** What to do if the client misses it, and the page that explains it. */
  advice: string
  /** The judge gets each request of the history once, in order. */
  judge(history: History): Judge
}

/** By their ids. */
export type Lessons = Readonly<Record<string, Lesson>>

/**
 * Judges each request against an earlier one with the same subject. `keep` chooses which request later ones are
 * compared with.
 */
export function comparing(
  subject: Subject,
  keep: (exchange: Exchange, last: Exchange | undefined) => Exchange | undefined,
  judge: (exchange: Exchange, before: Exchange) => boolean | undefined,
): Lesson['judge'] {
  return () => {
    const kept = new Map<string, Exchange | undefined>()
    return (exchange) => {
      const name = subject(exchange)
      if (name === undefined) return undefined
      const last = kept.get(name)
      kept.set(name, keep(exchange, last))
      return last?.wasKnownTo(exchange) ? judge(exchange, last) : undefined
    }
  }
}
