// Generates the grants in docs/postgresql.md. The rest of the page is written by hand.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { grants } from '../packages/service/src/store/postgres/schema/rights.ts'

const GRANTS = /^GRANT USAGE ON SCHEMA public TO petstore;\n(?:GRANT .* TO petstore;\n)*/m

/** Returns the text of docs/postgresql.md. Throws an Error if the section of the grants is missing. */
export function postgresqlPage(): string {
  const page = readFileSync(join(import.meta.dir, '../docs/postgresql.md'), 'utf8')
  if (!GRANTS.test(page)) throw new Error('docs/postgresql.md has no section for the grants')
  return page.replace(GRANTS, `${grants('petstore')}\n`)
}
