// Decides changes of pets and orders for every store. In one transaction, under the lock that orders commits, a store
// reads the rows that a batch touches, calls `decide`, and writes the result. Each decision sees the effects of the
// decisions before it.

import { refusedKey } from '../keys.ts'
import type { Decision } from './decision.ts'
import type { Snapshot } from './snapshot.ts'
import { WorkingCopy } from './working-copy.ts'

export type Decided = ReturnType<typeof decide>

/** Returns outcomes in the order of the decisions. Throws if the store contradicts itself; nothing may be written then. */
export function decide(snapshot: Snapshot, decisions: readonly Decision<unknown>[]) {
  const copy = new WorkingCopy(snapshot)
  const outcomes = decisions.map((decision) => {
    const state = decision.by === null ? undefined : snapshot.refusedKey(decision.by)
    return state === undefined ? decision.decide(copy) : refusedKey(state)
  })
  return { outcomes, writes: copy.writes(), transitions: copy.transitions }
}
