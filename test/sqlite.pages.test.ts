// How SQLite finds the pets of a page. What a page holds is tested for both stores (store.conformance.ts).

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { MIGRATIONS } from '../src/store/sqlite/connection.ts'
import { petPages } from '../src/store/sqlite/pet-pages.ts'
import { Statements } from '../src/store/sqlite/statements.ts'

test('a page with a status begins behind its cursor in the index', () => {
  expect(plans().filter((plan) => plan.includes('status=?'))).toEqual([
    'SEARCH pets USING INDEX pets_by_status (status=? AND id>?)',
  ])
})

test('no page sorts, or reads the whole table', () => {
  // The groups that are scanned are the pets of a page.
  for (const plan of plans()) expect(plan).toMatch(/^(SEARCH pets USING|CO-ROUTINE|SCAN \(subquery)/)
})

test('no statement gives SQLite a reason to plan it at every execution', () => {
  for (const sql of statementsOfPages().sql) {
    expect(sql).not.toMatch(/LIMIT \?/)
    if (sql.includes('status = ?')) expect(sql).not.toContain('ORDER BY')
  }
})

function plans(): string[] {
  const { database, sql } = statementsOfPages()
  return sql.flatMap((text) =>
    database
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map(({ detail }) => detail),
  )
}

function statementsOfPages(): { database: Database; sql: string[] } {
  const database = new Database(':memory:')
  for (const migration of MIGRATIONS) database.run(migration)
  const sql: string[] = []
  class Recorded extends Statements {
    override query: Statements['query'] = (text) => {
      sql.push(text)
      return super.query(text)
    }
  }
  petPages(new Recorded({ database, reopen() {}, close() {} }))
  return { database, sql }
}
