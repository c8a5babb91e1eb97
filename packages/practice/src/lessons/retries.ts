// Lessons about what a client sends again, and what it does not.

import type { Exchange } from '../exchange.ts'
import { any, authorization, type Lesson, type Lessons, POLL_MS, wholeRequest } from '../history.ts'

/** After a pause of at least this length, an equal create counts as a new one. */
const LATER_MS = 30_000
const key = (exchange: Exchange) => exchange.header('Idempotency-Key')
/** A repeat has no second effect, and undoes no other client's change. */
const isSafe = (exchange: Exchange) => (exchange.isCreate ? key(exchange) !== undefined : !exchange.isBlind)
/** A repeat can have a second effect, or undo another client's change. */
const isRisky = (exchange: Exchange) => exchange.isBlind || (exchange.isUncertain && !isSafe(exchange))
const isRefused = (exchange: Exchange) => {
  const status = exchange.status ?? 0
  return status >= 400 && status < 500 && status !== 401 && status !== 412 && !exchange.hasFailed
}

export const RETRY_LESSONS: Lessons = {
  'retries.temporary': {
    sentence:
      'The client retries temporary failures (408, 429, 500, 502, 503, 504, idempotency_in_flight), except a PATCH ' +
      'without If-Match and, after 500, 502 and 504, a create without an Idempotency-Key.',
    advice: 'Send the request again after a pause, up to a limit. See docs/clients.md.',
    judge: sentAgain((exchange) => exchange.status !== undefined && exchange.hasFailed && !isRisky(exchange)),
  },
  'retries.lost': {
    sentence: 'The client retries a request whose response did not arrive, if that is safe.',
    advice: 'Retry reads, and creates with an Idempotency-Key. See docs/clients.md.',
    judge: sentAgain((exchange) => exchange.isLost && exchange.fault?.cut !== undefined && isSafe(exchange)),
  },
  'retries.truncated': {
    sentence: 'The client treats a truncated response as a failure, and retries the request if that is safe.',
    advice: 'Compare the body with Content-Length, and retry the request. See docs/clients.md.',
    judge: sentAgain((exchange) => exchange.isLost && exchange.fault?.truncate !== undefined && isSafe(exchange)),
  },
  'retries.refused': {
    sentence: 'The client does not repeat a refused request (400, 403, 404, 409 and similar) unchanged.',
    advice: 'Report the error with its message. Another attempt gets the same response. See docs/interface.md#errors.',
    judge: (history) => (exchange) => {
      if (!isRefused(exchange)) return undefined
      const next = history.nextInformed(exchange, any)
      if (next === undefined || next !== history.nextInformed(exchange, wholeRequest)) return true
      // The client can be waiting for another client's change.
      const isAnother = exchange.status === 409 && (!exchange.isCreate || key(next) !== key(exchange))
      const isLater = isAnother && exchange.pauseBefore(next) >= POLL_MS
      return isLater || history.isPolling(exchange, next) ? undefined : false
    },
  },
  'retries.unauthorized': {
    sentence: 'After 401, the client stops using the key.',
    advice: 'Stop, and ask for another API key. See docs/interface.md#keys.',
    judge: (history) => (exchange) =>
      exchange.status === 401 && authorization(exchange) !== undefined
        ? history.nextInformed(exchange, authorization) === undefined
        : undefined,
  },
  'creates.key': {
    sentence: 'Each create has an Idempotency-Key.',
    advice: 'Send an Idempotency-Key with every create: a new UUID. See docs/clients.md.',
    judge: () => (exchange) => (exchange.isCreate ? key(exchange) !== undefined : undefined),
  },
  'creates.same-key': {
    sentence: 'A repeated create has the same Idempotency-Key.',
    advice: 'Make the Idempotency-Key before the first attempt, and use it for all attempts. See docs/clients.md.',
    judge(history) {
      const uses = new Map<string | undefined, number>()
      for (const exchange of history.exchanges) uses.set(key(exchange), (uses.get(key(exchange)) ?? 0) + 1)
      return (exchange) => {
        const before = history.failedBefore(exchange)
        if (!before || !exchange.isCreate || key(before) === undefined) return undefined
        if (key(exchange) === key(before)) return true
        // If the first key was used again, or the client gave up long ago, this is a separate create.
        const isAnother = (uses.get(key(before)) ?? 0) > 1 || before.pauseBefore(exchange) >= LATER_MS
        return before.isUncertain && !isAnother ? false : undefined
      }
    },
  },
  'creates.new-key': {
    sentence: 'A different create has a different Idempotency-Key.',
    advice: 'Make an Idempotency-Key for each call. See docs/clients.md.',
    judge(history) {
      const used = new Map<string, string>()
      return (exchange) => {
        const own = exchange.isCreate ? key(exchange) : undefined
        if (own === undefined) return undefined
        const isFirst = used.size === 0
        const before = used.get(own)
        used.set(own, wholeRequest(exchange) ?? '')
        // It can be a repeat of the failed create, which `creates.same-key` judges.
        if (before === undefined) return isFirst || history.failedBefore(exchange) ? undefined : true
        return before === wholeRequest(exchange) ? undefined : false
      }
    },
  },
  'creates.keyless': {
    sentence:
      'The client does not repeat a create without an Idempotency-Key after a lost response, 500, 502 or 504, ' +
      'because the create can have succeeded.',
    advice: 'Send an Idempotency-Key, so that the create can be repeated. See docs/clients.md.',
    judge: (history) => (exchange) =>
      exchange.isUncertain && exchange.isCreate && !isSafe(exchange)
        ? history.nextInformed(exchange, wholeRequest) === undefined
        : undefined,
  },
}

/** Judges only first attempts, so that a client that gives up after the second keeps the lesson. */
function sentAgain(isMeant: (exchange: Exchange) => boolean): Lesson['judge'] {
  return (history) => (exchange) =>
    isMeant(exchange) && !history.failedBefore(exchange) ? history.nextAttempt(exchange) !== undefined : undefined
}
