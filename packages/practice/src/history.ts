// What a lesson is, and a record as the lessons ask about it: which requests go with each other.

import { isOf } from './contract-faults/shared/requests.ts'
import { meaningOf } from './contract-faults/shared/values.ts'
import type { Exchange } from './exchange.ts'

/** What two requests may have in common. `undefined`: this one has nothing of the kind. */
export type Subject = (exchange: Exchange) => string | undefined

export const any: Subject = () => ''
export const wholeRequest: Subject = ({ method, target, body }) => `${method} ${target} ${meaningOf(body)}`
/** With its Idempotency-Key: creates of others may look alike. */
export const attempt: Subject = (exchange) => `${exchange.header('Idempotency-Key')} ${wholeRequest(exchange)}`
export const feed: Subject = (exchange) => (isOf(exchange, 'GET /store/events') ? '' : undefined)
/** Of the requests that need a key. */
export const authorization: Subject = (exchange) =>
  exchange.method === 'OPTIONS' || !/\/v1(?:\/|$)/.test(exchange.target)
    ? undefined
    : (exchange.header('Authorization') ?? '')
/** After such a pause the same read is a new one. */
export const POLL_MS = 1_000
/** Shorter pauses may be those of retries. */
const PACE_MS = 50

/** The requests of one API key. */
export class History {
  private readonly links = new Map<Subject, Map<Exchange, Exchange>>()
  private paces: ReadonlyMap<string, number> | undefined
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

  /** The same request, once more. A create that may have been done is the same only under its Idempotency-Key. */
  again(exchange: Exchange): Exchange | undefined {
    const isKeyed = exchange.isCreate && exchange.isUncertain && exchange.header('Idempotency-Key') !== undefined
    return this.after(exchange, isKeyed ? attempt : wholeRequest)
  }

  /** Whether the client reads the same again at its own pace, and not because of this answer. */
  isPolling(exchange: Exchange, next: Exchange): boolean {
    if (exchange.method !== 'GET') return false
    const pause = exchange.pauseBefore(next)
    return pause >= POLL_MS || 1.5 * pause >= (this.pace(exchange) ?? Number.POSITIVE_INFINITY)
  }

  /** How soon the client sends this request again after answers that give no reason for it, or steadily after others. */
  pace(exchange: Exchange): number | undefined {
    this.paces ??= this.allPaces()
    return this.paces.get(wholeRequest(exchange) ?? '')
  }

  private allPaces(): Map<string, number> {
    const paces = new Map<string, number>()
    for (const [name, repeated] of Map.groupBy(this.exchanges, (one) => wholeRequest(one) ?? '')) {
      const pauses = (isMeant: (exchange: Exchange) => boolean) =>
        repeated.filter(isMeant).flatMap((one) => {
          const next = this.knowing(one, wholeRequest)
          return next ? [one.pauseBefore(next)] : []
        })
      const ordinary = pauses(({ fault, status = 500 }) => status < 300 && !fault?.unknown)
      const all = pauses(() => true)
      const isSteady = all.length >= 3 && Math.max(...all) <= 2 * Math.min(...all)
      const pace = Math.min(...(ordinary.length > 0 || !isSteady ? ordinary : all))
      if (pace >= PACE_MS && Number.isFinite(pace)) paces.set(name, pace)
    }
    return paces
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

/** Judges each request against an earlier one of its subject whose answer the client knew. `keep` gives the one for the requests behind it. */
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
