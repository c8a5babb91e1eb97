// Lessons about entity tags, deprecations and the API key.

import { isOf, pathOf } from '../contract-faults/shared/requests.ts'
import type { Exchange } from '../exchange.ts'
import { comparing, type Judge, type Lessons } from '../history.ts'

/** These can overwrite another client's change. */
const OVERWRITES = 'PATCH /pets/*|DELETE /pets/*|PATCH /store/orders/*'
const CHANGES = `${OVERWRITES}|DELETE /store/orders/*|POST /store/orders/*/complete|POST /store/orders/*/return`
const DEPRECATED = 'GET /pets/*'
const KEY = /pets_(?:live|test)_\w+/

/** Returns the path of the pet or order that a request reads or changes. */
const resource = ({ target }: Exchange) => pathOf(target).replace(/\/(?:complete|return)$/, '')

const isTagged = (exchange: Exchange) => exchange.status === 200 && !!exchange.answerHeader('ETag')

export const STATE_LESSONS: Lessons = {
  'etags.reads': {
    sentence: 'The client repeats a read with the ETag in If-None-Match.',
    advice: 'Send the ETag of the last response in If-None-Match. 304 means that nothing changed. See docs/clients.md.',
    judge: comparing(
      ({ method, target }) => (method === 'GET' ? target : undefined),
      (exchange, last) => (isTagged(exchange) && !last?.wasKnownTo(exchange) ? exchange : last),
      (exchange) => exchange.header('If-None-Match') !== undefined,
    ),
  },
  'etags.changes': {
    sentence:
      'The client sends the ETag in If-Match with PATCH, and when it deletes a pet, so that it overwrites no change.',
    advice: 'Send the ETag of the last read in If-Match. See docs/clients.md.',
    judge: comparing(
      resource,
      (exchange, last) => (exchange.method === 'GET' && isTagged(exchange) ? exchange : last),
      (exchange) => {
        if (!isOf(exchange, CHANGES)) return undefined
        return exchange.header('If-Match') !== undefined || (isOf(exchange, OVERWRITES) ? false : undefined)
      },
    ),
  },
  'etags.refused': {
    sentence: 'After 412, the client does not repeat the change with the refused ETag.',
    advice: 'Read again, compare, and change with the new ETag. See docs/clients.md.',
    judge: comparing(
      resource,
      (exchange, last) => (exchange.status === 412 && exchange.header('If-Match') !== undefined ? exchange : last),
      (exchange, before) =>
        isOf(exchange, CHANGES) ? exchange.header('If-Match') !== before.header('If-Match') : undefined,
    ),
  },
  'deprecated.left': {
    sentence: 'The client stops using an operation once a response marks it as deprecated.',
    advice: 'Use the successor in the Link header. See docs/interface.md#get-petspetid.',
    judge: () => avoiding((exchange) => exchange.answerHeader('Deprecation') !== undefined),
  },
  'deprecated.removed': {
    sentence: 'The client does not use an operation again after 410 operation_removed.',
    advice: 'Use the list with its filters. See docs/interface.md#get-petspetid.',
    judge: () => avoiding((exchange) => exchange.code === 'operation_removed'),
  },
  'key.header': {
    sentence: 'The client sends the key only in the Authorization header, as Bearer.',
    advice: 'Send the key in Authorization: Bearer, and keep it out of URLs. See docs/interface.md#keys.',
    judge: () => (exchange) => {
      const { target, body, headers } = exchange
      const others = headers.filter(([name]) => !/^authorization$/i.test(name)).map(([, value]) => value)
      if ([target, `${body}`, ...others].some((text) => KEY.test(text))) return false
      const authorization = exchange.header('Authorization')
      return authorization === undefined ? undefined : /^Bearer \S+$/i.test(authorization)
    },
  },
}

/** After a response that `isSaid` accepts, the deprecated operation misses the lesson, and other requests keep it. */
function avoiding(isSaid: (exchange: Exchange) => boolean): Judge {
  let said: Exchange | undefined
  return (exchange) => {
    const isDeprecated = isOf(exchange, DEPRECATED)
    const wasSaid = said?.wasKnownTo(exchange)
    if (!said && isDeprecated && exchange.status !== undefined && isSaid(exchange)) said = exchange
    return wasSaid ? !isDeprecated : undefined
  }
}
