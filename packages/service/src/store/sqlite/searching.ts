// Searches of a file run in a thread, on a connection of its own: one may read millions of entries of the index, and no other request waits for
// it. Those that run at the same time take turns, step by step.

import { BUSY_TIMEOUT_MS, type SqliteConnection } from './connection.ts'
import { translateCode } from './errors.ts'
import type { RunQuery } from './search.ts'
import THREAD from './search-thread.js' with { type: 'text' }
import { Thread } from './thread.ts'

type Answer = { rows: unknown[][] } | { code: string | undefined; message: string }

interface Searching {
  query: RunQuery
  /** Resolves when the thread has closed the file. */
  stop(): Promise<void>
}

export function searching(connection: SqliteConnection): Searching {
  const { filename } = connection.database
  const thread = new Thread<{ path?: string; waitMs?: number; sql?: string; values?: unknown[] }, Answer>(THREAD)
  return {
    async query(sql, ...values) {
      const answer = await thread.ask({ path: filename, waitMs: BUSY_TIMEOUT_MS, sql, values })
      // The thread opens the path, where another file may be meanwhile.
      connection.check()
      if ('rows' in answer) return answer.rows
      throw translateCode(answer.code ?? '', new Error(`${answer.message} (${answer.code})`))
    },
    stop: () => thread.stop({}),
  }
}
