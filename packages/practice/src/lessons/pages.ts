// How a client reads lists and the feed of events to their ends.

import { codeOf, feed, nextPage, responseHeader, statusOf } from '../history.ts'
import { isOf, parametersOf } from '../lie-builders.ts'
import type { Exchange } from '../record.ts'
import type { Lessons } from './lesson.ts'

const isList = (exchange: Exchange) => isOf(exchange, 'GET /pets|GET /store/orders')
const cursorOf = (exchange: Exchange) => parametersOf(exchange).get('cursor') ?? undefined
const nextCursor = (exchange: Exchange) => nextPage(exchange)?.get('cursor') ?? undefined

/** The names under which clients of other services ask for a page. */
const GUESSES = ['page', 'offset', 'skip', 'start', 'after', 'since', 'starting_after', 'page_token']
/** Between two questions whether something has happened. */
const POLL_MS = 1_000

export const PAGE_LESSONS: Lessons = {
  'pages.all': {
    sentence: 'Each Link to the next page is followed.',
    judge({ exchanges }) {
      const used = new Set(exchanges.filter(isList).map(cursorOf))
      return (exchange) => {
        const next = isList(exchange) && statusOf(exchange) === 200 ? nextCursor(exchange) : undefined
        return next === undefined ? undefined : used.has(next)
      }
    },
  },
  'pages.cursor': {
    sentence: 'The next page is not guessed: it is asked for by a cursor that the service gave.',
    judge() {
      const given = new Set<string>()
      return (exchange) => {
        if (!isList(exchange)) return undefined
        const cursor = cursorOf(exchange)
        const isGuess = GUESSES.some((name) => parametersOf(exchange).has(name))
        const links = responseHeader(exchange, 'Link') ?? ''
        for (const [, one = ''] of links.matchAll(/[?&]cursor=([^&>]*)/g)) given.add(decodeURIComponent(one))
        return cursor === undefined && !isGuess ? undefined : !isGuess && given.has(cursor ?? '')
      }
    },
  },
  'pages.filter': {
    sentence: 'A cursor is sent with the filter and the order that it was given with.',
    judge() {
      const given = new Map<string, string>()
      return (exchange) => {
        if (!isList(exchange)) return undefined
        const next = nextPage(exchange)
        if (next) given.set(next.get('cursor') ?? '', filterOf(next))
        const wanted = given.get(cursorOf(exchange) ?? '')
        return wanted === undefined ? undefined : filterOf(parametersOf(exchange)) === wanted
      }
    },
  },
  'events.next': {
    sentence: 'The feed is read on from where the page before ended.',
    judge() {
      let page: string | undefined
      return (exchange) => {
        if (feed(exchange) === undefined) return undefined
        const before = page
        const cursor = cursorOf(exchange)
        if (statusOf(exchange) === 200) page = nextCursor(exchange)
        else if (codeOf(exchange) === 'cursor_expired') page = undefined
        return before === undefined ? undefined : cursor === before
      }
    },
  },
  'events.wait': {
    sentence: 'At the end of the feed the client asks with `wait`, or a second later at the earliest.',
    judge() {
      let emptyAt: number | undefined
      return (exchange) => {
        if (feed(exchange) === undefined) return undefined
        const before = emptyAt
        emptyAt = statusOf(exchange) === 200 && `${exchange.response?.body}` === '[]' ? exchange.endedAt : undefined
        if (before === undefined) return undefined
        return Number(parametersOf(exchange).get('wait')) > 0 || exchange.startedAt - before >= POLL_MS
      }
    },
  },
  'events.anew': {
    sentence: 'After 410 cursor_expired the feed is read anew, without the cursor.',
    judge() {
      let expired: string | undefined
      return (exchange) => {
        if (feed(exchange) === undefined) return undefined
        const before = expired
        expired = codeOf(exchange) === 'cursor_expired' ? cursorOf(exchange) : undefined
        return before === undefined ? undefined : cursorOf(exchange) !== before
      }
    },
  },
}

function filterOf(parameters: URLSearchParams): string {
  const others = [...parameters].filter(([name]) => name !== 'cursor' && name !== 'limit')
  return others
    .map((one) => one.join('='))
    .sort()
    .join('&')
}
