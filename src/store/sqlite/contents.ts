// The rows of a SQLite store, for copying.

import { resolve } from 'node:path'
import type { Contents, Row, Table } from '../contents.ts'
import { openConnection } from './connection.ts'
import { translated } from './errors.ts'
import { Statements } from './statements.ts'
import { transactions } from './transaction.ts'

export function openSqliteContents(path: string): Contents {
  const connection = openConnection(resolve(path))
  const { database } = connection
  const statements = new Statements(connection)
  const { transact } = transactions(connection, statements)
  const select = <Values extends readonly unknown[]>(sql: string, ...parameters: (bigint | string | number | null)[]) =>
    translated(() => database.query(sql).values(...parameters) as unknown as Values[])

  return {
    count: async ({ name }) => Number(select<[bigint]>(`SELECT count(*) FROM ${name}`)[0]?.[0]),
    read: async (table, after, limit) => {
      const key = keyOf(table).join(', ')
      const where = after ? `WHERE (${key}) > (${keyOf(table).map(() => '?')})` : ''
      return select<Row>(
        `SELECT ${columnsOf(table)} FROM ${table.name} ${where} ORDER BY ${key} LIMIT ?`,
        ...(after?.slice(0, table.keyLength) ?? []),
        limit,
      )
    },
    write: async (table, rows) => {
      const insert = database.query(
        `INSERT INTO ${table.name} (${columnsOf(table)}) VALUES (${table.columns.map(() => '?')})`,
      )
      await transact(() => {
        for (const row of rows) insert.run(...row)
      })
    },
    lastId: async ({ name }) => select<[bigint]>('SELECT seq FROM sqlite_sequence WHERE name = ?', name)[0]?.[0] ?? 0n,
    setLastId: async ({ name }, id) => {
      await transact(() => {
        database.query('DELETE FROM sqlite_sequence WHERE name = ?').run(name)
        database.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(name, id)
      })
    },
    close: async () => connection.close(),
  }
}

function columnsOf({ columns }: Table): string {
  return columns.map(({ name }) => name).join(', ')
}

function keyOf({ columns, keyLength }: Table): string[] {
  return columns.slice(0, keyLength).map(({ name }) => name)
}
