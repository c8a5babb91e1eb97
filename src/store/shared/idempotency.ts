// Idempotency keys, for every store. For at least 24 hours a key stands for one request of one operation and its first answer. Both are stored
// as text with the key, so a replay does not depend on rows that have changed since.

import { PetstoreError } from '../../domain/errors.ts'
import type { Created, NewPet, Pet } from '../../domain/pets.ts'
import { stringifyJson } from '../../json/json.ts'
import { type Columns, fromJson, fromRow } from './columns.ts'
import { NEW_PET_COLUMNS, PET_COLUMNS } from './pet-columns.ts'

/** A key stays at least so long. */
export const KEPT_MS = 24 * 3600_000
/** When a key is forgotten by a wall clock. Another one may have dated it, and clocks may be a day apart. */
export const FORGOTTEN_AFTER_MS = 2 * KEPT_MS

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

/** What is stored with a key. */
export interface FirstAnswer {
  readonly operation: string
  /** Both as `textOf` gives them. */
  readonly request: string
  readonly answer: string
}

/** A request or an answer as it is stored: JSON with its fields in a fixed order and times in milliseconds, equal for what is equal. */
export function textOf<Row extends object>(columns: Columns<Row>, row: Row): string {
  return stringifyJson(fromRow(columns, row))
}

/** The result of a later request with the same key: the first answer, or `idempotency_mismatch` when the request is another one. */
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
