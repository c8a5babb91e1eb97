// The step from schema 17, that of commit 60c4a71, to that of 1.0.0, in the transaction of the migration: whatever happens before its end, the
// database stays as it is.

import { needsOf, needsSentence, type StepNeeds, stepReport } from '../../shared/versions.ts'
import { indexAll } from '../search.ts'
import type { RunQuery } from '../session.ts'
import schema from './0021-schema.sql' with { type: 'text' }
import rows from './from-17.sql' with { type: 'text' }

/** The tables of before that have other columns now. */
const SET_ASIDE = `ALTER TABLE events RENAME TO old_events;
  ALTER TABLE old_events RENAME CONSTRAINT events_pkey TO old_events_pkey`
/** The statements of the schema that make what is new in it. The indexes come behind the rows, which takes a fraction of the time. */
const statementsOf = (what: RegExp) => schema.split(';\n').filter((statement) => what.test(statement))
const TABLES = statementsOf(/^CREATE TABLE (events|search_\w+) /m)
const INDEXES = statementsOf(/^CREATE INDEX (events|search)_/m)

/** Without counting rows, for which a server has not the time: orders are never deleted. */
export async function stepNeeds(query: RunQuery): Promise<StepNeeds> {
  const [row] = await query<{ pets: bigint; orders: bigint; bytes: bigint }>(
    `SELECT (SELECT sum(pets) FROM inventory)::bigint AS pets, (SELECT coalesce(max(id), 0) FROM orders) AS orders,
            pg_total_relation_size('pets') + pg_total_relation_size('orders') + pg_total_relation_size('events') AS bytes`,
  )
  return needsOf(Number(row?.pets), Number(row?.orders), Number(row?.bytes))
}

/** Belongs to a transaction that holds the lock of all writes. Tells people of it. */
export async function step(query: RunQuery, report: (sentence: string) => void = () => undefined): Promise<void> {
  const needs = await stepNeeds(query)
  report(`${needsSentence(needs)}. Until its end the database stays as it is`)
  const onProgress = stepReport(report, needs)
  for (const statement of [SET_ASIDE, ...TABLES, rows]) await query(statement)
  const [events] = await query<{ n: bigint }>('SELECT count(*) AS n FROM events')
  onProgress({ what: 'events', done: Number(events?.n) })
  await indexAll(query, (done) => onProgress({ what: 'words', done }))
  for (const index of INDEXES) await query(index)
}
