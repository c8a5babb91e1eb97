// Recovers a database that was reset to an earlier state (shared/recovery.ts). Its schema can be older and is not
// migrated. The user must own the tables, because servers have no right to the sequences.

import { StartError } from '../../domain/start-error.ts'
import { monotonicMs, sleep, wallMs } from '../../system/runtime.ts'
import { FIND_CONTENTS, lastSkipped, type Recovery, toContents } from '../shared/recovery.ts'
import { KEY_SQL, LIST_KEYS, toKey } from '../shared/rows.ts'
import { ASSIGNING } from '../shared/tables.ts'
import { IS_OURS } from './connect/client.ts'
import { openSession } from './connect/hosts.ts'
import type { RunQuery } from './connect/session.ts'
import { BEGIN_EPOCH, lastIdOf } from './contents.ts'
import { checkOwner, checkVersion, schemaVersion, TAKE_WRITE_LOCK } from './schema/schema.ts'
import { atStart, orRefusal } from './start-checks.ts'
import { LOCK_WAIT_MS } from './write/commits.ts'

/** How long connections that were just closed can remain visible. */
const CLOSING_MS = 2_000

/**
 * Begins an epoch and counts the inventory. `pg_restore --data-only` into an existing store adds its rows of these tables
 * to the rows that are there, and the triggers count its pets again.
 */
const DERIVE = [
  'DELETE FROM petstore_schema WHERE ctid <> (SELECT min(ctid) FROM petstore_schema)',
  'DELETE FROM event_epoch WHERE epoch <> (SELECT min(epoch) FROM event_epoch)',
  BEGIN_EPOCH,
  'UPDATE inventory SET pets = (SELECT count(*) FROM pets WHERE pets.status = inventory.status)',
]

/** Changes everything or nothing. Throws StartError while servers are connected. */
export function recover(address: string, { skipIds, revoke }: Recovery): Promise<void> {
  return orRefusal(address, async (parsed) => {
    await using session = await atStart(() => openSession(parsed))
    const { execute } = session
    const version = await schemaVersion(execute)
    if (version === 0) throw new StartError('it contains no store')
    checkVersion(version)
    await checkOwner(execute)
    await checkAlone(execute)
    const rows = await execute(LIST_KEYS)
    const [contents] = (await execute(FIND_CONTENTS)) as [object]
    const revoked = await revoke(rows.map(toKey), toContents(contents))
    // The operator may have taken long to respond.
    await checkAlone(execute)
    await session.transaction(async () => {
      await execute(`SELECT ${TAKE_WRITE_LOCK}`)
      // Servers that use another schema of the database need the lock, too.
      await execute(`SELECT set_config('lock_timeout', '${LOCK_WAIT_MS}', true)`)
      await advanceIds(execute, skipIds)
      for (const statement of DERIVE) await execute(statement)
      for (const id of revoked) await execute(KEY_SQL.revoke, id, wallMs())
    })
  })
}

async function checkAlone(query: RunQuery): Promise<void> {
  for (const deadline = monotonicMs() + CLOSING_MS; ; await sleep(50)) {
    // A server that uses another schema of the database has no rights on these tables.
    const [others] = await query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE ${IS_OURS} AND pid <> pg_backend_pid() AND has_table_privilege(usesysid, 'pets', 'INSERT')`,
    )
    if (!others?.n) return
    if (monotonicMs() >= deadline) {
      throw new StartError(`petstore servers are connected to it (connections: ${others.n}). Stop them first`)
    }
  }
}

/** Call it in a transaction. */
async function advanceIds(query: RunQuery, skipIds: bigint): Promise<void> {
  for (const table of ASSIGNING) {
    const { sequence, assigned, last } = await lastIdOf(query, table)
    const skipped = lastSkipped(table, last, skipIds, (reason) => new StartError(reason))
    if (skipped === assigned) continue
    // Unlike `setval`, this is rolled back with the transaction.
    await query(`ALTER SEQUENCE ${sequence} RESTART WITH ${skipped}`)
    await query('SELECT nextval($1)', sequence)
  }
}
