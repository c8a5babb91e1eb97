// Checks that a PostgreSQL server is suitable for a store.

import { StartError } from '../../../domain/start-error.ts'
import { type RunQuery, SETTINGS } from './session.ts'
import { STATEMENT_TIMEOUT_MS } from './time-limits.ts'

const OLDEST_SERVER = 15

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
