// Idempotency keys, for every store: how long they are kept, and how a first answer is stored. Its request and its answer are text, so a
// replay does not depend on rows that have changed since.

import { stringifyJson } from '../../../../contract/src/json.ts'
import { IDEMPOTENCY_HOURS_MIN } from '../../../../contract/src/limits.ts'
import type { FirstAnswer, Idempotent } from '../../domain/decisions/snapshot.ts'
import { type Columns, fromJson, fromRow } from './columns.ts'
import { NEW_ORDER_COLUMNS, NEW_PET_COLUMNS, ORDER_COLUMNS, PET_COLUMNS } from './pet-and-order-columns.ts'

/** A key stays at least so long. */
export const KEPT_MS = IDEMPOTENCY_HOURS_MIN * 3600_000
/** When a key is forgotten by a wall clock. Another one may have dated it, and clocks may be a day apart. */
export const FORGOTTEN_AFTER_MS = 2 * KEPT_MS

type OperationColumns = {
  readonly [Name in keyof Idempotent]: {
    readonly request: Columns<Idempotent[Name]['request']>
    readonly answer: Columns<Idempotent[Name]['answer']>
  }
}

const OPERATIONS: OperationColumns = {
  createPet: { request: NEW_PET_COLUMNS, answer: PET_COLUMNS },
  placeOrder: { request: NEW_ORDER_COLUMNS, answer: ORDER_COLUMNS },
}

/** The columns of a key that was used. */
export interface FirstAnswerRow {
  readonly operation: keyof Idempotent
  readonly request: string
  readonly answer: string
}

export function rowOfAnswer({ operation, request, answer }: FirstAnswer): FirstAnswerRow {
  const columns = columnsOf(operation)
  return {
    operation,
    request: textOf<object>(columns.request, request),
    answer: textOf<object>(columns.answer, answer),
  }
}

export function answerOfRow({ operation, request, answer }: FirstAnswerRow): FirstAnswer {
  const columns = columnsOf(operation)
  return {
    operation,
    request: fromJson<object>(columns.request, request),
    answer: fromJson<object>(columns.answer, answer),
  } as FirstAnswer
}

/** The type that an operation's columns have together is lost on the way through its name. */
function columnsOf(operation: keyof Idempotent): { request: Columns<object>; answer: Columns<object> } {
  return OPERATIONS[operation] as { request: Columns<object>; answer: Columns<object> }
}

/** A request or an answer as it is stored: JSON with its fields in a fixed order and times in milliseconds. */
export function textOf<Row extends object>(columns: Columns<Row>, row: Row): string {
  return stringifyJson(fromRow(columns, row))
}
