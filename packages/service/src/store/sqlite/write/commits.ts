// Commits changes to SQLite: changes that arrive together are decided and committed together, in order of arrival.

import { type Commit, decide, overdueIn } from '../../../domain/decisions/decision.ts'
import type { Decision } from '../../../domain/decisions/working-copy.ts'
import type { StoreOptions } from '../../../domain/store.ts'
import { monotonicMs } from '../../../system/runtime.ts'
import { batched, observe } from '../../shared/group-commit.ts'
import type { Statements } from '../connect/statements.ts'
import type { Transact } from '../connect/transaction.ts'
import { forgetting } from './idempotency.ts'
import { rowWriter } from './row-writer.ts'
import { snapshots } from './snapshot.ts'

export function commits(statements: Statements, transact: Transact, options: StoreOptions) {
  const forget = forgetting(statements, options.monotonic ?? (() => monotonicMs()), options.limits?.idempotencyMs)
  const snapshotOf = snapshots(statements)
  const write = rowWriter(statements)

  async function commitAll(decisions: Decision<unknown>[]) {
    const { outcomes, transitions } = await transact(() => {
      // Read while no other process can write, so times follow the commit order.
      const now = options.now()
      forget(now)
      const decided = decide(snapshotOf(now, overdueIn(decisions)), decisions)
      write(decided.writes, now)
      return decided
    }, KEEPS_KEYS)
    if (transitions.length > 0) observe(() => options.onTransitions?.(transitions))
    return [...outcomes]
  }

  const add = batched(commitAll, options.onBatch, options.limits?.batchMax)

  return { commit: add as Commit, drained: add.drained }
}

const KEEPS_KEYS = { keepsKeys: true }
