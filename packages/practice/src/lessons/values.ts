// Lessons about large numbers, and about values of later versions of the service.

import type { Exchange } from '../exchange.ts'
import { any, attempt, feed, type History, type Lessons, POLL_MS, wholeRequest } from '../history.ts'

const NUMBER = /(?<![\w.-])-?\d+(?:\.\d+)?(?:e\+?\d{1,2})?(?![\w.-])/gi
/** How many digits of a 53-bit number programming languages print. */
const DIGITS = [6, 15, 16, 17]
const INT64_AS_TEXT = /"(?:id|petId|categoryId)"\s*:\s*("?)/g

/** The response has a value that the client cannot know. */
const isUnknown = ({ fault }: Exchange) => fault?.unknown === true
const isKeyless = (exchange: Exchange) =>
  exchange.isCreate && exchange.isUncertain && exchange.header('Idempotency-Key') === undefined
const isSuccess = (exchange: Exchange) => (exchange.status ?? 500) < 300

export const VALUE_LESSONS: Lessons = {
  'values.exact': {
    sentence: 'The client sends back integers of more than 53 bits unchanged.',
    advice: 'Read integers as 64 bits: BigInt or text in JavaScript, int64 or long elsewhere. See docs/clients.md.',
    judge() {
      const exact = new Set<bigint>()
      const rounded = new Set<bigint>()
      return (exchange) => {
        const sent = largeOf(`${decoded(exchange.target)} ${exchange.body}`)
        const isRounded = sent.some((one) => rounded.has(one) && !exact.has(one))
        const isExact = sent.some((one) => exact.has(one))
        for (const one of exchange.status === undefined ? [] : largeOf(`${exchange.response?.body}`)) {
          exact.add(one)
          rounded.add(BigInt(Number(one)))
          for (const digits of DIGITS) rounded.add(integerOf(Number(one).toPrecision(digits)))
        }
        return isRounded ? false : isExact || undefined
      }
    },
  },
  'values.numbers': {
    sentence: 'The client sends an int64 as a number, not as text.',
    advice: 'Write the digits without quotes. See docs/clients.md.',
    judge: () => (exchange) => {
      const quotes = [...exchange.body.toString('latin1').matchAll(INT64_AS_TEXT)].map(([, quote]) => quote)
      return quotes.length === 0 ? undefined : !quotes.includes('"')
    },
  },
  'unknown.field': {
    sentence: 'The client ignores an unknown field: it continues with another request, and does not repeat this one.',
    advice: 'Ignore unknown fields. Let a client that has finished send one more request. See docs/clients.md.',
    judge: (history) => (exchange) => {
      if (!isUnknown(exchange) || !isSuccess(exchange) || feed(exchange) !== undefined) return undefined
      const next = history.nextInformed(exchange, any)
      if (next && (attempt(next) !== attempt(exchange) || exchange.pauseBefore(next) >= POLL_MS)) return true
      if (next) return exchange.isParallelTo(next) || history.isPolling(exchange, next) ? undefined : false
      // A client that polls can be about to read again.
      const isEarly = history.now - (exchange.end ?? 0) < 2 * (history.pace(exchange) ?? 0)
      return isLast(history, exchange) && !isEarly ? false : undefined
    },
  },
  'unknown.type': {
    sentence: 'The client skips an event of an unknown type, and continues reading.',
    advice: 'Skip events of unknown types, and follow the Link. See docs/events.md.',
    judge: (history) => (exchange) => {
      if (!isUnknown(exchange) || !isSuccess(exchange) || feed(exchange) === undefined) return undefined
      const next = history.nextLater(exchange, feed)
      return next && wholeRequest(next) !== wholeRequest(exchange)
    },
  },
  'unknown.code': {
    sentence: 'The client handles an error with an unknown code by its status, and only retries temporary errors.',
    advice: 'Handle an unknown code by its status. See docs/interface.md#errors.',
    judge: (history) => (exchange) => {
      if (!isUnknown(exchange) || exchange.code === undefined || history.failedBefore(exchange)) return undefined
      if (exchange.hasFailed && (exchange.isBlind || isKeyless(exchange))) return undefined
      const again = history.nextAttempt(exchange)
      if (again && !exchange.hasFailed && history.isPolling(exchange, again)) return undefined
      return (again !== undefined) === exchange.hasFailed
    },
  },
}

/** Returns the integers beyond 2^53, written with digits or an exponent. */
function largeOf(text: string): bigint[] {
  const texts = text.match(NUMBER) ?? []
  const isLarge = (size: number) => size > Number.MAX_SAFE_INTEGER && size < 1e20
  return texts.filter((one) => isLarge(Math.abs(Number(one)))).map(integerOf)
}

/** `number` is a decimal integer, which can have an exponent. */
function integerOf(number: string): bigint {
  const [digits = '', exponent = '0'] = number.toLowerCase().split('e')
  const [whole = '', fraction = ''] = digits.split('.')
  return BigInt(whole + fraction.padEnd(Number(exponent), '0').slice(0, Number(exponent)))
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}

/** Whether no other request came after this one or at the same time. */
function isLast({ exchanges }: History, exchange: Exchange): boolean {
  const before = exchanges.at(-2)
  return exchanges.at(-1) === exchange && (before === undefined || before.wasKnownTo(exchange))
}
