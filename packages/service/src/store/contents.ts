// All rows of a store, table by table: for copying one store to another. The tables are those of shared/tables.ts; their columns are read
// from the database's catalogue, so that none that a store has is forgotten.

import { StartError } from '../domain/start-error.ts'
import { TABLES, type TableEntry } from './shared/tables.ts'

export type Value = bigint | string | null
/** The values in the order of the table's columns. */
export type Row = readonly Value[]

/** A boolean is read and written as 0 or 1, because SQLite has no type for it. */
type ColumnType = 'integer' | 'text' | 'boolean'

export interface Table extends TableEntry {
  /** Those of the key in its order, then the others by name: the same in every kind of store. */
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
}

export interface Contents {
  /** In the order of `TABLES`. Throws StartError when one of them cannot be copied. */
  tables(): Promise<Table[]>

  count(table: Table): Promise<number>

  /** Up to `limit` rows whose keys come after `after`, in the order of the keys. */
  read(table: Table, after: Row | undefined, limit: number): Promise<Row[]>

  /** Writes all rows or none. They are on disk when it resolves. */
  write(table: Table, rows: readonly Row[]): Promise<void>

  /** From now on servers and commands refuse the store. */
  markUnfinished(): Promise<void>

  /** Begins a new epoch of events, too. */
  markFinished(): Promise<void>

  /** The last value that the store has assigned, or that a row has; 0 before the first. */
  lastId(table: Table): Promise<bigint>

  /** From now on the store assigns only greater values. */
  setLastId(table: Table, id: bigint): Promise<void>

  close(): Promise<void>
}

/** A column as the catalogue describes it. */
export interface ColumnEntry {
  table: string
  name: string
  type: string
}

/** `types` maps the database's types to ours. Throws StartError for any other type. */
export function describeTables(entries: readonly ColumnEntry[], types: Readonly<Record<string, ColumnType>>): Table[] {
  const found = Map.groupBy(entries, ({ table }) => table)
  return TABLES.map((table: TableEntry) => {
    const columns = (found.get(table.name) ?? []).map(({ name, type }) => ({
      name,
      type: typeOf(table, name, type, types),
    }))
    const place = (name: string) => (table.key.includes(name) ? table.key.indexOf(name) : table.key.length)
    columns.sort((one, other) => place(one.name) - place(other.name) || (one.name < other.name ? -1 : 1))
    return { ...table, columns }
  })
}

/** An identifier in SQL, quoted as in both databases. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function keyOf({ columns, key }: Table): Table['columns'] {
  return columns.slice(0, key.length)
}

function typeOf(
  { name }: TableEntry,
  column: string,
  type: string,
  types: Readonly<Record<string, ColumnType>>,
): ColumnType {
  const known = types[type]
  if (known) return known
  throw new StartError(`The column ${name}.${column} is of the type ${type || 'none'}, which copy does not know.`)
}
