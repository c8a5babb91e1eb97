// The minimum rights of a server whose role does not own the tables. Rights on columns follow from the table of
// columns. `npm run generate` writes them into docs/postgresql.md.

import { StartError } from '../../../domain/start-error.ts'
import { NEW_PET_COLUMNS } from '../../shared/rows.ts'
import type { MADE, TableName } from '../../shared/tables.ts'
import type { RunQuery } from '../connect/session.ts'

/** A new table does not compile until it is listed here. Only the columns that a correction sets can be updated. */
const RIGHTS: Readonly<Record<TableName | (typeof MADE.postgres)[number], readonly string[]>> = {
  petstore_schema: ['SELECT'],
  pets: ['SELECT', 'INSERT', ...Object.values(NEW_PET_COLUMNS).map(({ column }) => `UPDATE (${column})`), 'DELETE'],
  orders: ['SELECT', 'INSERT', 'UPDATE'],
  inventory: ['SELECT'],
  events: ['SELECT', 'INSERT'],
  event_epoch: ['SELECT'],
  search_pets: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  search_orders: ['SELECT', 'INSERT', 'UPDATE'],
  keys: ['SELECT', 'INSERT', 'UPDATE'],
  deprecated_calls: ['SELECT', 'INSERT', 'UPDATE'],
  idempotency_answers: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  category_names: ['SELECT', 'INSERT', 'DELETE'],
}

/** Returns the statements that grant a role the rights of a server, one per line. */
export function grants(role: string): string {
  const tables = Object.entries(RIGHTS).map(([table, rights]) => `GRANT ${rights.join(', ')} ON ${table} TO ${role};`)
  return [`GRANT USAGE ON SCHEMA public TO ${role};`, ...tables].join('\n')
}

/** Returns, for each role that can add pets but lacks a right, a heading and the grants. */
export async function newGrants(query: RunQuery): Promise<string[]> {
  const missing = await query<{ role: string; grant: string }>(
    `SELECT role::text, format('GRANT %s ON %I TO %s;', string_agg("right" || coalesce(' (' || part || ')', ''), ', '), name, role) AS grant
     FROM (SELECT DISTINCT grantee::regrole AS role FROM pg_class, aclexplode(relacl)
       WHERE pg_class.oid = 'pets'::regclass AND privilege_type = 'INSERT' AND grantee NOT IN (0, relowner)) AS roles,
       ${needed()} WHERE NOT ${held('role')} GROUP BY role, name ORDER BY 1, 2`,
  )
  const roles = [...Map.groupBy(missing, ({ role }) => role)]
  return roles.flatMap(([role, grants]) => [`${role} needs these rights now:`, ...grants.map(({ grant }) => grant)])
}

/** Throws StartError if the user lacks a right that a server needs. */
export async function checkRights(query: RunQuery): Promise<void> {
  const missing = await query<{ name: string; right: string }>(
    `SELECT name, "right" || coalesce(' (' || part || ')', '') AS "right" FROM ${needed()}
     WHERE NOT ${held('current_user::regrole')}`,
  )
  if (missing.length === 0) return
  const list = missing.map(({ name, right }) => `${right} ON ${name}`).join(', ')
  throw new StartError(`this user lacks privileges (${list}): see petstore help postgresql for the grants`)
}

/** A row for each right; `part` is its column, or NULL for the whole table. */
function needed(): string {
  const rows = Object.entries(RIGHTS).flatMap(([table, rights]) =>
    rights.map((right) => {
      const [, name = right, column] = /^(\w+) \((\w+)\)$/.exec(right) ?? []
      return `('${table}', '${name}', ${column ? `'${column}'` : 'NULL'})`
    }),
  )
  return `(VALUES ${rows}) AS needed (name, "right", part)`
}

function held(role: string): string {
  return `CASE WHEN part IS NULL THEN has_table_privilege(${role}, name, "right")
    ELSE has_column_privilege(${role}, name, part, "right") END`
}
