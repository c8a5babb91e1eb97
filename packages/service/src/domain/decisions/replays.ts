// Idempotency keys. As long as it is kept, a key belongs to one request of one operation and its first answer, whatever has changed since.

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

/** What the key was given first; else what `perform` gives, which is kept with the key unless it is a refusal. */
export function once<Operation extends keyof Idempotent, Answer extends Idempotent[Operation]['answer']>(
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

/** The first answer, or `idempotency_mismatch` where the request is another one. */
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

/** A field that is absent is like one that is `undefined`. */
function isSameRequest(one: object, other: object): boolean {
  const fields = Object.keys({ ...one, ...other }) as never[]
  return fields.every((field) => one[field] === other[field])
}
