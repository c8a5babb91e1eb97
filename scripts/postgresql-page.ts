// The grants that a server needs → docs/postgresql.md, of which everything else is written by hand.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { grants } from '../packages/service/src/store/postgres/schema/rights.ts'

const GRANTS = /^GRANT USAGE ON SCHEMA public TO petstore;\n(?:GRANT .* TO petstore;\n)*/m

/** The text of docs/postgresql.md. Throws an Error when the place for the grants is not there. */
export function postgresqlPage(): string {
  const page = readFileSync(join(import.meta.dir, '../docs/postgresql.md'), 'utf8')
  if (!GRANTS.test(page)) throw new Error('docs/postgresql.md has no grants to replace')
  return page.replace(GRANTS, `${grants('petstore')}\n`)
}
