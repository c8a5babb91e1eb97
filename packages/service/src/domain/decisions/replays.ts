// Idempotency keys. While the store keeps a key, it belongs to one request of one operation and replays the first
// answer, even if the pet or order has changed.

import type { KeyId } from '../keys.ts'
import type { Created } from '../pets.ts'
import { PetstoreError } from '../petstore-error.ts'
import type { FirstAnswer, Idempotent } from './snapshot.ts'
import type { KeptAnswer, WorkingCopy } from './working-copy.ts'

/** A request of an operation that takes an idempotency key. */
interface Keyed<Operation extends keyof Idempotent> {
  readonly operation: Operation
  readonly request: Idempotent[Operation]['request']
  readonly by: KeyId
  readonly key: string | undefined
}

/**
 * Returns the first answer to the key. Without one, performs the request and keeps its answer, unless it is refused.
 */
export function answerOnce<Operation extends keyof Idempotent, Answer extends Idempotent[Operation]['answer']>(
  copy: WorkingCopy,
  { operation, request, by, key }: Keyed<Operation>,
  perform: () => Answer | PetstoreError,
): Created<Answer> | PetstoreError {
  const first = key === undefined ? undefined : copy.firstAnswer({ by, key })
  if (first) return replay<Operation, Answer>(first, operation, request)
  const value = perform()
  if (value instanceof PetstoreError) return value
  if (key !== undefined) copy.keep({ by, key, operation, request, answer: value } as unknown as KeptAnswer)
  return { value, replayed: false }
}

/** Returns the first answer, or `idempotency_mismatch` if the request differs. */
export function replay<Operation extends keyof Idempotent, Answer extends Idempotent[Operation]['answer']>(
  first: FirstAnswer,
  operation: Operation,
  request: Idempotent[Operation]['request'],
): Created<Answer> | PetstoreError {
  if (first.operation === operation && isSameRequest(first.request, request)) {
    return { value: first.answer as Answer, replayed: true }
  }
  const message = 'This Idempotency-Key was used for another request. Use a new key for each request.'
  return new PetstoreError('idempotency_mismatch', message)
}

/** Treats a missing field as `undefined`. */
function isSameRequest(one: object, other: object): boolean {
  const fields = Object.keys({ ...one, ...other }) as never[]
  return fields.every((field) => one[field] === other[field])
}
