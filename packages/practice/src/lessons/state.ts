// What a client remembers: entity tags, deprecations, and where its key belongs.

import { isOf, pathOf } from '../contract-faults/shared/requests.ts'
import type { Exchange } from '../exchange.ts'
import { comparing, type Judge, type Lessons } from '../history.ts'

const CHANGES = [
  ...['PATCH /pets/*', 'DELETE /pets/*', 'PATCH /store/orders/*', 'DELETE /store/orders/*'],
  ...['POST /store/orders/*/complete', 'POST /store/orders/*/return'],
].join('|')
const DEPRECATED = 'GET /pets/*'
const KEY = /pets_(?:live|test)_\w+/

/** The pet or order that a request reads or changes. */
const resource = ({ target }: Exchange) => pathOf(target).replace(/\/(?:complete|return)$/, '')

const isTagged = (exchange: Exchange) => exchange.status === 200 && !!exchange.answerHeader('ETag')

export const STATE_LESSONS: Lessons = {
  'etags.reads': {
    sentence: 'What was read before is read again with its ETag, in If-None-Match.',
    advice:
      'Keep the ETag of each address, and send it in If-None-Match: 304 is the answer that you have. See docs/clients.md.',
    judge: comparing(
      ({ method, target }) => (method === 'GET' ? target : undefined),
      (exchange, last) => (isTagged(exchange) && !last?.wasKnownTo(exchange) ? exchange : last),
      (exchange) => exchange.header('If-None-Match') !== undefined,
    ),
  },
  'etags.changes': {
    sentence: 'What was read is changed with its ETag, in If-Match, so that no change of others is overwritten.',
    advice: 'Send the ETag that was read in If-Match. See docs/clients.md.',
    judge: comparing(
      resource,
      (exchange, last) => (exchange.method === 'GET' && isTagged(exchange) ? exchange : last),
      (exchange) => (isOf(exchange, CHANGES) ? exchange.header('If-Match') !== undefined : undefined),
    ),
  },
  'etags.refused': {
    sentence: 'After 412 the change is not sent again with the ETag that was refused.',
    advice: 'Read again, compare, and change with the new ETag. See docs/clients.md.',
    judge: comparing(
      resource,
      (exchange, last) => (exchange.status === 412 && exchange.header('If-Match') !== undefined ? exchange : last),
      (exchange, before) =>
        isOf(exchange, CHANGES) ? exchange.header('If-Match') !== before.header('If-Match') : undefined,
    ),
  },
  'deprecated.left': {
    sentence: 'An operation is not used any more once an answer has said that it is deprecated.',
    advice: 'Use the successor that the Link of the answer names. See docs/interface.md#get-petspetid.',
    judge: () => avoiding((exchange) => exchange.answerHeader('Deprecation') !== undefined),
  },
  'deprecated.removed': {
    sentence: 'An operation that was removed (410 operation_removed) is not asked for again.',
    advice: 'Use the list with its filters. See docs/interface.md#get-petspetid.',
    judge: () => avoiding((exchange) => exchange.code === 'operation_removed'),
  },
  'key.header': {
    sentence: 'The key is sent in the header Authorization, as Bearer, and nowhere else.',
    advice: 'Send Authorization: Bearer and the key, and keep the key out of addresses. See docs/interface.md#keys.',
    judge: () => (exchange) => {
      const { target, body, headers } = exchange
      const others = headers.filter(([name]) => !/^authorization$/i.test(name)).map(([, value]) => value)
      if ([target, `${body}`, ...others].some((text) => KEY.test(text))) return false
      const authorization = exchange.header('Authorization')
      return authorization === undefined ? undefined : /^Bearer \S+$/i.test(authorization)
    },
  },
}

/** Of the deprecated operation: once an answer has said something, other requests keep the lesson, and this one misses it. */
function avoiding(isSaid: (exchange: Exchange) => boolean): Judge {
  let said: Exchange | undefined
  return (exchange) => {
    const isDeprecated = isOf(exchange, DEPRECATED)
    const wasSaid = said?.wasKnownTo(exchange)
    if (!said && isDeprecated && exchange.status !== undefined && isSaid(exchange)) said = exchange
    return wasSaid ? !isDeprecated : undefined
  }
}
