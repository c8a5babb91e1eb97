// All rows of a store, table by table: for copying one store to another. The tables are those of shared/tables.ts; their columns are read
// from the database's catalogue, so that none that a store has is forgotten.

import { StartError } from '../domain/start-error.ts'
import { TABLES, type TableEntry } from './shared/tables.ts'

type Value = bigint | string | null
/** The values in the order of the table's columns. */
export type TableRow = readonly Value[]

/** A boolean is read and written as 0 or 1, because SQLite has no type for it. */
interface Column {
  readonly name: string
  readonly type: 'integer' | 'text' | 'boolean'
}

export interface Table extends TableEntry {
  /** Those of the key in its order, then the others by name: the same in every kind of store. */
  readonly columns: readonly Column[]
}

interface Marks {
  /** From now on servers and commands refuse the store. */
  markUnfinished(): Promise<void>

  /** Begins a new epoch of events, too. */
  markFinished(): Promise<void>

  /** The last id that the table has assigned, or that a row has; 0 before the first. */
  lastId(table: string): Promise<bigint>

  /** From now on the table assigns only greater ids. */
  setLastId(table: string, id: bigint): Promise<void>

  close(): Promise<void>
}

export interface Contents extends Marks {
  /** In the order of `TABLES`. Throws StartError when one of them cannot be copied. */
  tables(): Promise<Table[]>

  count(table: Table): Promise<number>

  /** Up to `limit` rows whose keys come after `after`, in the order of the keys. */
  read(table: Table, after: TableRow | undefined, limit: number): Promise<TableRow[]>

  /** Writes all rows or none. They are on disk when it resolves. */
  write(table: Table, rows: readonly TableRow[]): Promise<void>
}

/** What each kind of store does in its own way. */
interface Dialect extends Marks {
  /** Selects the table, the name and the type of every column. */
  readonly catalogue: string
  readonly types: Readonly<Record<string, Column['type']>>
  /** Selects the value of a column. */
  selected(column: Column): string
  /** Compares text by its bytes. */
  readonly collation: string
  query(statement: string, ...parameters: TableRow): Promise<TableRow[]>
  transaction(work: () => Promise<void>): Promise<void>
  insert(table: Table, rows: readonly TableRow[]): Promise<void>
  /** Fills the index of search and the inventory from the next `rows` rows behind the id `after`. */
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
          throw new StartError(`The column ${column} is of the type ${type || 'none'}, which copy does not know.`)
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
    write: (table, rows) =>
      dialect.transaction(async () => {
        const { name, assigned } = table
        await dialect.insert(table, rows)
        // PostgreSQL counts only the ids that it has assigned.
        if (assigned) await dialect.setLastId(name, await dialect.lastId(name))
        const [first = 0n] = rows[0] as [bigint]
        if (name === 'pets' || name === 'orders') await dialect.derive(name, first - 1n, rows.length)
      }),
  }
}

/** An identifier in SQL, quoted as in both databases. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
