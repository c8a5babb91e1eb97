// Checks whether a server or command can start on a database, and explains why not.

import { PetstoreError } from '../../domain/petstore-error.ts'
import { StartError } from '../../domain/start-error.ts'
import { monotonicMs, sleep } from '../../system/runtime.ts'
import { describeAddress, type PostgresAddress, parsePostgresAddress } from './address.ts'
import { codeOf } from './connect/errors.ts'
import { type RunQuery, SETTINGS } from './connect/session.ts'
import { START_WAIT_MS, STATEMENT_TIMEOUT_MS } from './connect/time-limits.ts'

const OLDEST_SERVER = 15
const START_AGAIN_MS = 100
/** Can change soon: a server or standby starts, a disk catches up, a connection becomes free or opens. */
const MAY_COME = ['57P03', '53300', 'NOT_REPLICATED', 'SLOW_COMMIT', 'CONNECT_TIMEOUT', 'NO_ANSWER']

/** Retries `work`, which connects to hosts, for START_WAIT_MS. Throws immediately if waiting cannot help. */
export async function atStart<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const deadline = monotonicMs() + START_WAIT_MS; ; await sleep(START_AGAIN_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!MAY_COME.includes(codeOf(error)) || monotonicMs() >= deadline) throw error
    }
  }
}

/** With `replica`, which only a superuser can set, our triggers do not run. */
const CHECKED = { ...SETTINGS, session_replication_role: 'origin' }

/** Acceptable values of `client_min_messages` and `session_replication_role`. */
const AS_GOOD = '^(warning|info|log|debug.|local)$'

const DIFFERENT = `SELECT name, value, current_setting(name) AS found
  FROM (VALUES ${Object.entries(CHECKED).map(([name, value]) => `('${name}', '${value}')`)}) AS needed (name, value)
  WHERE current_setting(name) <> value AND current_setting(name) !~ '${AS_GOOD}'`

/** Throws StartError if the session has other settings and could not set them. */
export async function checkSettings(query: RunQuery): Promise<void> {
  const [different] = await query<{ name: string; value: string; found: string }>(DIFFERENT)
  if (!different) return
  const { name, value, found } = different
  throw new StartError(`its ${name} is '${found}': set it to '${value}' for the role`)
}

/**
 * Throws StartError if the session's statements have no time limit. Sessions set it when they start, but PgBouncer does
 * not pass it on. A statement that a server gave up on would then keep its connection, until none is left.
 */
export async function checkStatementTimeout(query: RunQuery): Promise<void> {
  const [session] = await query<{ role: string }>(
    "SELECT quote_ident(session_user) AS role WHERE current_setting('statement_timeout') = '0'",
  )
  if (!session) return
  const change = `ALTER ROLE ${session.role} SET statement_timeout = '${STATEMENT_TIMEOUT_MS / 1000}s'`
  throw new StartError(`its statement_timeout is 0. Run ${change}, and RECONNECT on the console of PgBouncer`)
}

/** Throws StartError if the server is too old or cannot store every text. */
export async function checkServer(query: RunQuery): Promise<void> {
  const [server] = await query<{ version: number; encoding: string }>(`
    SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding`)
  if (!server || server.version < OLDEST_SERVER) {
    throw new StartError(`it is PostgreSQL ${server?.version}; ${OLDEST_SERVER} or later is needed`)
  }
  if (server.encoding !== 'UTF8') {
    throw new StartError(`its encoding is ${server.encoding}: create the database with ENCODING 'UTF8'`)
  }
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
export async function orRefusal<Result>(address: string, work: (parsed: PostgresAddress) => Promise<Result>) {
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
