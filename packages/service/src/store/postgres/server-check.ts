// Whether a server of PostgreSQL can have a store.

import { StartError } from '../../domain/start-error.ts'
import type { RunQuery } from './session.ts'

export const OLDEST_SERVER = 15

/** Throws StartError when the server is too old or cannot store every text. */
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
