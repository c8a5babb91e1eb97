// Idempotency keys: how long they are kept and how the first answer is stored. Request and answer are stored as text,
// so a replay does not depend on rows that have changed since.

import { stringifyJson } from '../../../../contract/src/json.ts'
import { IDEMPOTENCY_HOURS_MIN } from '../../../../contract/src/limits.ts'
import type { FirstAnswer, Idempotent } from '../../domain/decisions/snapshot.ts'
import { type Columns, fromJson, fromRow } from './columns.ts'
import { NEW_ORDER_COLUMNS, NEW_PET_COLUMNS, ORDER_COLUMNS, PET_COLUMNS } from './pet-and-order-columns.ts'

/** The minimum time that a key is kept. */
export const KEPT_MS = IDEMPOTENCY_HOURS_MIN * 3600_000
/**
 * The age by the wall clock at which a key is deleted. Another machine may have set its date, and clocks can be a day
 * apart.
 */
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

/** TypeScript loses the connection between an operation's columns when they are looked up by name. */
function columnsOf(operation: keyof Idempotent): { request: Columns<object>; answer: Columns<object> } {
  return OPERATIONS[operation] as { request: Columns<object>; answer: Columns<object> }
}

/** Returns a request or answer as stored: JSON with fields in a fixed order and times in milliseconds. */
export function textOf<Row extends object>(columns: Columns<Row>, row: Row): string {
  return stringifyJson(fromRow(columns, row))
}
