// The schema of a PostgreSQL database: its version and its migrations.

import { StartError } from '../../domain/errors.ts'
import { UNFINISHED_COPY } from '../shared/failures.ts'
import addPets from './functions/add-pets.sql' with { type: 'text' }
import commitDurably from './functions/commit-durably.sql' with { type: 'text' }
import countInventory from './functions/count-inventory.sql' with { type: 'text' }
import findWords from './functions/find-words.sql' with { type: 'text' }
import lastOrder from './functions/last-order.sql' with { type: 'text' }
import now from './functions/now.sql' with { type: 'text' }
import refusedKeys from './functions/refused-keys.sql' with { type: 'text' }
import takeTurns from './functions/take-turns.sql' with { type: 'text' }
import m1 from './migrations/0001-pets-and-keys.sql' with { type: 'text' }
import m2 from './migrations/0002-idempotency-keys.sql' with { type: 'text' }
import m3 from './migrations/0003-idempotency-answers.sql' with { type: 'text' }
import m4 from './migrations/0004-orders.sql' with { type: 'text' }
import m5 from './migrations/0005-key-uses.sql' with { type: 'text' }
import m6 from './migrations/0006-counted-inventory.sql' with { type: 'text' }
import m7 from './migrations/0007-checked-writes.sql' with { type: 'text' }
import m8 from './migrations/0008-categories.sql' with { type: 'text' }
import m9 from './migrations/0009-events.sql' with { type: 'text' }
import m10 from './migrations/0010-search.sql' with { type: 'text' }
import m11 from './migrations/0011-deletions.sql' with { type: 'text' }
import m12 from './migrations/0012-cheaper-events.sql' with { type: 'text' }
import m13 from './migrations/0013-older-servers.sql' with { type: 'text' }
import m14 from './migrations/0014-direct-events.sql' with { type: 'text' }
import m15 from './migrations/0015-one-place.sql' with { type: 'text' }
import m16 from './migrations/0016-lighter-terms.sql' with { type: 'text' }
import m17 from './migrations/0017-category-blocks.sql' with { type: 'text' }
import m18 from './migrations/0018-told-events.sql' with { type: 'text' }
import m19 from './migrations/0019-one-place-decides.sql' with { type: 'text' }
import m20 from './migrations/0020-search-by-gin.sql' with { type: 'text' }
import { indexAll } from './search.ts'
import type { Ask, Session } from './session.ts'

/** In order. A released migration is never changed. */
const MIGRATIONS = [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20]
export const NEWEST_VERSION = MIGRATIONS.length

/**
 * Functions and triggers as they are now, installed anew after the migrations; each stands behind those that it calls. One that changes
 * needs a migration, if only for its number, so that an older server never puts its own back; a signature that servers of the version
 * before call stays.
 */
export const FUNCTIONS = [now, takeTurns, commitDurably, countInventory, lastOrder, refusedKeys, addPets, findWords]

const OLDEST_SERVER = 15

/** Servers that start at the same time migrate one after another. */
const LOCK = 'SELECT pg_advisory_xact_lock(1346720851, 0)'
/** That of functions/take-turns.sql: a write in progress may hold one table and need another, whose trigger is being replaced. */
export const WRITE_LOCK = 'SELECT pg_advisory_xact_lock(1346720851, 1)'

/** Throws StartError when the server is too old or cannot store every text. */
export async function checkServer(ask: Ask): Promise<void> {
  const [server] = await ask<{ version: number; encoding: string }>(`
    SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding`)
  if (!server || server.version < OLDEST_SERVER) {
    throw new StartError(`it is PostgreSQL ${server?.version}; ${OLDEST_SERVER} or later is needed`)
  }
  if (server.encoding !== 'UTF8') {
    throw new StartError(`its encoding is ${server.encoding}: create the database with ENCODING 'UTF8'`)
  }
}

/** A table that is there while the database is the target of a copy that is not whole. Nobody needs a privilege to see that. */
const UNFINISHED = 'petstore_unfinished_copy'
export const MARK_UNFINISHED = `CREATE TABLE IF NOT EXISTS ${UNFINISHED} ()`
export const MARK_FINISHED = `DROP TABLE IF EXISTS ${UNFINISHED}`

/** 0 when there is no schema yet. Throws StartError for an unfinished copy, unless `copying`. */
export async function schemaVersion(ask: Ask, copying = false): Promise<number> {
  const [found] = await ask<{ exists: boolean; unfinished: boolean }>(
    `SELECT to_regclass('petstore_schema') IS NOT NULL AS exists, to_regclass('${UNFINISHED}') IS NOT NULL AS unfinished`,
  )
  if (found?.unfinished && !copying) throw new StartError(UNFINISHED_COPY)
  if (!found?.exists) return 0
  const [row] = await ask<{ version: number }>('SELECT version FROM petstore_schema')
  return row?.version ?? 0
}

/** Whether the user owns the schema that there is. */
export async function mayMigrate(ask: Ask): Promise<boolean> {
  const [row] = await ask<{ owned: boolean }>(
    `SELECT pg_has_role(relowner, 'USAGE') AS owned FROM pg_class WHERE oid = to_regclass('petstore_schema')`,
  )
  return row?.owned ?? false
}

/** Runs the missing migrations and installs the functions, in one transaction. `copying`: a new schema is marked as unfinished. */
export async function migrate(session: Session, copying = false): Promise<void> {
  const { send } = session
  await session.transaction(async () => {
    await send(LOCK)
    const version = await schemaVersion(send, copying)
    if (version >= NEWEST_VERSION) return
    await send(WRITE_LOCK)
    if (version === 0 && copying) await send(MARK_UNFINISHED)
    if (version === 0) await send('CREATE TABLE petstore_schema (version integer NOT NULL)')
    for (const sql of [...MIGRATIONS.slice(version), ...FUNCTIONS]) await send(sql)
    if (version < 20) await indexAll(send)
    await send('DELETE FROM petstore_schema')
    await send(`INSERT INTO petstore_schema VALUES (${NEWEST_VERSION})`)
  })
}
