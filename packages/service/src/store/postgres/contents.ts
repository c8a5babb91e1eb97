// The rows of a PostgreSQL store, for copying. The user must own the tables, because ids are inserted explicitly.

import { StartError } from '../../domain/start-error.ts'
import { type Contents, contentsOf, quoted } from '../contents.ts'
import { notCurrent } from '../shared/schema-versions.ts'
import { codeOf } from './connect/errors.ts'
import { openSession } from './connect/hosts.ts'
import { beginWith, type Parameter, type RunQuery, type Session } from './connect/session.ts'
import {
  applyMigrations,
  checkOwner,
  MIGRATION_IDLE_MS,
  MIGRATION_LOCK_MS,
  NEWEST_VERSION,
  schemaVersion,
  TAKE_WRITE_LOCK,
} from './schema/schema.ts'
import { atStart, checkServer, orRefusal } from './start-checks.ts'
import { indexRows } from './write/search-index.ts'

export const BEGIN_EPOCH = `UPDATE event_epoch SET epoch = ('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint`

const TYPES = { bigint: 'integer', text: 'text', boolean: 'boolean' } as const
/** The types of the columns when rows are read from JSON. */
const READ_AS = { integer: 'bigint', text: 'text', boolean: 'int' } as const

/** Characters that do not exist in the encoding (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const UNTRANSLATABLE = ['22P05', '22021']

export async function openPostgresContents(address: string): Promise<Contents> {
  return contentsIn(address, await sessionOf(address))
}

/** Runs `work` in one transaction, which also creates the schema if there is none. Throws StartError if it is older. */
export async function fillPostgres<Result>(address: string, work: (target: Contents) => Promise<Result>) {
  await using session = await sessionOf(address)
  const { execute } = session
  const fill = async () => {
    await orRefusal(address, async () => {
      await checkServer(execute)
      await checkOwner(execute)
      const version = await schemaVersion(execute)
      const refused = notCurrent(version, NEWEST_VERSION, version > 0)
      if (refused !== undefined) throw new StartError(`it ${refused}`)
      await applyMigrations(execute)
      // Servers on the same store must not write in the meantime.
      await execute(`SELECT ${TAKE_WRITE_LOCK}`)
    })
    return work(contentsIn(address, session))
  }
  const settings = {
    idle_in_transaction_session_timeout: MIGRATION_IDLE_MS,
    lock_timeout: MIGRATION_LOCK_MS,
    // A plan for the empty table would read all rows for each batch, because no ANALYZE runs in the meantime.
    enable_seqscan: 'off',
  }
  return await session.transaction(fill, beginWith(settings))
}

function sessionOf(address: string): Promise<Session> {
  return orRefusal(address, (parsed) => atStart(() => openSession(parsed)))
}

function contentsIn(address: string, session: Session): Contents {
  const query: RunQuery = <Of extends object>(statement: string, ...parameters: Parameter[]) =>
    orRefusal(address, () => session.execute<Of>(statement, ...parameters)).catch(refuseText)

  return contentsOf({
    catalogue: `
      SELECT tables.relname AS "table", attname AS name, format_type(atttypid, atttypmod) AS type
      FROM pg_class AS tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
      WHERE relkind IN ('r', 'p') AND NOT relispartition
        AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'petstore_schema'::regclass)`,
    types: TYPES,
    selected: ({ name, type }) => `${quoted(name)}${type === 'boolean' ? '::int::bigint' : ''} AS ${quoted(name)}`,
    collation: '"C"',
    query: async (statement, ...parameters) => (await query(statement, ...parameters)).map((row) => Object.values(row)),
    transaction: (work) => session.transaction(work, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'),
    async insert({ name, columns }, rows) {
      const names = columns.map((column) => quoted(column.name))
      const values = columns.map(({ type }, place) => (type === 'boolean' ? `${names[place]} = 1` : names[place]))
      const read = columns.map(({ type }, place) => `${names[place]} ${READ_AS[type]}`)
      const objects = rows.map((row) => columns.map(({ name }, place) => [name, row[place]?.toString()] as const))
      await query(
        `INSERT INTO ${quoted(name)} (${names}) OVERRIDING SYSTEM VALUE
         SELECT ${values} FROM json_to_recordset($1::text::json) AS rows (${read})`,
        JSON.stringify(objects.map(Object.fromEntries)),
      )
    },
    derive: (table, after, rows) => indexRows(query, table, after, rows),
    lastId: async (table) => (await lastIdOf(query, table)).last,
    async setLastId(table, id) {
      await query(`SELECT setval(pg_get_serial_sequence(quote_ident($1), 'id'), $2)`, table, id)
    },
    beginEpoch: async () => void (await query(BEGIN_EPOCH)),
    close: () => session.close(),
  })
}

function refuseText(error: unknown): never {
  if (!UNTRANSLATABLE.includes(codeOf(error))) throw error
  throw new StartError('A text of the source contains U+0000, which PostgreSQL cannot store. So nothing was copied.')
}

/**
 * Returns the table's sequence, the last id that it assigned, and the highest id: logical replication and data-only
 * copies leave the sequence below the ids of the rows.
 */
export async function lastIdOf(query: RunQuery, table: string) {
  const [row] = await query<{ sequence: string; assigned: bigint; last: bigint }>(
    `SELECT sequence, assigned, greatest(assigned, (SELECT max(id) FROM ${quoted(table)})) AS last
     FROM pg_get_serial_sequence(quote_ident($1), 'id') AS sequence,
       LATERAL coalesce(pg_sequence_last_value(sequence::regclass), 0) AS assigned`,
    table,
  )
  if (!row) throw new Error(`${table} has no sequence`)
  return row
}
