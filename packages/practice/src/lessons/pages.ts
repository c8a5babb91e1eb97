// Lessons about reading lists and the event feed to the end.

import { WAIT_MAX_S } from '../../../contract/src/generated.ts'
import { filterOf, isOf, parametersOf } from '../contract-faults/shared/requests.ts'
import type { Exchange } from '../exchange.ts'
import { comparing, feed, type Lessons, POLL_MS } from '../history.ts'

const isList = (exchange: Exchange) => isOf(exchange, 'GET /pets|GET /store/orders')
const cursorOf = (exchange: Exchange) => parametersOf(exchange).get('cursor') ?? undefined
const nextCursor = (exchange: Exchange) => exchange.nextPage?.get('cursor') ?? undefined

/** Parameters that other services use for pages. */
const GUESSES = ['page', 'offset', 'skip', 'start', 'after', 'since', 'starting_after', 'page_token']
/** A client's timers can be early by this much. */
const EARLY_MS = 20

export const PAGE_LESSONS: Lessons = {
  'pages.all': {
    sentence: 'The client follows the Link to the next page, unless it set a limit or stops at a later page.',
    advice: 'Follow the Link with rel="next" until there is none. See docs/interface.md#get-pets.',
    judge({ exchanges }) {
      const used = new Set(exchanges.filter(isList).map(cursorOf))
      const hasFollowed = exchanges.some((exchange) => isList(exchange) && used.has(nextCursor(exchange) ?? ''))
      return (exchange) => {
        const next = isList(exchange) && exchange.status === 200 ? nextCursor(exchange) : undefined
        if (next === undefined || used.has(next)) return next === undefined ? undefined : true
        return hasFollowed || parametersOf(exchange).has('limit') ? undefined : false
      }
    },
  },
  'pages.cursor': {
    sentence: 'The client requests the next page with the cursor from the service, and does not guess parameters.',
    advice: 'Use the whole target of the Link with rel="next". See docs/interface.md#get-pets.',
    judge() {
      const given = new Set<string>()
      return (exchange) => {
        if (!isList(exchange)) return undefined
        const cursor = cursorOf(exchange)
        const isGuess = GUESSES.some((name) => parametersOf(exchange).has(name))
        const links = exchange.answerHeader('Link') ?? ''
        for (const [, one = ''] of links.matchAll(/[?&]cursor=([^&>]*)/g)) given.add(decodeURIComponent(one))
        return cursor === undefined && !isGuess ? undefined : !isGuess && given.has(cursor ?? '')
      }
    },
  },
  'pages.filter': {
    sentence: 'The client sends a cursor with the filter and order it came with.',
    advice: 'Use the whole target of the Link, which has the filter and the order. See docs/interface.md#get-pets.',
    judge() {
      const given = new Map<string, string>()
      return (exchange) => {
        if (!isList(exchange)) return undefined
        const next = exchange.nextPage
        if (next) given.set(next.get('cursor') ?? '', filterOf(next))
        const wanted = given.get(cursorOf(exchange) ?? '')
        return wanted === undefined ? undefined : filterOf(parametersOf(exchange)) === wanted
      }
    },
  },
  'events.next': {
    sentence: 'The client continues the feed from the end of the last page.',
    advice: 'Save the cursor of the Link and continue from it, also after a restart. See docs/events.md.',
    judge: comparing(
      feed,
      (exchange, last) => (exchange.status === 200 ? exchange : exchange.code === 'cursor_expired' ? undefined : last),
      (exchange, before) => (nextCursor(before) === undefined ? undefined : cursorOf(exchange) === nextCursor(before)),
    ),
  },
  'events.wait': {
    sentence: 'At the end of the feed, the client uses `wait`, or waits at least a second before it polls again.',
    advice: `Send wait=${WAIT_MAX_S}: the response arrives with the next event. See docs/events.md.`,
    judge: comparing(
      feed,
      (exchange) => (exchange.status === 200 && `${exchange.response?.body}` === '[]' ? exchange : undefined),
      (exchange, before) =>
        Number(parametersOf(exchange).get('wait')) > 0 || before.pauseBefore(exchange) + EARLY_MS >= POLL_MS,
    ),
  },
  'events.anew': {
    sentence: 'After 410 cursor_expired, the client starts the feed again without the cursor.',
    advice: 'Start without a cursor, and treat all events as new. See docs/events.md.',
    judge: comparing(
      feed,
      (exchange) => (exchange.code === 'cursor_expired' ? exchange : undefined),
      (exchange, before) => (cursorOf(before) === undefined ? undefined : cursorOf(exchange) !== cursorOf(before)),
    ),
  },
}
