// Checks that a PostgreSQL server is suitable for a store.

import { StartError } from '../../../domain/start-error.ts'
import { type RunQuery, SETTINGS } from './session.ts'

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
