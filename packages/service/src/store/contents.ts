// Reads and writes all rows of a store, table by table, to copy one store to another. Columns come from the database's
// catalogue, so no column is forgotten.

import { StartError } from '../domain/start-error.ts'
import { TABLES, type TableEntry } from './shared/tables.ts'

type Value = bigint | string | null
/** Values in the order of the table's columns. */
export type TableRow = readonly Value[]

/** Booleans are read and written as 0 or 1, because SQLite has no boolean type. */
interface Column {
  readonly name: string
  readonly type: 'integer' | 'text' | 'boolean'
}

export interface Table extends TableEntry {
  /** The key columns in key order, then the other columns by name, so both kinds of store have the same order. */
  readonly columns: readonly Column[]
}

interface Basics {
  /** Runs `work` in one transaction, so that all its reads see the same state. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>

  /** Makes cursors of the source invalid. */
  beginEpoch(): Promise<void>

  /** Returns the highest id that was assigned or is in a row; 0 if there is none. */
  lastId(table: string): Promise<bigint>

  /** Makes the table assign only greater ids. */
  setLastId(table: string, id: bigint): Promise<void>

  close(): Promise<void>
}

export interface Contents extends Basics {
  /** In the order of `TABLES`. Throws StartError if a column has a type that cannot be copied. */
  tables(): Promise<Table[]>

  count(table: Table): Promise<number>

  /** Returns up to `limit` rows whose keys follow `after`, in key order. */
  read(table: Table, after: TableRow | undefined, limit: number): Promise<TableRow[]>

  /** Call it in a transaction. */
  write(table: Table, rows: readonly TableRow[]): Promise<void>
}

/** The parts that differ between SQLite and PostgreSQL. */
interface Dialect extends Basics {
  /** SQL that selects the table, name and type of every column. */
  readonly catalogue: string
  readonly types: Readonly<Record<string, Column['type']>>
  /** SQL for a column's value. */
  selected(column: Column): string
  /** The collation that compares text bytewise. */
  readonly collation: string
  query(statement: string, ...parameters: TableRow): Promise<TableRow[]>
  insert(table: Table, rows: readonly TableRow[]): Promise<void>
  /** Updates the search index and the inventory for the first `rows` rows after the id `after`. */
  derive(table: 'pets' | 'orders', after: bigint, rows: number): Promise<void>
}

export function contentsOf(dialect: Dialect): Contents {
  const { query, selected, collation } = dialect
  return {
    ...dialect,
    async tables() {
      const entries = (await query(dialect.catalogue)) as (readonly string[])[]
      const found = Map.groupBy(entries, ([table]) => table)
      return TABLES.map((table: TableEntry) => {
        const columns = (found.get(table.name) ?? []).map(([, name = '', type = '']): Column => {
          const known = dialect.types[type]
          if (known) return { name, type: known }
          const column = `${table.name}.${name}`
          throw new StartError(
            `The column ${column} has the type ${type || 'none'}, which petstore copy does not support.`,
          )
        })
        const place = (name: string) => (table.key.includes(name) ? table.key.indexOf(name) : table.key.length)
        columns.sort((one, other) => place(one.name) - place(other.name) || (one.name < other.name ? -1 : 1))
        return { ...table, columns }
      })
    },
    async count({ name }) {
      const [[count] = []] = await query(`SELECT count(*) FROM ${quoted(name)}`)
      return Number(count)
    },
    read({ name, key, columns }, after, limit) {
      const ordered = ({ name, type }: Column) => `${quoted(name)}${type === 'text' ? ` COLLATE ${collation}` : ''}`
      const order = columns.slice(0, key.length).map(ordered)
      const where = after ? `WHERE (${order}) > (${order.map((_, index) => `$${index + 1}`)})` : ''
      const sql = `SELECT ${columns.map(selected)} FROM ${quoted(name)} ${where} ORDER BY ${order} LIMIT ${limit}`
      return query(sql, ...(after?.slice(0, key.length) ?? []))
    },
    async write(table, rows) {
      await dialect.insert(table, rows)
      const [first = 0n] = rows[0] as [bigint]
      if (table.name === 'pets' || table.name === 'orders') await dialect.derive(table.name, first - 1n, rows.length)
    },
  }
}

/** Quotes an SQL identifier for both databases. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
