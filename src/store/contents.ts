// All rows of a store, table by table: for copying one store to another. The tables and columns are read from the database's
// catalogue, so that nothing that a migration adds is forgotten.

import { StartError } from '../domain/errors.ts'

export type Value = bigint | string | null
/** The values in the order of the table's columns. */
export type Row = readonly Value[]

/** A boolean is read and written as 0 or 1, because SQLite has no type for it. */
export type ColumnType = 'integer' | 'text' | 'boolean'

export interface Table {
  readonly name: string
  /** The columns of the primary key in its order, then the others by name: the same in every kind of store. */
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
  /** The number of columns in the primary key. Rows are read in its order. */
  readonly keyLength: number
  /** The column whose values the store assigns, if any. */
  readonly assigned: string | undefined
  /** The tables that its foreign keys refer to. */
  readonly references: readonly string[]
}

export interface Contents {
  /** Each after those that it refers to. Throws StartError when one of them cannot be copied. */
  tables(): Promise<Table[]>

  count(table: Table): Promise<number>

  /** Up to `limit` rows whose keys come after `after`. */
  read(table: Table, after: Row | undefined, limit: number): Promise<Row[]>

  /** Writes all rows or none. They are on disk when it resolves. */
  write(table: Table, rows: readonly Row[]): Promise<void>

  /** From now on servers and commands refuse the store. */
  markUnfinished(): Promise<void>

  /** Begins a new epoch of events, too. */
  markFinished(): Promise<void>

  /** The last value that the store assigned; 0 before the first. */
  lastId(table: Table): Promise<bigint>

  /** From now on the store assigns only greater values. */
  setLastId(table: Table, id: bigint): Promise<void>

  close(): Promise<void>
}

/** A column as the catalogue describes it. */
export interface ColumnEntry {
  name: string
  type: string
  /** Its position in the primary key, from 1; 0 when it is not part of it. */
  place: number
  assigned: boolean
}

/** `types` maps the database's types to ours. Throws StartError for any other type, and for a table without a primary key. */
export function describeTable(
  name: string,
  entries: readonly ColumnEntry[],
  references: readonly string[],
  types: Readonly<Record<string, ColumnType>>,
): Table {
  const key = entries.filter(({ place }) => place > 0).sort((one, other) => one.place - other.place)
  if (key.length === 0) throw new StartError(`The table ${name} has no primary key: it cannot be copied.`)
  const others = entries.filter(({ place }) => place === 0).sort((one, other) => (one.name < other.name ? -1 : 1))
  const columns = [...key, ...others].map(({ name: column, type }) => {
    const known = types[type]
    if (!known) {
      throw new StartError(`The column ${name}.${column} is of the type ${type || 'none'}, which copy does not know.`)
    }
    return { name: column, type: known }
  })
  return { name, columns, keyLength: key.length, assigned: entries.find(({ assigned }) => assigned)?.name, references }
}

/** The same tables, each after those that it refers to. Throws StartError when their references form a cycle. */
export function referencedFirst(tables: readonly Table[]): Table[] {
  const ordered: Table[] = []
  let waiting = tables
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name))
    const isFree = (table: Table) => table.references.every((name) => name === table.name || !names.has(name))
    const free = waiting.filter(isFree)
    if (free.length === 0) throw new StartError(`The tables ${[...names].join(', ')} refer to each other in a cycle.`)
    ordered.push(...free)
    waiting = waiting.filter((table) => !free.includes(table))
  }
  return ordered
}

/** An identifier in SQL, quoted as in both databases. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function keyOf({ columns, keyLength }: Table): Table['columns'] {
  return columns.slice(0, keyLength)
}
