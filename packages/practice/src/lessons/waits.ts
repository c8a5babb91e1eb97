// How long a client waits: before it sends something again, and for an answer.

import { any, endOf, feed, hasFailed, hasLeft, isLost, responseHeader, statusOf } from '../history.ts'
import { parametersOf } from '../lie-builders.ts'
import type { Exchange } from '../record.ts'
import type { Lessons } from './lesson.ts'

/** A client's timers, and its clock, may be early by as much. */
const EARLY_MS = 20
/** Less is no pause: it is what a busy machine takes. */
const PAUSE_MS = 50
const PATIENCE_MS = 30_000
const IDLE_MS = 60_000

export const WAIT_LESSONS: Lessons = {
  'waits.retry-after': {
    sentence: 'What is sent again comes no sooner than Retry-After says.',
    judge: (history) => (exchange) => {
      const waitMs = retryAfterMs(exchange)
      const again = waitMs === undefined ? undefined : history.again(exchange)
      return again && pauseBetween(exchange, again) + EARLY_MS >= Number(waitMs)
    },
  },
  'waits.quiet': {
    sentence: 'After 429 nothing at all is sent before Retry-After has passed.',
    judge: (history) => (exchange) => {
      const waitMs = statusOf(exchange) === 429 ? retryAfterMs(exchange) : undefined
      const next = waitMs === undefined ? undefined : history.after(exchange, any)
      return next && pauseBetween(exchange, next) + EARLY_MS >= Number(waitMs)
    },
  },
  'waits.pause': {
    sentence: 'There is a pause before a request is sent again that failed without Retry-After.',
    judge: (history) => (exchange) => {
      if (!hasFailed(exchange) || statusOf(exchange) === undefined || retryAfterMs(exchange) !== undefined) return
      const again = history.again(exchange)
      return again && pauseBetween(exchange, again) >= PAUSE_MS
    },
  },
  'waits.longer': {
    sentence: 'The pause before the third attempt and each later one is no shorter than that before the second.',
    judge(history) {
      const first = new Map<Exchange, number>()
      return (exchange) => {
        const before = history.failedBefore(exchange)
        if (!before || retryAfterMs(before) !== undefined) return undefined
        const pause = pauseBetween(before, exchange)
        const shortest = first.get(before)
        first.set(exchange, shortest ?? pause)
        // A busy machine may have lengthened the first.
        return shortest === undefined || shortest < PAUSE_MS ? undefined : 2 * pause >= shortest
      }
    },
  },
  'waits.patience': {
    sentence: 'An answer that does not come is given up within 30 seconds, beyond those that `wait` allows.',
    judge: (history) => (exchange) => {
      if (isLost(exchange)) return undefined
      const wait = feed(exchange) === undefined ? 0 : Number(parametersOf(exchange).get('wait'))
      if ((endOf(exchange) ?? history.now) - exchange.startedAt > PATIENCE_MS + wait * 1000) return false
      return hasLeft(exchange) ? true : undefined
    },
  },
  'connections.shared': {
    sentence: 'A connection is used for more than one request: there are not four in a row with one each.',
    judge() {
      let fresh = 0
      const seen = new Set<Exchange['connection']>()
      return (exchange) => {
        const isShared = seen.has(exchange.connection)
        seen.add(exchange.connection)
        fresh = isShared || isLost(exchange) ? 0 : fresh + 1
        return isShared || (fresh < 4 ? undefined : false)
      }
    },
  },
  'connections.closed': {
    sentence: 'A connection that is not used for a minute is closed.',
    judge(history) {
      const last = new Map(history.exchanges.map((exchange) => [exchange.connection, exchange]))
      return (exchange) => {
        if (last.get(exchange.connection) !== exchange || isLost(exchange) || hasLeft(exchange)) return undefined
        const { closedAt } = exchange.connection
        const isIdle = (closedAt ?? history.now) - (endOf(exchange) ?? history.now) > IDLE_MS
        return isIdle ? false : closedAt === undefined ? undefined : true
      }
    },
  },
}

/** Where it is in seconds. */
function retryAfterMs(exchange: Exchange): number | undefined {
  const seconds = statusOf(exchange) === undefined ? undefined : responseHeader(exchange, 'Retry-After')
  return seconds === undefined || !/^\d+$/.test(seconds) ? undefined : Number(seconds) * 1000
}

function pauseBetween(exchange: Exchange, next: Exchange): number {
  return next.startedAt - (endOf(exchange) ?? 0)
}
