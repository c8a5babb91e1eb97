// Idempotency keys: how long they are kept and how the first answer is stored. Request and answer are stored as text,
// so a replay does not depend on rows that have changed since.

import { stringifyJson } from '../../../../contract/src/json.ts'
import type { FirstAnswer, Idempotent } from '../../domain/decisions/snapshot.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type AnyColumns, fromJson, fromRow } from './columns.ts'
import { NEW_ORDER_COLUMNS, NEW_PET_COLUMNS, ORDER_COLUMNS, PET_COLUMNS } from './pet-and-order-columns.ts'

/** The minimum time that a key is kept. */
export const KEPT_MS = LIMITS.idempotencyMs
/** Smaller errors of a wall clock, in either direction and whenever it jumps, do not shorten `KEPT_MS`. */
export const CLOCK_ERROR_MS_MAX = 7 * 24 * 3600_000
/** The age by the wall clock at which a key is deleted. */
export const FORGOTTEN_AFTER_MS = KEPT_MS + CLOCK_ERROR_MS_MAX

const OPERATIONS: Readonly<Record<keyof Idempotent, { request: AnyColumns; answer: AnyColumns }>> = {
  createPet: { request: NEW_PET_COLUMNS, answer: PET_COLUMNS },
  placeOrder: { request: NEW_ORDER_COLUMNS, answer: ORDER_COLUMNS },
}

export interface FirstAnswerRow {
  readonly operation: keyof Idempotent
  readonly request: string
  readonly answer: string
}

export function rowOfAnswer({ operation, request, answer }: FirstAnswer): FirstAnswerRow {
  const columns = OPERATIONS[operation]
  return { operation, request: textOf(columns.request, request), answer: textOf(columns.answer, answer) }
}

export function answerOfRow({ operation, request, answer }: FirstAnswerRow): FirstAnswer {
  const columns = OPERATIONS[operation]
  return {
    operation,
    request: fromJson<object>(columns.request, request),
    answer: fromJson<object>(columns.answer, answer),
  } as FirstAnswer
}

/** Returns a request or answer as stored: JSON with fields in a fixed order and times in milliseconds. */
function textOf(columns: AnyColumns, row: object): string {
  return stringifyJson(fromRow<object>(columns, row))
}
