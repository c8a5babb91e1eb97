// Overdue reservations in PostgreSQL. Each sale leaves a dead entry in the index of reservations by expiry. VACUUM cannot
// remove it while an older snapshot is open, for example in a `pg_dump`, so a read from the first entry can walk
// through millions of them.

import { monotonicMs } from '../../../system/runtime.ts'
import { EXPIRES } from '../../shared/rows.ts'
import { TIMELINE } from '../connect/hosts.ts'
import type { RunQuery } from '../connect/session.ts'
import { LAST_IDS, type SeenIds } from '../seen-ids.ts'

/** The database's time of a read that found nothing overdue, in milliseconds since 1970, and the host's timeline. */
interface Mark {
  readonly now: bigint
  readonly timeline: string
}

/** Reads from the first entry. */
const NONE: Mark = { now: 0n, timeline: '' }
/** No transaction takes as long. A reservation expires later than its transaction began. */
const TRANSACTION_MS = 60_000
/** How often all entries are read, because only these reads find reservations whose expiry was changed by hand. */
const ALL_EVERY_MS = 60_000

interface OverdueFinder {
  /**
   * Reads on from the last time at which it found none. On another primary, or if the database's clock was moved back, it
   * begins with the first entry again.
   */
  isAny(): Promise<boolean>
  /** The expiry of the first one that `isAny` found. A transaction that starts there walks through no dead entries. */
  first(): bigint
}

/** The reads also show `seen` the last ids, so that each server knows them. */
export function overdueFinder(read: RunQuery, seen: SeenIds): OverdueFinder {
  let mark = NONE
  let first = 0n
  let allAt = 0

  async function isAnyAfter(from: Mark): Promise<boolean> {
    const [found] = (await read(firstAfter(from))) as [Mark & Parameters<SeenIds['see']>[0] & { first: bigint | null }]
    seen.see(found)
    if (found.first !== null) first = found.first
    else if (mark === from) mark = found
    return found.first !== null
  }

  /** In the background, because it can take longer than a reservation may stay overdue. */
  async function readAll(): Promise<void> {
    if (await isAnyAfter(NONE)) mark = NONE
  }

  return {
    first: () => first,
    isAny() {
      if (monotonicMs() >= allAt) {
        allAt = monotonicMs() + ALL_EVERY_MS
        // Retries after a minute if this fails.
        if (mark !== NONE) readAll().catch(() => {})
      }
      return isAnyAfter(mark)
    },
  }
}

/** Without parameters, so that it is planned for these times, and not once while the table is small. */
function firstAfter({ now, timeline }: Mark): string {
  const after = `CASE WHEN now >= ${now} AND timeline = '${timeline}' THEN ${now - BigInt(TRANSACTION_MS)} ELSE 0 END`
  return `SELECT now, timeline, (
      SELECT expires_at FROM orders WHERE ${EXPIRES} AND expires_at > ${after} AND expires_at <= now
      ORDER BY expires_at LIMIT 1
    ) AS first, ${LAST_IDS} FROM (SELECT petstore_now() AS now, ${TIMELINE} AS timeline) AS clock`
}
