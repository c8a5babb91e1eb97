// What goes wrong with a PostgreSQL database → our errors. By SQLSTATE and the driver's codes, never by words
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).

import postgres from 'postgres'
import { PetstoreError } from '../../domain/errors.ts'

/**
 * The host cannot be used any more: connections to it are given up, and the one that takes writes is looked for. 55000 is
 * what a standby says to `read` of the connection.
 */
const LOST = /^(08|57P0|25006|25P03|55000)/

/** The server has told that nothing was changed: the statement was refused or undone. */
const REFUSED = /^(25006|26000|28|3D000|40001|40P01|42501|53|55000|55P03|57014|57P03|58|XX00[12])/

/** A failure that is neither the server's nor the system's, with a code as theirs have. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

/** The server's SQLSTATE, or the code of the driver, of the system, or of a StoreFailure; empty for anything else. */
export function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && !(error instanceof PetstoreError) ? code : ''
}

export function isLost(error: unknown): boolean {
  return error instanceof postgres.PostgresError ? LOST.test(error.code) : codeOf(error) !== ''
}

/** `storage_full`, `unavailable`, or what may be logged of a fault that was not foreseen. */
export function translate(error: unknown): unknown {
  if (codeOf(error) === '53100') {
    return new PetstoreError('storage_full', 'The store is full: nothing was changed. Try again later.', { cause: error })
  }
  if (isLost(error) || isRefused(error)) return unavailable(error)
  return error instanceof postgres.PostgresError ? fault(error) : error
}

/** As `translate`, for a statement that adds a pet: says so when nobody can know whether it did. */
export const translateAdding = translateLost(
  'The store was lost while it added the pet: whether it did is not known. Look before you try again.',
)

/** As `translateAdding`, for orders. */
export const translateChanging = translateLost(
  'The database connection was lost while the order was being changed; it may have been changed. Check, or send the request again.',
)

function translateLost(message: string): (error: unknown) => unknown {
  return (error) =>
    isLost(error) && !isRefused(error) ? new PetstoreError('unavailable', message, { cause: error }) : translate(error)
}

export function unavailable(cause: unknown): PetstoreError {
  return new PetstoreError('unavailable', 'The store cannot be used right now. Try again.', { cause })
}

/** Without the server's words: they may hold the row that was to be added. */
function fault({ code, routine, constraint_name: constraint }: postgres.PostgresError): StoreFailure {
  return new StoreFailure(code, `SQLSTATE ${code} (${[routine, constraint].filter(Boolean).join(', ')})`)
}

function isRefused(error: unknown): boolean {
  return error instanceof postgres.PostgresError && REFUSED.test(error.code)
}
