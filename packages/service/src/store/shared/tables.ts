// The tables of a store, the same in both kinds. Copies, skipped ids and server rights are derived from this list.
// `packages/service/test/store/table-list.process.test.ts` compares it with both catalogues.

export interface TableEntry {
  readonly name: string
  /** The columns of the primary key, in order. */
  readonly key: readonly string[]
  /** The store assigns the key, starting at 1. */
  readonly assigned?: boolean
}

/** Tables that are copied and compared. Each follows the tables that it refers to. */
export const TABLES = [
  { name: 'keys', key: ['id'], assigned: true },
  { name: 'pets', key: ['id'], assigned: true },
  { name: 'orders', key: ['id'], assigned: true },
  { name: 'events', key: ['id'], assigned: true },
  { name: 'idempotency_answers', key: ['key_id', 'key'] },
  { name: 'deprecated_calls', key: ['key_id', 'operation_id'] },
  { name: 'category_names', key: ['id'] },
] as const satisfies readonly TableEntry[]

/**
 * Tables that each store fills itself: counts, search indexes, and the epoch, because cursors are valid in one store
 * only.
 */
export const MADE = {
  sqlite: ['inventory', 'event_epoch', 'search_pets', 'search_orders'],
  postgres: ['petstore_schema', 'inventory', 'event_epoch', 'search_pets', 'search_orders'],
} as const

export const ASSIGNING = (TABLES as readonly TableEntry[]).filter(({ assigned }) => assigned).map(({ name }) => name)

export type TableName = (typeof TABLES)[number]['name']
