// What is sent again, and what is not.

import type { Exchange } from '../exchange.ts'
import { any, authorization, type Lesson, type Lessons, POLL_MS, wholeRequest } from '../history.ts'

/** After such a pause an equal create is a new one. */
const LATER_MS = 30_000
const key = (exchange: Exchange) => exchange.header('Idempotency-Key')
/** May be sent again without a second effect, and undoes nothing that others have changed. */
const isSafe = (exchange: Exchange) => (exchange.isCreate ? key(exchange) !== undefined : !exchange.isBlind)
/** Sending it again may do it twice, or undo what others have changed. */
const isRisky = (exchange: Exchange) => exchange.isBlind || (exchange.isUncertain && !isSafe(exchange))
const isRefused = (exchange: Exchange) => {
  const status = exchange.status ?? 0
  return status >= 400 && status < 500 && status !== 401 && status !== 412 && !exchange.hasFailed
}

export const RETRY_LESSONS: Lessons = {
  'retries.temporary': {
    sentence:
      'A request that failed for a time (408, 429, 500, 502, 503, 504, idempotency_in_flight) is sent again; ' +
      'a PATCH without If-Match need not be, nor after 500, 502 and 504 a create without an Idempotency-Key.',
    advice: 'Send it again after a pause, up to a limit. See docs/clients.md.',
    judge: sentAgain((exchange) => exchange.status !== undefined && exchange.hasFailed && !isRisky(exchange)),
  },
  'retries.lost': {
    sentence: 'A request whose answer did not arrive is sent again, where that is safe.',
    advice: 'Send reads, and creates with an Idempotency-Key, again. See docs/clients.md.',
    judge: sentAgain((exchange) => exchange.isLost && exchange.fault?.cut !== undefined && isSafe(exchange)),
  },
  'retries.truncated': {
    sentence: 'Half an answer is not taken for a whole one: the request is sent again, where that is safe.',
    advice: 'Compare the body with Content-Length, and send the request again. See docs/clients.md.',
    judge: sentAgain((exchange) => exchange.isLost && exchange.fault?.truncate !== undefined && isSafe(exchange)),
  },
  'retries.refused': {
    sentence: 'A request that was refused (400, 403, 404, 409 and the like) is not sent again as it was.',
    advice: 'Report the error with its message. Another attempt gets the same answer. See docs/interface.md#errors.',
    judge: (history) => (exchange) => {
      if (!isRefused(exchange)) return undefined
      const next = history.knowing(exchange, any)
      if (next === undefined || next !== history.knowing(exchange, wholeRequest)) return true
      // The client may wait for something that others change.
      const isAnother = exchange.status === 409 && (!exchange.isCreate || key(next) !== key(exchange))
      const isLater = isAnother && exchange.pauseBefore(next) >= POLL_MS
      return isLater || history.isPolling(exchange, next) ? undefined : false
    },
  },
  'retries.unauthorized': {
    sentence: 'After 401 nothing is sent with the same key.',
    advice: 'Stop, and ask for another API key. See docs/interface.md#keys.',
    judge: (history) => (exchange) =>
      exchange.status === 401 && authorization(exchange) !== undefined
        ? history.knowing(exchange, authorization) === undefined
        : undefined,
  },
  'creates.key': {
    sentence: 'Each create has an Idempotency-Key.',
    advice: 'Send an Idempotency-Key with every create: a new UUID. See docs/clients.md.',
    judge: () => (exchange) => (exchange.isCreate ? key(exchange) !== undefined : undefined),
  },
  'creates.same-key': {
    sentence: 'A create that is sent again has the Idempotency-Key that it had.',
    advice: 'Make the Idempotency-Key before the first attempt, and keep it for all. See docs/clients.md.',
    judge(history) {
      const uses = new Map<string | undefined, number>()
      for (const exchange of history.exchanges) uses.set(key(exchange), (uses.get(key(exchange)) ?? 0) + 1)
      return (exchange) => {
        const before = history.failedBefore(exchange)
        if (!before || !exchange.isCreate || key(before) === undefined) return undefined
        if (key(exchange) === key(before)) return true
        // Where the first key came again, this is a create of its own, beside it or after the client had given up.
        const isAnother = (uses.get(key(before)) ?? 0) > 1 || before.pauseBefore(exchange) >= LATER_MS
        return before.isUncertain && !isAnother ? false : undefined
      }
    },
  },
  'creates.new-key': {
    sentence: 'Another create has another Idempotency-Key.',
    advice: 'Make an Idempotency-Key for each call. See docs/clients.md.',
    judge(history) {
      const used = new Map<string, string>()
      return (exchange) => {
        const own = exchange.isCreate ? key(exchange) : undefined
        if (own === undefined) return undefined
        const isFirst = used.size === 0
        const before = used.get(own)
        used.set(own, wholeRequest(exchange) ?? '')
        // It may be the create that failed, which should have come with its first key.
        if (before === undefined) return isFirst || history.failedBefore(exchange) ? undefined : true
        return before === wholeRequest(exchange) ? undefined : false
      }
    },
  },
  'creates.keyless': {
    sentence:
      'A create without an Idempotency-Key is not sent again when its answer was lost or was 500, 502 or 504: ' +
      'it may have been done.',
    advice: 'Send an Idempotency-Key: with it the create can be sent again. See docs/clients.md.',
    judge: (history) => (exchange) =>
      exchange.isUncertain && exchange.isCreate && !isSafe(exchange)
        ? history.knowing(exchange, wholeRequest) === undefined
        : undefined,
  },
}

/** Of those, the first attempts: whoever gives up after the second has kept the lesson. */
function sentAgain(isMeant: (exchange: Exchange) => boolean): Lesson['judge'] {
  return (history) => (exchange) =>
    isMeant(exchange) && !history.failedBefore(exchange) ? history.again(exchange) !== undefined : undefined
}
