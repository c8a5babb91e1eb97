// The rights that a server needs, table by table: the least, for a role that does not own the tables. Those on columns follow from the
// table of columns. `npm run generate` writes them into docs/postgresql.md.

import { StartError } from '../../domain/start-error.ts'
import type { AnyColumns } from '../shared/columns.ts'
import { NEW_PET_COLUMNS } from '../shared/pet-columns.ts'
import type { MADE, TableName } from '../shared/tables.ts'
import type { RunQuery } from './session.ts'

/** A table that is added does not compile before it is named here, too. */
type Rights = Readonly<Record<TableName | (typeof MADE.postgres)[number], readonly string[]>>

/** What a correction sets, and nothing else of a pet, can be changed. */
function rightsWith(petColumns: AnyColumns): Rights {
  return {
    petstore_schema: ['SELECT'],
    pets: ['SELECT', 'INSERT', ...Object.values(petColumns).map(({ column }) => `UPDATE (${column})`), 'DELETE'],
    orders: ['SELECT', 'INSERT', 'UPDATE'],
    inventory: ['SELECT'],
    events: ['SELECT', 'INSERT'],
    event_epoch: ['SELECT'],
    search_pets: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    search_orders: ['SELECT', 'INSERT', 'UPDATE'],
    keys: ['SELECT', 'INSERT', 'UPDATE'],
    deprecated_calls: ['SELECT', 'INSERT', 'UPDATE'],
    idempotency_answers: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  }
}

/** The statements that give a role what a server needs, one a line. */
export function grants(role: string, petColumns: AnyColumns = NEW_PET_COLUMNS): string {
  const tables = Object.entries(rightsWith(petColumns)).map(
    ([table, rights]) => `GRANT ${rights.join(', ')} ON ${table} TO ${role};`,
  )
  return [`GRANT USAGE ON SCHEMA public TO ${role};`, ...tables].join('\n')
}

/** What the roles need that had rights on the schema of before, and do not own it: for people, and as statements. */
export async function newGrants(query: RunQuery): Promise<string[]> {
  const roles = await query<{ role: string }>(
    `SELECT DISTINCT grantee::regrole::text AS role
     FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = 'pets'::regclass AND grantee NOT IN (0, relowner) ORDER BY role`,
  )
  return roles.flatMap(({ role }) => [`${role} needs these rights now:`, ...grants(role).split('\n')])
}

/** Throws StartError when the user lacks a privilege that a server needs. */
export async function checkRights(query: RunQuery, petColumns: AnyColumns = NEW_PET_COLUMNS): Promise<void> {
  const needed = Object.entries(rightsWith(petColumns)).flatMap(([table, rights]) =>
    rights.map((right) => `('${table}', '${right}', ${isHeld(table, right)})`),
  )
  const missing = await query<{ name: string; right: string }>(
    `SELECT name, "right" FROM (VALUES ${needed}) AS needed (name, "right", held) WHERE NOT held`,
  )
  if (missing.length === 0) return
  const list = missing.map(({ name, right }) => `${right} ON ${name}`).join(', ')
  throw new StartError(`this user lacks privileges (${list}): grant them, as petstore help postgresql says`)
}

function isHeld(table: string, right: string): string {
  const [, name, column] = /^(\w+) \((\w+)\)$/.exec(right) ?? []
  return column
    ? `has_column_privilege('${table}', '${column}', '${name}')`
    : `has_table_privilege('${table}', '${right}')`
}
