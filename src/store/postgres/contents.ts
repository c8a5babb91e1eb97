// The rows of a PostgreSQL store, for copying. Its user must be the owner of the tables: ids are given, not assigned.

import { type PostgresAddress, parsePostgresAddress } from '../../address.ts'
import { StartError } from '../../errors.ts'
import type { Contents, Row, Table } from '../contents.ts'
import { type Ask, askOn, type Parameter } from './connection.ts'
import { codeOf } from './errors.ts'
import { openPool, writableHost } from './hosts.ts'
import { refusal } from './refusals.ts'

const TYPES = { integer: 'bigint', text: 'text', boolean: 'int' } as const
/** https://www.postgresql.org/docs/current/errcodes-appendix.html: a character that the encoding has not. */
const UNTRANSLATABLE = ['22P05', '22021']

export async function openPostgresContents(address: string): Promise<Contents> {
  const parsed: PostgresAddress = parsePostgresAddress(address)
  const sql = openPool(parsed, await writableHost(parsed), { max: 1 })
  const ask: Ask = async (statement, ...parameters) => {
    try {
      return await askOn(sql)(statement, ...parameters)
    } catch (error) {
      if (UNTRANSLATABLE.includes(codeOf(error))) {
        throw new StartError(
          'A text of the source holds U+0000, which PostgreSQL cannot keep: nothing of its batch was copied.',
        )
      }
      throw refusal(address, error)
    }
  }

  return {
    count: async ({ name }) => Number((await ask<{ n: bigint }>(`SELECT count(*) AS n FROM ${name}`))[0]?.n),
    read: async (table, after, limit) => {
      const key = keyOf(table)
      const where = after ? `WHERE (${key}) > (${key.map((_, index) => `$${index + 2}`)})` : ''
      const rows = await ask<Record<string, Row[number]>>(
        `SELECT ${selectList(table)} FROM ${table.name} ${where} ORDER BY ${key} LIMIT $1`,
        limit,
        ...((after?.slice(0, table.keyLength) ?? []) as Parameter[]),
      )
      return rows.map((row) => table.columns.map(({ name }) => row[name] ?? null))
    },
    write: async (table, rows) => {
      const columns = table.columns.map(({ name }) => name)
      await ask(
        `INSERT INTO ${table.name} (${columns}) OVERRIDING SYSTEM VALUE
         SELECT ${table.columns.map(({ name, type }) => (type === 'boolean' ? `${name} = 1` : name))}
         FROM json_to_recordset($1::text::json) AS rows (${table.columns.map(({ name, type }) => `${name} ${TYPES[type]}`)})`,
        JSON.stringify(rows.map((row) => toObject(columns, row))),
      )
    },
    lastId: async ({ name }) => {
      const [row] = await ask<{ id: bigint }>(
        `SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence('${name}', 'id')::regclass), 0) AS id`,
      )
      return row?.id ?? 0n
    },
    setLastId: async ({ name }, id) => {
      await ask(`SELECT setval(pg_get_serial_sequence('${name}', 'id'), $1)`, id)
    },
    close: () => sql.end({ timeout: 1 }),
  }
}

/** In the order of bytes, as SQLite has it, whatever the database's own order is. */
function keyOf({ columns, keyLength }: Table): string[] {
  return columns.slice(0, keyLength).map(({ name, type }) => (type === 'text' ? `${name} COLLATE "C"` : name))
}

function selectList({ columns }: Table): string {
  return columns.map(({ name, type }) => (type === 'boolean' ? `${name}::int::bigint AS ${name}` : name)).join(', ')
}

function toObject(columns: readonly string[], row: Row): Record<string, string | null> {
  return Object.fromEntries(columns.map((name, index) => [name, row[index] === null ? null : String(row[index])]))
}
