// Everything that a store holds, row by row, as it stands in its tables: for copying one to another, and nothing else.
// Both kinds of store have the same tables and columns.

export type Value = bigint | string | null
/** In the order of the table's columns. */
export type Row = readonly Value[]

export interface Table {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: 'integer' | 'text' | 'boolean' }[]
  /** How many of the first columns tell a row from the others; all rows are read in their order. */
  readonly keyLength: number
  /** Whether the first column is an id that the store assigns. */
  readonly assigned: boolean
}

const integer = (name: string) => ({ name, type: 'integer' }) as const
const text = (name: string) => ({ name, type: 'text' }) as const
const boolean = (name: string) => ({ name, type: 'boolean' }) as const

/** In an order in which each row finds those that it refers to. A boolean is read and written as 0 or 1. */
export const TABLES: readonly Table[] = [
  {
    name: 'keys',
    columns: [
      integer('id'),
      text('name'),
      text('hash'),
      boolean('read_only'),
      integer('created_at'),
      integer('expires_at'),
      integer('revoked_at'),
    ],
    keyLength: 1,
    assigned: true,
  },
  {
    name: 'pets',
    columns: [
      integer('id'),
      text('name'),
      integer('category_id'),
      text('status'),
      integer('created_at'),
      integer('created_by'),
    ],
    keyLength: 1,
    assigned: true,
  },
  {
    name: 'idempotency_keys',
    columns: [integer('pet_id'), integer('key_id'), text('key'), integer('created_at')],
    keyLength: 1,
    assigned: false,
  },
  {
    name: 'deprecated_calls',
    columns: [integer('key_id'), text('operation_id'), integer('calls'), integer('last_at')],
    keyLength: 2,
    assigned: false,
  },
]

export interface Contents {
  count(table: Table): Promise<number>

  /** Up to `limit` rows whose keys come after `after`. */
  read(table: Table, after: Row | undefined, limit: number): Promise<Row[]>

  /** All of them or none, and on disk. */
  write(table: Table, rows: readonly Row[]): Promise<void>

  /** The last id that was assigned, 0 before the first. */
  lastId(table: Table): Promise<bigint>

  /** From now on only ids after this one are assigned. */
  setLastId(table: Table, id: bigint): Promise<void>

  close(): Promise<void>
}
