// What is sent again, and what is not.

import {
  any,
  authorization,
  hasFailed,
  isBlind,
  isCreate,
  isLost,
  requestHeader,
  statusOf,
  wholeRequest,
} from '../history.ts'
import type { Exchange } from '../record.ts'
import type { Lesson, Lessons } from './lesson.ts'

const key = (exchange: Exchange) => requestHeader(exchange, 'Idempotency-Key')
/** May be sent again without a second effect, and undoes nothing that others have changed. */
const isSafe = (exchange: Exchange) => (isCreate(exchange) ? key(exchange) !== undefined : !isBlind(exchange))
const isRefused = (exchange: Exchange) => {
  const status = statusOf(exchange) ?? 0
  return status >= 400 && status < 500 && status !== 401 && status !== 412 && !hasFailed(exchange)
}

export const RETRY_LESSONS: Lessons = {
  'retries.temporary': {
    sentence:
      'A request that failed for a time (408, 429, 500, 502, 503, 504, idempotency_in_flight) is sent again; ' +
      'a PATCH without If-Match need not be.',
    judge: sentAgain((exchange) => statusOf(exchange) !== undefined && hasFailed(exchange) && !isBlind(exchange)),
  },
  'retries.lost': {
    sentence: 'A request whose answer did not arrive is sent again, where that is safe.',
    judge: sentAgain((exchange) => isLost(exchange) && exchange.fault?.cut !== undefined && isSafe(exchange)),
  },
  'retries.truncated': {
    sentence: 'Half an answer is not taken for a whole one: the request is sent again, where that is safe.',
    judge: sentAgain((exchange) => isLost(exchange) && exchange.fault?.truncate !== undefined && isSafe(exchange)),
  },
  'retries.refused': {
    sentence: 'A request that was refused (400, 403, 404, 409 and the like) is not sent again as it was.',
    judge: (history) => (exchange) => {
      if (!isRefused(exchange)) return undefined
      const next = history.after(exchange, any)
      return next === undefined || next !== history.again(exchange)
    },
  },
  'retries.unauthorized': {
    sentence: 'After 401 nothing is sent with the same key.',
    judge: (history) => (exchange) =>
      statusOf(exchange) === 401 ? history.after(exchange, authorization) === undefined : undefined,
  },
  'creates.key': {
    sentence: 'Each create has an Idempotency-Key.',
    judge: () => (exchange) => (isCreate(exchange) ? key(exchange) !== undefined : undefined),
  },
  'creates.same-key': {
    sentence: 'A create that is sent again has the Idempotency-Key that it had.',
    judge: (history) => (exchange) => {
      const before = history.failedBefore(exchange)
      return before && isCreate(exchange) && key(before) !== undefined ? key(exchange) === key(before) : undefined
    },
  },
  'creates.new-key': {
    sentence: 'Another create has another Idempotency-Key.',
    judge() {
      const used = new Map<string, string>()
      return (exchange) => {
        const own = isCreate(exchange) ? key(exchange) : undefined
        if (own === undefined) return undefined
        const isFirst = used.size === 0
        const before = used.get(own)
        used.set(own, wholeRequest(exchange) ?? '')
        if (before === undefined) return isFirst ? undefined : true
        return before === wholeRequest(exchange) ? undefined : false
      }
    },
  },
  'creates.keyless': {
    sentence: 'A create without an Idempotency-Key is not sent again when its answer was lost: it may have been done.',
    judge: (history) => (exchange) =>
      isLost(exchange) && isCreate(exchange) && !isSafe(exchange) ? history.again(exchange) === undefined : undefined,
  },
}

/** Of those, the first attempts: whoever gives up after the second has kept the lesson. */
function sentAgain(isMeant: (exchange: Exchange) => boolean): Lesson['judge'] {
  return (history) => (exchange) =>
    isMeant(exchange) && !history.failedBefore(exchange) ? history.again(exchange) !== undefined : undefined
}
