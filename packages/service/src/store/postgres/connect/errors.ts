// Translates PostgreSQL errors to domain errors by SQLSTATE and driver code, never by message
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).

import { DatabaseError } from 'pg-protocol'
import { PetstoreError } from '../../../domain/petstore-error.ts'
import { storageFull, unavailable } from '../../shared/failures.ts'

/**
 * How to treat a server error. `fault` is 500 and `full` is storage_full; the others are `unavailable`. `refused`:
 * nothing was changed, and connections stay open. `moved`: nothing was changed, but all connections are closed and the
 * primary is searched for again. `lost`: like `moved`, but a change may have been made.
 */
type Outcome = 'refused' | 'moved' | 'lost' | 'full' | 'fault'

/**
 * SQLSTATEs and their prefixes; the longest match applies. `onTimeline` fails with 55000 on a standby and with 22012
 * on another timeline. 26000, 42P05 and 0A000 mean that the server forgot a prepared statement or that its columns
 * changed. 54000 rejects transactions shortly before wraparound. 25P03 ends an idle transaction; 25P04 can arrive
 * right after a commit.
 */
const OUTCOMES: Readonly<Record<Outcome, string>> = {
  refused: '28 3D 40 42501 53 54000 55 57 58 72 XX001 XX002',
  moved: '0A000 22012 25006 25P03 26000 42P05 55000 57P03',
  lost: '08 25P04 40003 57P0',
  full: '53100',
  fault: '03 09 0A 0B 0F 0L 0P 0Z 10 20 21 22 23 24 25 26 27 2B 2D 2F 34 38 39 3B 3F 42 44 54 F0 HV P0 XX',
}
const BY_BEGINNING = new Map(
  Object.entries(OUTCOMES).flatMap(([outcome, codes]) => codes.split(' ').map((code) => [code, outcome as Outcome])),
)

/** Returns `undefined` if the server did not send the error or its class is unknown. */
export function outcomeOf(error: unknown): Outcome | undefined {
  if (!(error instanceof DatabaseError)) return undefined
  const beginnings = [5, 4, 2].map((length) => BY_BEGINNING.get(codeOf(error).slice(0, length)))
  return beginnings.find((outcome) => outcome !== undefined)
}

/** A failure detected by this store, with a code like the server's and the system's. */
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

/** Returns the code of the server (SQLSTATE), the driver, the system or a StoreFailure; otherwise an empty string. */
export function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && !(error instanceof PetstoreError) ? code : ''
}

/**
 * Whether a failed connection attempt shows that the host is down, stopping or not a primary. Other failures (a limit,
 * a new password, a proxy) say nothing about open connections, whose statements check the host.
 */
export function isGone(error: unknown): boolean {
  return /^(57P0|25006|READ_ONLY|STANDBY|NO_ANSWER|ECONNREFUSED|ENOENT|E(HOST|NET)UNREACH)/.test(codeOf(error))
}

export function isLost(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return codeOf(error) !== ''
  return ['lost', 'moved'].includes(outcomeOf(error) ?? '')
}

/** Whether a statement waited too long for a lock, or in a deadlock. */
export function isLocked(error: unknown): boolean {
  return ['55P03', '40P01'].includes(codeOf(error))
}

/** Returns `storage_full`, `unavailable`, or an error that is safe to log. */
export function translate(error: unknown): unknown {
  const outcome = outcomeOf(error)
  if (outcome === 'full') return storageFull(error)
  if (codeOf(error) === '22012') return unavailable(new StoreFailure('TIMELINE', 'the host is now on another timeline'))
  if (outcome === 'refused' || isLost(error)) return unavailable(error)
  return error instanceof DatabaseError ? fault(error) : error
}

/** Omits the server's message, which can contain the row. */
function fault(error: DatabaseError): StoreFailure {
  const { routine, constraint } = error
  const code = codeOf(error)
  return new StoreFailure(code, `SQLSTATE ${code} (${[routine, constraint].filter(Boolean).join(', ')})`)
}
