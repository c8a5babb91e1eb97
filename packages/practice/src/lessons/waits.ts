// Lessons about pauses, timeouts and connections.

import { parametersOf } from '../contract-faults/shared/requests.ts'
import type { Exchange } from '../exchange.ts'
import { any, feed, type Lessons } from '../history.ts'

/** A client's timers and clock can be early by this much. */
const EARLY_MS = 20
/** A shorter pause can be accidental, such as on a busy machine. */
const PAUSE_MS = 50
/** A shorter time does not count as a pause at all. */
const NO_PAUSE_MS = 5
/** A client may open a new connection after it was idle for longer than this. */
const KEPT_MS = 1_000
const PATIENCE_MS = 30_000
const IDLE_MS = 60_000

export const WAIT_LESSONS: Lessons = {
  'waits.retry-after': {
    sentence: 'The client retries no sooner than Retry-After allows.',
    advice: 'Read Retry-After, in seconds, and wait that long. See docs/clients.md.',
    judge: (history) => (exchange) => {
      const waitMs = retryAfterMs(exchange)
      const again = waitMs === undefined ? undefined : history.nextRetry(exchange)
      return again && exchange.pauseBefore(again) + EARLY_MS >= Number(waitMs)
    },
  },
  'waits.quiet': {
    sentence: 'After 429, the client sends nothing with the same key until Retry-After has passed.',
    advice: 'Apply Retry-After to all requests with this key. See docs/interface.md#errors.',
    judge: (history) => (exchange) => {
      const waitMs = exchange.status === 429 ? retryAfterMs(exchange) : undefined
      const next = waitMs === undefined ? undefined : history.nextInformed(exchange, any)
      return next && exchange.pauseBefore(next) + EARLY_MS >= Number(waitMs)
    },
  },
  'waits.pause': {
    sentence: 'The client pauses before it retries a request that failed without Retry-After.',
    advice: 'Wait a random time before each retry, up to a limit that doubles. See docs/clients.md.',
    judge(history) {
      const pauseAfter = (exchange: Exchange) => {
        if (!exchange.hasFailed || exchange.status === undefined) return undefined
        const again = retryAfterMs(exchange) === undefined && history.nextRetry(exchange)
        return again ? exchange.pauseBefore(again) : undefined
      }
      // Random pauses can be short, so one real pause shows that the client pauses.
      const pauses = history.exchanges.some((exchange) => (pauseAfter(exchange) ?? 0) >= PAUSE_MS)
      return (exchange) => {
        const pause = pauseAfter(exchange)
        if (pause === undefined) return undefined
        return pause >= PAUSE_MS || (pause < NO_PAUSE_MS && !pauses ? false : undefined)
      }
    },
  },
  'waits.longer': {
    sentence: 'Over five or more attempts, at least one later pause is at least half as long as the first.',
    advice: 'Double the limit of the random pause with each attempt. See docs/clients.md.',
    judge(history) {
      const chains = new Map<Exchange, number[]>()
      return (exchange) => {
        const before = history.failedBefore(exchange)
        if (!before || retryAfterMs(before) !== undefined) return undefined
        const pauses = [...(chains.get(before) ?? []), before.pauseBefore(exchange)]
        chains.set(exchange, pauses)
        const [first = 0, ...later] = pauses
        // Three random pauses in a row are hardly ever all short. A first pause below PAUSE_MS can be accidental, so
        // it is not compared.
        if (later.length < 3 || first < PAUSE_MS) return undefined
        return 2 * Math.max(...later) >= first
      }
    },
  },
  'waits.patience': {
    sentence: 'The client gives up on a response after at most 30 seconds, plus the time in `wait`.',
    advice: 'Set a timeout for each attempt, such as 10 seconds. See docs/clients.md.',
    judge: (history) => (exchange) => {
      if (exchange.isLost) return undefined
      const wait = feed(exchange) === undefined ? 0 : Number(parametersOf(exchange).get('wait'))
      if ((exchange.end ?? history.now) - exchange.startedAt > PATIENCE_MS + wait * 1000) return false
      return exchange.hasLeft ? true : undefined
    },
  },
  'connections.shared': {
    sentence: 'The client reuses connections: it does not open a new one for each of four requests in a row.',
    advice: 'Keep connections open, and read each response to the end. See docs/operations.md.',
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
    sentence: 'The client closes a connection that is idle for a minute.',
    advice: 'Close connections that are idle for a minute, or when the program ends. See docs/operations.md.',
    judge: (history) => (exchange) => {
      const { closedAt, last } = exchange.connection
      if (last !== exchange || exchange.isLost || exchange.hasLeft) return undefined
      const isIdle = (closedAt ?? history.now) - (exchange.end ?? history.now) > IDLE_MS
      return isIdle ? false : closedAt === undefined ? undefined : true
    },
  },
}

/** Whether the service closes the connection after its response. */
function isClosing(exchange: Exchange): boolean {
  return /close/i.test(exchange.answerHeader('Connection') ?? '')
}

/** Returns Retry-After in milliseconds if it is a number of seconds. */
function retryAfterMs(exchange: Exchange): number | undefined {
  const seconds = exchange.status === undefined ? undefined : exchange.answerHeader('Retry-After')
  return seconds === undefined || !/^\d+$/.test(seconds) ? undefined : Number(seconds) * 1000
}
