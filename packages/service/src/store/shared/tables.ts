// The tables of a store, the same in both kinds. Whatever goes through a whole store goes through this list: copies, ids that are left out,
// the rights of a server. `packages/service/test/store/table-list.process.test.ts` holds it against both catalogues.

export interface TableEntry {
  readonly name: string
  /** The columns of the primary key, in its order. */
  readonly key: readonly string[]
  /** The store assigns the key, from 1 upwards. */
  readonly assigned?: boolean
}

/** Those whose rows are copied and compared, each after those that it refers to. */
export const TABLES = [
  { name: 'keys', key: ['id'], assigned: true },
  { name: 'pets', key: ['id'], assigned: true },
  { name: 'orders', key: ['id'], assigned: true },
  { name: 'events', key: ['id'], assigned: true },
  { name: 'idempotency_answers', key: ['key_id', 'key'] },
  { name: 'deprecated_calls', key: ['key_id', 'operation_id'] },
] as const satisfies readonly TableEntry[]

/** Those that each store fills itself: counts, the index of search, and the epoch, for cursors belong to one store. */
export const MADE = {
  sqlite: ['inventory', 'event_epoch', 'search_pets', 'search_orders'],
  postgres: ['petstore_schema', 'inventory', 'event_epoch', 'search_pets', 'search_orders'],
} as const

/** The tables that assign ids. */
export const ASSIGNING = (TABLES as readonly TableEntry[]).filter(({ assigned }) => assigned).map(({ name }) => name)

export type TableName = (typeof TABLES)[number]['name']
