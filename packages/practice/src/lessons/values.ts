// What a client does with large numbers, and with what a later version of the service may say.

import { any, codeOf, feed, hasFailed, isBlind, statusOf, wholeRequest } from '../history.ts'
import type { Exchange } from '../record.ts'
import type { Lessons } from './lesson.ts'

/** As large as those of more than 53 bits are. */
const LARGE = /(?<!\d)-?\d{16,19}(?!\d)/g
const INT64_AS_TEXT = /"(?:id|petId|categoryId)"\s*:\s*("?)/g

/** The answer that arrived has what the client cannot know. */
const isUnknown = ({ fault }: Exchange) => fault?.unknown === true
const isSuccess = (exchange: Exchange) => (statusOf(exchange) ?? 500) < 300

export const VALUE_LESSONS: Lessons = {
  'values.exact': {
    sentence: 'An integer of more than 53 bits is sent back as it came.',
    judge() {
      const exact = new Set<string>()
      const rounded = new Set<string>()
      return (exchange) => {
        const sent = `${exchange.target} ${exchange.body}`.match(LARGE) ?? []
        const isRounded = sent.some((one) => rounded.has(one) && !exact.has(one))
        const isExact = sent.some((one) => exact.has(one))
        for (const one of statusOf(exchange) === undefined ? [] : (`${exchange.response?.body}`.match(LARGE) ?? [])) {
          exact.add(one)
          rounded.add(String(BigInt(Number(one))))
        }
        return isRounded ? false : isExact || undefined
      }
    },
  },
  'values.numbers': {
    sentence: 'An int64 is sent as a number, not as text.',
    judge: () => (exchange) => {
      const quotes = [...exchange.body.toString('latin1').matchAll(INT64_AS_TEXT)].map(([, quote]) => quote)
      return quotes.length === 0 ? undefined : !quotes.includes('"')
    },
  },
  'unknown.field': {
    sentence: 'An unknown field does not stop the client: it goes on, and does not ask again.',
    judge: (history) => (exchange) => {
      if (!isUnknown(exchange) || !isSuccess(exchange) || feed(exchange) !== undefined) return undefined
      const next = history.after(exchange, any)
      return next && wholeRequest(next) !== wholeRequest(exchange)
    },
  },
  'unknown.type': {
    sentence: 'An unknown type of event does not stop the client: it reads on.',
    judge: (history) => (exchange) => {
      if (!isUnknown(exchange) || !isSuccess(exchange) || feed(exchange) === undefined) return undefined
      const next = history.after(exchange, feed)
      return next && wholeRequest(next) !== wholeRequest(exchange)
    },
  },
  'unknown.code': {
    sentence:
      'An error with an unknown code is treated by its status: sent again where that is temporary, and not otherwise.',
    judge: (history) => (exchange) => {
      if (!isUnknown(exchange) || codeOf(exchange) === undefined || history.failedBefore(exchange)) return undefined
      if (hasFailed(exchange) && isBlind(exchange)) return undefined
      return (history.again(exchange) !== undefined) === hasFailed(exchange)
    },
  },
}
