// Lessons about pauses and timeouts.

import { parametersOf } from '../contract-faults/shared/requests.ts'
import type { Exchange } from '../exchange.ts'
import { any, feed, type Lessons } from '../history.ts'

/** A client's timers and clock can be early by this much. */
const EARLY_MS = 20
/** A shorter pause can be accidental, such as on a busy machine. */
const PAUSE_MS = 50
/** A shorter time does not count as a pause at all. */
const NO_PAUSE_MS = 5
const PATIENCE_MS = 30_000

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
}

/** Returns Retry-After in milliseconds if it is a number of seconds. */
function retryAfterMs(exchange: Exchange): number | undefined {
  const seconds = exchange.status === undefined ? undefined : exchange.answerHeader('Retry-After')
  return seconds === undefined || !/^\d+$/.test(seconds) ? undefined : Number(seconds) * 1000
}
