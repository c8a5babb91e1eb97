// How long a client waits: before it sends something again, and for an answer.

import { parametersOf } from '../contract-faults/shared/requests.ts'
import type { Exchange } from '../exchange.ts'
import { any, feed, type Lessons } from '../history.ts'

/** A client's timers, and its clock, may be early by as much. */
const EARLY_MS = 20
/** Less may be what a busy machine takes, or chance. */
const PAUSE_MS = 50
/** Less is no pause. */
const NO_PAUSE_MS = 5
/** A client that was idle for longer may have closed its connection. */
const KEPT_MS = 1_000
const PATIENCE_MS = 30_000
const IDLE_MS = 60_000

export const WAIT_LESSONS: Lessons = {
  'waits.retry-after': {
    sentence: 'What is sent again comes no sooner than Retry-After says.',
    advice: 'Read Retry-After, in seconds, and wait for so long. See docs/clients.md.',
    judge: (history) => (exchange) => {
      const waitMs = retryAfterMs(exchange)
      const again = waitMs === undefined ? undefined : history.retry(exchange)
      return again && exchange.pauseBefore(again) + EARLY_MS >= Number(waitMs)
    },
  },
  'waits.quiet': {
    sentence: 'After 429 nothing is sent with the same key before Retry-After has passed.',
    advice: 'Let one Retry-After hold back all requests with this key. See docs/interface.md#errors.',
    judge: (history) => (exchange) => {
      const waitMs = exchange.status === 429 ? retryAfterMs(exchange) : undefined
      const next = waitMs === undefined ? undefined : history.knowing(exchange, any)
      return next && exchange.pauseBefore(next) + EARLY_MS >= Number(waitMs)
    },
  },
  'waits.pause': {
    sentence: 'There is a pause before a request is sent again that failed without Retry-After.',
    advice: 'Wait before each attempt, at random, up to a time that doubles. See docs/clients.md.',
    judge(history) {
      const pauseAfter = (exchange: Exchange) => {
        if (!exchange.hasFailed || exchange.status === undefined) return undefined
        const again = retryAfterMs(exchange) === undefined && history.retry(exchange)
        return again ? exchange.pauseBefore(again) : undefined
      }
      // Of pauses at random some are short.
      const pauses = history.exchanges.some((exchange) => (pauseAfter(exchange) ?? 0) >= PAUSE_MS)
      return (exchange) => {
        const pause = pauseAfter(exchange)
        if (pause === undefined) return undefined
        return pause >= PAUSE_MS || (pause < NO_PAUSE_MS && !pauses ? false : undefined)
      }
    },
  },
  'waits.longer': {
    sentence: 'Of five attempts and more, the later pauses are not all shorter than half the first.',
    advice: 'Double the time up to which you wait. See docs/clients.md.',
    judge(history) {
      const chains = new Map<Exchange, number[]>()
      return (exchange) => {
        const before = history.failedBefore(exchange)
        if (!before || retryAfterMs(before) !== undefined) return undefined
        const pauses = [...(chains.get(before) ?? []), before.pauseBefore(exchange)]
        chains.set(exchange, pauses)
        const [first = 0, ...later] = pauses
        // Pauses at random are shorter at times, but not three in a row. A busy machine may have lengthened a short one.
        if (later.length < 3 || first < PAUSE_MS) return undefined
        return 2 * Math.max(...later) >= first
      }
    },
  },
  'waits.patience': {
    sentence: 'An answer that does not come is given up within 30 seconds, beyond those that `wait` allows.',
    advice: 'Set a timeout for each attempt, such as 10 seconds. See docs/clients.md.',
    judge: (history) => (exchange) => {
      if (exchange.isLost) return undefined
      const wait = feed(exchange) === undefined ? 0 : Number(parametersOf(exchange).get('wait'))
      if ((exchange.end ?? history.now) - exchange.startedAt > PATIENCE_MS + wait * 1000) return false
      return exchange.hasLeft ? true : undefined
    },
  },
  'connections.shared': {
    sentence: 'A connection is used for more than one request: there are not four in a row with one each.',
    advice: 'Keep connections open, and read each response to its end. See docs/operations.md.',
    judge() {
      let fresh = 0
      let last: Exchange | undefined
      return (exchange) => {
        const isShared = exchange.connection.first !== exchange
        const before = last
        last = exchange
        const isParallel = before !== undefined && !before.wasKnownTo(exchange)
        const isIdle = before !== undefined && before.pauseBefore(exchange) > KEPT_MS
        if (isParallel && !isShared) return undefined
        fresh = isShared || isIdle || exchange.isLost || isClosing(exchange) ? 0 : fresh + 1
        return isShared || (fresh < 4 ? undefined : false)
      }
    },
  },
  'connections.closed': {
    sentence: 'A connection that is not used for a minute is closed.',
    advice: 'Close what has been idle for a minute, or end the pool with the program. See docs/operations.md.',
    judge: (history) => (exchange) => {
      const { closedAt, last } = exchange.connection
      if (last !== exchange || exchange.isLost || exchange.hasLeft) return undefined
      const isIdle = (closedAt ?? history.now) - (exchange.end ?? history.now) > IDLE_MS
      return isIdle ? false : closedAt === undefined ? undefined : true
    },
  },
}

/** The service closes the connection. */
function isClosing(exchange: Exchange): boolean {
  return /close/i.test(exchange.answerHeader('Connection') ?? '')
}

/** Where it is in seconds. */
function retryAfterMs(exchange: Exchange): number | undefined {
  const seconds = exchange.status === undefined ? undefined : exchange.answerHeader('Retry-After')
  return seconds === undefined || !/^\d+$/.test(seconds) ? undefined : Number(seconds) * 1000
}
