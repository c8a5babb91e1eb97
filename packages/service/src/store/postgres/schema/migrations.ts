// What each version of the schema adds, in order: the schema of 1.0.0, and a file for each later version. A released one never changes.

import schema from './migrations/0021-schema.sql' with { type: 'text' }
import orderTerms from './migrations/0022-order-terms.sql' with { type: 'text' }

export const MIGRATIONS: readonly string[] = [schema, orderTerms]
