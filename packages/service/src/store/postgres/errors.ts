// Translates errors of PostgreSQL to those of the domain, by SQLSTATE and the driver's codes, never by message
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).

import { DatabaseError } from 'pg-protocol'
import { PetstoreError } from '../../domain/petstore-error.ts'
import { storageFull, unavailable } from '../shared/failures.ts'

/**
 * The host can no longer be used: its connections are closed, and the host that accepts writes is searched for again. 55000 and 22012 are
 * those of `onTimeline`, on a standby and on another timeline. The last three are of prepared statements that the server has forgotten, or
 * whose columns have changed: the driver would send them again for ever.
 */
const LOST = /^(08|57P0|25006|25P03|55000|22012|26000|42P05|0A000)/

/** The server has refused the statement or rolled it back: nothing was changed. */
const REFUSED = /^(0A000|22012|25006|26000|28|3D000|40001|40P01|42501|42P05|53|55000|55P03|57014|57P03|58|XX00[12])/

/** A failure that this store detects, with a code like the server's and the system's. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure'
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** The server's SQLSTATE, or the code of the driver, of the system, or of a StoreFailure; empty for anything else. */
export function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && !(error instanceof PetstoreError) ? code : ''
}

/**
 * An attempt to connect shows that the host is gone, stops or is no primary. Any other failure (a limit, a new password, a proxy) says nothing
 * about the connections that are open: their statements check the host.
 */
export function isGone(error: unknown): boolean {
  return /^(57P0|25006|READ_ONLY|STANDBY|NO_ANSWER|ECONNREFUSED|ENOENT|E(HOST|NET)UNREACH)/.test(codeOf(error))
}

export function isLost(error: unknown): boolean {
  return error instanceof DatabaseError ? LOST.test(codeOf(error)) : codeOf(error) !== ''
}

/** `storage_full`, `unavailable`, or what may be logged about an unexpected error. */
export function translate(error: unknown): unknown {
  if (codeOf(error) === '53100') return storageFull(error)
  if (codeOf(error) === '22012') return unavailable(new StoreFailure('TIMELINE', 'the host is now on another timeline'))
  if (isLost(error) || isRefused(error)) return unavailable(error)
  return error instanceof DatabaseError ? fault(error) : error
}

export const MAY_BE_ADDED =
  'The database connection was lost while the pet was being added; it may have been created. Check, or send the request again with its Idempotency-Key.'

/** As `translate`, for a statement that adds a pet: when the pet may have been added, the message says so. */
export const translateAdding = translateLost(MAY_BE_ADDED)

/** As `translateAdding`, for orders and corrections. */
export const translateChanging = translateLost(
  'The database connection was lost during the change; it may have been made. Check, or send the request again.',
)

function translateLost(message: string): (error: unknown) => unknown {
  return (error) =>
    isLost(error) && !isRefused(error) ? new PetstoreError('unavailable', message, { cause: error }) : translate(error)
}

/** Without the server's message, which may contain the row. */
function fault(error: DatabaseError): StoreFailure {
  const { routine, constraint } = error
  const code = codeOf(error)
  return new StoreFailure(code, `SQLSTATE ${code} (${[routine, constraint].filter(Boolean).join(', ')})`)
}

function isRefused(error: unknown): boolean {
  return error instanceof DatabaseError && REFUSED.test(codeOf(error))
}
