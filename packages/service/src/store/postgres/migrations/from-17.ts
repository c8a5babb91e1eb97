// The step from schema 17, that of commit 60c4a71, to that of 1.0.0, in the transaction of the migration: whatever happens before its end, the
// database stays as it is.

import { needsOf, needsSentence, type StepNeeds, stepReport } from '../../shared/versions.ts'
import { indexAll } from '../search.ts'
import type { RunQuery } from '../session.ts'
import statements from './from-17.sql' with { type: 'text' }

/** Behind the rows, which takes a fraction of the time. */
const INDEXES = ['pets', 'orders'].map(
  (list) =>
    `CREATE INDEX search_${list}_by_word ON search_${list} USING gin (words) WITH (gin_pending_list_limit = 64)`,
)

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
  await query(statements)
  const [events] = await query<{ n: bigint }>('SELECT count(*) AS n FROM events')
  onProgress({ what: 'events', done: Number(events?.n) })
  await indexAll(query, (done) => onProgress({ what: 'words', done }))
  for (const index of INDEXES) await query(index)
}
