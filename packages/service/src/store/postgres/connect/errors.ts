// Translates PostgreSQL errors to domain errors by SQLSTATE and driver code, never by message
// (https://www.postgresql.org/docs/current/errcodes-appendix.html).

import { DatabaseError } from 'pg-protocol'
import { PetstoreError } from '../../../domain/petstore-error.ts'
import { StartError } from '../../../domain/start-error.ts'
import { storageFull, unavailable } from '../../shared/failures.ts'
import { describeAddress, type PostgresAddress, parsePostgresAddress } from './address.ts'

/**
 * How to treat a server error. `fault` is 500 and `full` is storage_full; the others are `unavailable`. `refused`:
 * nothing was changed, and connections stay open. `moved`: nothing was changed, but all connections are closed and the
 * primary is searched for again. `lost`: like `moved`, but a change may have been made.
 */
type Outcome = 'refused' | 'moved' | 'lost' | 'full' | 'fault'

/**
 * SQLSTATEs and their prefixes; the longest match applies. `onTimeline` fails with 55000 on a standby and with 22012
 * on another timeline. 26000, 42P05 and 0A000 mean that the server forgot a prepared statement or that its columns
 * changed. 54000 refuses transactions shortly before wraparound. 25P03 ends an idle transaction; 25P04 can arrive
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

export const MAY_BE_CHANGED =
  'The database connection was lost during the change, which may have been saved. Check, or repeat the request; use the same Idempotency-Key to create a pet or an order.'

/** Like `translate`, but with MAY_BE_CHANGED if a change may have been made. */
export function translateChanging(error: unknown): unknown {
  return isLost(error) && outcomeOf(error) !== 'moved'
    ? new PetstoreError('unavailable', MAY_BE_CHANGED, { cause: error })
    : translate(error)
}

/** Omits the server's message, which can contain the row. */
function fault(error: DatabaseError): StoreFailure {
  const { routine, constraint } = error
  const code = codeOf(error)
  return new StoreFailure(code, `SQLSTATE ${code} (${[routine, constraint].filter(Boolean).join(', ')})`)
}

/**
 * Advice for a database that cannot be used, by a pattern for the error's code. The first match applies. None contains
 * the password.
 */
const REASONS = {
  '^28': "it refuses this user or password. Check the address and the server's pg_hba.conf.",
  '^3D000$': 'it has no such database. Create it: petstore help postgresql.',
  '^(42501|3F000)$':
    'this user lacks privileges. Let the owner run `petstore migrate --apply`, and grant the rest: petstore help postgresql.',
  '^42P07$': 'it contains tables of another program. Name another database.',
  '^(25006|STANDBY)$':
    'no host of the address accepts writes: all that respond are standbys. Add the primary to the address, or try again after a promotion.',
  '^READ_ONLY$':
    'its transactions are read-only, but it is not a standby. Set default_transaction_read_only to off for the server, the database and the role.',
  '^53300$':
    'it has no free connection. Raise max_connections, or lower `connections` in the addresses of the servers.',
  '^NOT_REPLICATED$':
    'a commit waits for a synchronous standby that does not confirm it. Start the standby, or change synchronous_standby_names.',
  '^SLOW_COMMIT$': 'its commits take too long, and no standby is the cause. Check its disk and try again.',
  '^(OLDER_SCHEMA|TIMELINE)$': 'a failover has undone its migration. Try again.',
  '^(53100|58030)$': 'its disk is full or failing. Free space on it, also for the write-ahead log, and try again.',
  '^54000$': "it needs a VACUUM before it starts more transactions. The server's log names the database.",
  '^(57014|25P0[34])$': 'a timeout cancelled a statement. Raise statement_timeout and transaction_timeout of the role.',
  '^55P03$':
    'another session holds a lock that is needed. End its transaction (pg_locks and pg_stat_activity show it), or raise lock_timeout of the role.',
  '^57P03$': 'it is starting up or shutting down. Try again.',
  '^08P01$':
    'it refuses the connection or its parameters. With PgBouncer, set ignore_startup_parameters (petstore help postgresql), and raise max_client_conn if it is reached.',
  'CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO':
    'its certificate cannot be verified. Check sslmode and sslrootcert in the address.',
  '^(ENOTFOUND|EAI_\\w+)$': 'its host name cannot be resolved. Check the name and the DNS server.',
  '^(E[A-Z_]+|CONNECT\\w+|NO_ANSWER|08\\w+)$':
    'it cannot be reached. Check that it is running, that host and port are right, and that it supports TLS if sslmode requires it.',
}

/** Runs `work` with the parsed address. Throws StartError for known errors; others are rethrown. */
export async function orRefusal<Result>(
  address: string,
  work: (parsed: PostgresAddress) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(parsePostgresAddress(address))
  } catch (error) {
    const cause = error instanceof PetstoreError ? error.cause : error
    const where = `${describeAddress(address)} cannot be used: `
    if (cause instanceof StartError) throw new StartError(`${where}${cause.message}.`, { cause })
    const reason = Object.entries(REASONS).find(([pattern]) => new RegExp(pattern).test(codeOf(cause)))?.[1]
    throw reason === undefined ? error : new StartError(where + reason, { cause })
  }
}
