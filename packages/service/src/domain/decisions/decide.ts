// The one place where changes of pets and orders are decided, for every store: a store reads what a batch touches, has it decided here, and
// writes what was decided, in one transaction under the lock that orders the commits. Each decision sees what those before it have left.

import { refusedKey } from '../keys.ts'
import type { Transition } from '../orders.ts'
import type { Decision } from './decision.ts'
import type { Snapshot } from './snapshot.ts'
import { WorkingCopy, type Writes } from './working-copy.ts'

export interface Decided {
  /** For each decision, in their order. */
  readonly outcomes: readonly unknown[]
  readonly writes: Writes
  readonly transitions: readonly Transition[]
}

/** Throws where the store contradicts itself: then nothing may be written. */
export function decide(snapshot: Snapshot, decisions: readonly Decision<unknown>[]): Decided {
  const copy = new WorkingCopy(snapshot)
  const outcomes = decisions.map((decision) => {
    const state = decision.by === null ? undefined : snapshot.refusedKey(decision.by)
    return state === undefined ? decision.decide(copy) : refusedKey(state)
  })
  return { outcomes, writes: copy.writes(), transitions: copy.transitions }
}
