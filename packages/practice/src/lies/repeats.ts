// Lies about requests that are sent again under an Idempotency-Key, of pets and of orders alike.

import {
  at,
  errorAnswer,
  header,
  isOf,
  type Lie,
  type Lies,
  objectOf,
  sentHeader,
  textOf,
  under,
} from '../lie-builders.ts'
import { headerOf, withHeader } from '../messages.ts'
import type { Answered, Asked, Behaviour } from '../proxy.ts'
import { CREATE, hasHeader, PLACE } from './words.ts'

const KEY = 'Idempotency-Key'
const MISMATCH = errorAnswer(422, 'idempotency_mismatch')

interface Exchange {
  asked: Asked
  answered: Answered
}

/** `answer` may answer a request under an Idempotency-Key that was used before. */
function remembering(operation: string, answer: (asked: Asked, first: Exchange) => Answered | undefined): Lie {
  return () => {
    const exchanges = new Map<string, Exchange>()
    return async (asked, pass) => {
      const value = isOf(asked, operation) ? headerOf(asked.headers, KEY) : undefined
      const first = value === undefined ? undefined : exchanges.get(value)
      const answered = (first && answer(asked, first)) ?? (await pass(asked))
      if (value !== undefined && !first) exchanges.set(value, { asked, answered })
      return answered
    }
  }
}

/** Two requests with one Idempotency-Key at the same time are carried out both. */
function withoutKeyWhileRunning(operation: string): Lie {
  return () => {
    const running = new Set<string>()
    return async (asked, pass) => {
      const key = isOf(asked, operation) ? headerOf(asked.headers, KEY) : undefined
      if (key === undefined) return pass(asked)
      if (running.has(key)) return pass({ ...asked, headers: withHeader(asked.headers, KEY, undefined) })
      running.add(key)
      try {
        return await pass(asked)
      } finally {
        running.delete(key)
      }
    }
  }
}

/** A replay shows what was created as it is now. */
function replayingNow(operation: string): Lie {
  return (): Behaviour => async (asked, pass) => {
    const answered = await pass(asked)
    if (!isOf(asked, operation) || headerOf(answered.headers, 'Idempotency-Replayed') === undefined) return answered
    const target = `${asked.target}/${textOf(objectOf(answered).get('id'))}`
    const { body } = await pass({ ...asked, method: 'GET', target, body: Buffer.alloc(0) })
    return { ...answered, body }
  }
}

const isSameBody = (asked: Asked, first: Exchange) => asked.body.equals(first.asked.body)
const isSameKey = (asked: Asked, first: Exchange) =>
  headerOf(asked.headers, 'Authorization') === headerOf(first.asked.headers, 'Authorization')

function ofRepeats(operation: string): Lies {
  const keyed = (change: (key: string) => string | undefined): Lie => at(operation).asking(sentHeader(KEY, change))
  return {
    replay: keyed(() => undefined),
    'replayed-header': at(operation, 201).answering(header('Idempotency-Replayed', undefined)),
    etag: at(operation, 201, (_, { headers }) => headerOf(headers, 'Idempotency-Replayed') !== undefined).answering(
      header('ETag', '"another"'),
    ),
    quotes: keyed((key) => key.replace(/^"(.{1,250})"$/, '"$1-quoted"')),
    escapes: keyed((key) => key.replaceAll('\\\\', '-')),
    meaning: remembering(operation, (asked, first) => (isSameBody(asked, first) ? undefined : MISMATCH)),
    mismatch: remembering(operation, (asked, first) => (isSameBody(asked, first) ? undefined : first.answered)),
    refused: remembering(operation, (_, { answered }) => (answered.status >= 400 ? answered : undefined)),
    longest: at(operation).refusing(hasHeader(KEY, /^"?[^"]{255}"?$/), 400, 'invalid_parameter'),
    invalid: at(operation, 400).askingAgain(sentHeader(KEY, () => undefined)),
    together: withoutKeyWhileRunning(operation),
    'other-key': remembering(operation, (asked, first) => (isSameKey(asked, first) ? undefined : first.answered)),
  }
}

const OF_ORDERS: Lies = {
  instant: remembering(PLACE, ({ body }) => (body.includes('+02:00') ? MISMATCH : undefined)),
  completed: replayingNow(PLACE),
  cancelled: replayingNow(PLACE),
  returned: replayingNow(PLACE),
  'before-state': at(PLACE, 422, ({ body }) => /"petId":\d{16}/.test(body.toString())).answering(() =>
    errorAnswer(404, 'pet_not_found'),
  ),
  'one-name-space': at(PLACE).asking(sentHeader(KEY, (key) => `${key.replaceAll('"', '')}-order`)),
}

export const REPEAT_LIES: Lies = {
  ...under('pets.create.idempotency', { ...ofRepeats(CREATE), ordered: replayingNow(CREATE) }),
  ...under('orders.place.idempotency', { ...ofRepeats(PLACE), ...OF_ORDERS }),
  'pets.delete.replay': replayingNow(CREATE),
  'orders.expiry.replay': replayingNow(PLACE),
}
