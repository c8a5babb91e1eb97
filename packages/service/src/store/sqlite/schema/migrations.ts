// What each version of the schema adds, in order: the schema of 1.0.0, and a file for each later version. A released one never changes.

import schema from './migrations/0021-schema.sql' with { type: 'text' }
import orderTerms from './migrations/0022-order-terms.sql' with { type: 'text' }

export const MIGRATIONS: readonly string[] = [schema, orderTerms]

/** For versions that rewrite tables: the bytes that they write for each pet and order of the store, as measured. */
export const BYTES_PER_ROW: Readonly<Record<number, number>> = {}
