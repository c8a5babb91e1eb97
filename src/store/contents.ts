// Everything that a store holds, row by row, as it stands in its tables: for copying one to another, and nothing else.
// Which tables and columns there are, the database's own catalogue says: nothing that a migration adds can be forgotten.

import { StartError } from '../domain/errors.ts'

export type Value = bigint | string | null
/** In the order of the table's columns. */
export type Row = readonly Value[]

/** A boolean is read and written as 0 or 1: SQLite has none of its own. */
export type ColumnType = 'integer' | 'text' | 'boolean'

export interface Table {
  readonly name: string
  /** First those of the primary key, in its order, then the others by name: the same in every kind of store. */
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
  /** How many of the first columns are the primary key; all rows are read in its order. */
  readonly keyLength: number
  /** The column whose values the store assigns, if any. */
  readonly assigned: string | undefined
  /** The tables that its foreign keys name. */
  readonly references: readonly string[]
}

export interface Contents {
  /** In an order in which each row finds those that it refers to. Throws StartError when one of them cannot be copied. */
  tables(): Promise<Table[]>

  count(table: Table): Promise<number>

  /** Up to `limit` rows whose keys come after `after`. */
  read(table: Table, after: Row | undefined, limit: number): Promise<Row[]>

  /** All of them or none, and on disk. */
  write(table: Table, rows: readonly Row[]): Promise<void>

  /** Removes all rows. */
  clear(table: Table): Promise<void>

  /** The last value that was assigned, 0 before the first. */
  lastId(table: Table): Promise<bigint>

  /** From now on only values after this one are assigned. */
  setLastId(table: Table, id: bigint): Promise<void>

  close(): Promise<void>
}

/** A column as a catalogue has it. */
export interface ColumnEntry {
  name: string
  type: string
  /** Its place in the primary key, from 1; 0 outside. */
  place: number
  assigned: boolean
}

/** `types` says what each type of the database is to us. Throws StartError for any other, and without a primary key. */
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

/** The same tables, each after those that it refers to. Throws StartError when they refer to each other in a circle. */
export function referencedFirst(tables: readonly Table[]): Table[] {
  const ordered: Table[] = []
  let waiting = tables
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name))
    const isFree = (table: Table) => table.references.every((name) => name === table.name || !names.has(name))
    const free = waiting.filter(isFree)
    if (free.length === 0) throw new StartError(`The tables ${[...names].join(', ')} refer to each other in a circle.`)
    ordered.push(...free)
    waiting = waiting.filter((table) => !free.includes(table))
  }
  return ordered
}

/** An identifier in SQL, as both databases quote it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function keyOf({ columns, keyLength }: Table): Table['columns'] {
  return columns.slice(0, keyLength)
}
