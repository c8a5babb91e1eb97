// The rows of a PostgreSQL store, for copying. The user must own the tables, because ids are copied, not assigned.

import { StartError } from '../../domain/start-error.ts'
import { type ColumnEntry, type Contents, describeTables, keyOf, quoted, type Row, type Table } from '../contents.ts'
import type { PostgresAddress } from './address.ts'
import { Client } from './client.ts'
import { codeOf } from './errors.ts'
import { BEGIN_EPOCH } from './events.ts'
import { atStart, writableHost } from './hosts.ts'
import { orRefusal } from './refusals.ts'
import { MARK_FINISHED, MARK_UNFINISHED } from './schema.ts'
import { indexRows } from './search.ts'
import { checkSettings } from './server-check.ts'
import { type Parameter, type RunQuery, Session } from './session.ts'

const TYPES = { bigint: 'integer', text: 'text', boolean: 'boolean' } as const
/** The types that JSON values are read as. */
const READ_AS = { integer: 'bigint', text: 'text', boolean: 'int' } as const

const COLUMNS = `
  SELECT tables.relname AS "table", attname AS name, format_type(atttypid, atttypmod) AS type
  FROM pg_class AS tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
  WHERE relkind IN ('r', 'p') AND NOT relispartition
    AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'petstore_schema'::regclass)`

const CLOSE_TIMEOUT_MS = 1_000
/** https://www.postgresql.org/docs/current/errcodes-appendix.html: a character that does not exist in the encoding. */
const UNTRANSLATABLE = ['22P05', '22021']

export async function openPostgresContents(address: string): Promise<Contents> {
  const session = await orRefusal(address, (parsed) => atStart(() => openSession(parsed)))
  const query: RunQuery = <Of extends object>(statement: string, ...parameters: Parameter[]) =>
    orRefusal(address, () => session.execute<Of>(statement, ...parameters)).catch(refuseText)

  return {
    tables: async () => describeTables(await query<ColumnEntry>(COLUMNS), TYPES),
    count: async ({ name }) => Number((await query<{ n: bigint }>(`SELECT count(*) AS n FROM ${quoted(name)}`))[0]?.n),
    read: async (table, after, limit) => {
      const key = keyOf(table).map(orderable)
      const where = after ? `WHERE (${key}) > (${key.map((_, index) => `$${index + 2}`)})` : ''
      const rows = await query<Record<string, Row[number]>>(
        `SELECT ${selectList(table)} FROM ${quoted(table.name)} ${where} ORDER BY ${key} LIMIT $1`,
        limit,
        ...((after?.slice(0, table.key.length) ?? []) as Parameter[]),
      )
      return rows.map((row) => table.columns.map(({ name }) => row[name] ?? null))
    },
    write: async (table, rows) => {
      const names = table.columns.map(({ name }) => quoted(name))
      const values = table.columns.map(({ name, type }) => (type === 'boolean' ? `${quoted(name)} = 1` : quoted(name)))
      const write = () =>
        query(
          `INSERT INTO ${quoted(table.name)} (${names}) OVERRIDING SYSTEM VALUE SELECT ${values}
         FROM json_to_recordset($1::text::json) AS rows (${table.columns.map(({ name, type }) => `${quoted(name)} ${READ_AS[type]}`)})`,
          JSON.stringify(rows.map((row) => toObject(table, row))),
        )
      const { name: list } = table
      await session.transaction(async () => {
        await write()
        if (table.assigned) await setLastId(query, list, (await lastIdOf(query, list)).last)
        const [first = 0n] = rows[0] as [bigint]
        if (list === 'pets' || list === 'orders') await indexRows(query, list, first - 1n, rows.length)
      })
    },
    markUnfinished: async () => {
      await query(MARK_UNFINISHED)
    },
    markFinished: async () => {
      await query(BEGIN_EPOCH)
      await query(MARK_FINISHED)
    },
    lastId: async ({ name }) => (await lastIdOf(query, name)).last,
    setLastId: ({ name }, id) => setLastId(query, name, id),
    close: () => session.close(CLOSE_TIMEOUT_MS),
  }
}

function refuseText(error: unknown): never {
  if (!UNTRANSLATABLE.includes(codeOf(error))) throw error
  throw new StartError(
    'A text of the source contains U+0000, which PostgreSQL cannot store. Nothing of its batch was copied.',
  )
}

/** One connection, to the host that accepts writes. */
export async function openSession(address: PostgresAddress): Promise<Session> {
  const host = await writableHost(address)
  const session = new Session(() => Client.open(address, host))
  try {
    await checkSettings(session.execute)
    return session
  } catch (error) {
    await session.close(CLOSE_TIMEOUT_MS)
    throw error
  }
}

/** Orders text by its bytes, as SQLite does, whatever the database's collation is. */
function orderable({ name, type }: Table['columns'][number]): string {
  if (type === 'boolean') return `${quoted(name)}::int::bigint`
  return type === 'text' ? `${quoted(name)} COLLATE "C"` : quoted(name)
}

function selectList({ columns }: Table): string {
  const selected = columns.map(({ name, type }) =>
    type === 'boolean' ? `${quoted(name)}::int::bigint AS ${quoted(name)}` : quoted(name),
  )
  return selected.join(', ')
}

/**
 * The sequence of a table's ids, the last id that it has assigned, and the last one that there is: logical replication and copies of the
 * data alone leave the sequence behind the rows.
 */
export async function lastIdOf(
  query: RunQuery,
  table: string,
): Promise<{ sequence: string; assigned: bigint; last: bigint }> {
  const [row] = await query<{ sequence: string; assigned: bigint; last: bigint }>(
    `SELECT sequence, assigned, greatest(assigned, (SELECT max(id) FROM ${quoted(table)})) AS last
     FROM pg_get_serial_sequence(quote_ident($1), 'id') AS sequence,
       LATERAL coalesce(pg_sequence_last_value(sequence::regclass), 0) AS assigned`,
    table,
  )
  if (!row) throw new Error(`${table} has no sequence`)
  return row
}

async function setLastId(query: RunQuery, table: string, id: bigint): Promise<void> {
  await query(`SELECT setval(pg_get_serial_sequence(quote_ident($1), 'id'), $2)`, table, id)
}

function toObject({ columns }: Table, row: Row): Record<string, string | null> {
  return Object.fromEntries(columns.map(({ name }, index) => [name, row[index] === null ? null : String(row[index])]))
}
