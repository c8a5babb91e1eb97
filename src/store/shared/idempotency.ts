// What an Idempotency-Key means, in every store: for a day, the first answer of the operation and the request that it was used for.
// Request and answer are kept as text beside the key, so a replay does not depend on rows that have changed since.

import { PetstoreError } from '../../domain/errors.ts'
import type { Created, NewPet, Pet } from '../../domain/pets.ts'
import { stringifyJson } from '../../json/json.ts'
import { type Columns, fromJson, fromRow } from './columns.ts'
import { NEW_PET_COLUMNS, PET_COLUMNS } from './pet-columns.ts'

/** How long a key is remembered. After that it is as if it had never been used. */
export const KEPT_MS = 24 * 3600_000

/** An operation that takes an Idempotency-Key; `name` is its operationId. */
export interface IdempotentOperation<Request, Answer> {
  readonly name: string
  readonly request: Columns<Request>
  readonly answer: Columns<Answer>
}

export const CREATE_PET: IdempotentOperation<NewPet, Pet> = {
  name: 'createPet',
  request: NEW_PET_COLUMNS,
  answer: PET_COLUMNS,
}

/** What is kept with a key. */
export interface FirstAnswer {
  readonly operation: string
  /** As `requestText` gives it. */
  readonly request: string
  /** As `answerText` gives it. */
  readonly answer: string
}

/** Equal for requests that mean the same: JSON of the validated request, its fields in a fixed order, times in milliseconds. */
export function requestText<Request extends object>(
  { request }: Pick<IdempotentOperation<Request, unknown>, 'request'>,
  asked: Request,
) {
  return stringifyJson(fromRow(request, asked))
}

export function answerText<Answer extends object>(
  { answer }: Pick<IdempotentOperation<unknown, Answer>, 'answer'>,
  given: Answer,
) {
  return stringifyJson(fromRow(answer, given))
}

/** What a later request under the same key gets: the first answer, or the error that it asks for something else. */
export function replay<Answer>(
  { name, answer }: Pick<IdempotentOperation<unknown, Answer>, 'name' | 'answer'>,
  first: FirstAnswer,
  request: string,
): Created<Answer> | PetstoreError {
  if (first.operation === name && first.request === request) {
    return { value: fromJson(answer, first.answer), replayed: true }
  }
  return new PetstoreError(
    'idempotency_mismatch',
    'This Idempotency-Key was used for another request. Use a new key for each request.',
  )
}
