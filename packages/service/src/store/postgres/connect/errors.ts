// Translates errors of PostgreSQL to those of the domain, by SQLSTATE and the driver's codes, never by message
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).

import { DatabaseError } from 'pg-protocol'
import { PetstoreError } from '../../../domain/petstore-error.ts'
import { storageFull, unavailable } from '../../shared/failures.ts'

/**
 * How the service treats an error of the server. `fault`: 500. `full`: storage_full. The others are `unavailable`. After `refused`, nothing was
 * changed, and the connections stay. After `moved`, nothing was changed either, but all connections are closed, and the host that accepts
 * writes is searched for again. After `lost` this is done, too, and a change may have been made.
 */
type Outcome = 'refused' | 'moved' | 'lost' | 'full' | 'fault'

/**
 * SQLSTATEs, and beginnings of SQLSTATEs; the longest match counts. `onTimeline` fails with 55000 on a standby and with 22012 on another
 * timeline. 26000, 42P05 and 0A000 are about prepared statements that the server has forgotten, or whose columns have changed. PostgreSQL
 * refuses transactions with 54000 shortly before wraparound. 25P03 ends an idle transaction; 25P04 may arrive right after a commit.
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

/** `undefined` if the error is not the server's, or its class is unknown. */
export function outcomeOf(error: unknown): Outcome | undefined {
  if (!(error instanceof DatabaseError)) return undefined
  const beginnings = [5, 4, 2].map((length) => BY_BEGINNING.get(codeOf(error).slice(0, length)))
  return beginnings.find((outcome) => outcome !== undefined)
}

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
  if (!(error instanceof DatabaseError)) return codeOf(error) !== ''
  return ['lost', 'moved'].includes(outcomeOf(error) ?? '')
}

/** `storage_full`, `unavailable`, or what may be logged about an unexpected error. */
export function translate(error: unknown): unknown {
  if (outcomeOf(error) === 'full') return storageFull(error)
  if (codeOf(error) === '22012') return unavailable(new StoreFailure('TIMELINE', 'the host is now on another timeline'))
  if (isLost(error) || isRefused(error)) return unavailable(error)
  return error instanceof DatabaseError ? fault(error) : error
}

export const MAY_BE_CHANGED =
  'The database connection was lost during the change; it may have been made. Check, or send the request again: a pet or an order with its Idempotency-Key.'

/** As `translate`, with the message MAY_BE_CHANGED if a change may have been made. */
export function translateChanging(error: unknown): unknown {
  return isLost(error) && !isRefused(error)
    ? new PetstoreError('unavailable', MAY_BE_CHANGED, { cause: error })
    : translate(error)
}

/** Without the server's message, which may contain the row. */
function fault(error: DatabaseError): StoreFailure {
  const { routine, constraint } = error
  const code = codeOf(error)
  return new StoreFailure(code, `SQLSTATE ${code} (${[routine, constraint].filter(Boolean).join(', ')})`)
}

function isRefused(error: unknown): boolean {
  return ['refused', 'moved', 'full'].includes(outcomeOf(error) ?? '')
}
