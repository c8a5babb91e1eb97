// What each version of the schema adds: the schema of 1.0.0, then a file for each later version. Released files never
// change.

import schema from './migrations/0021-schema.sql' with { type: 'text' }
import orderTerms from './migrations/0022-order-terms.sql' with { type: 'text' }
import secondRelease from './migrations/0023-second-release.sql' with { type: 'text' }

export const MIGRATIONS: readonly string[] = [schema, orderTerms, secondRelease]
