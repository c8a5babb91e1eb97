// The one place where changes of pets and orders are decided, for every store: a store reads what a batch touches, has it decided here, and
// writes what was decided, in one transaction under the lock that orders the commits. Each decision sees what those before it have left.

import { refusedKey } from '../keys.ts'
import type { OrderStore, Transition } from '../orders.ts'
import type { PetStore } from '../pets.ts'
import type { Decision } from './decision.ts'
import { expireOrders, moveOrder, placeOrder, updateOrder } from './orders.ts'
import { createPet, deletePet, updatePet } from './pets.ts'
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

/** Commits a decision, maybe together with others. Resolves with its result, or rejects with its refusal. */
export type Commit = <Result>(decision: Decision<Result>) => Promise<Result>

type Changes = Pick<PetStore, 'createPet' | 'updatePet' | 'deletePet'> &
  Pick<OrderStore, 'placeOrder' | 'completeOrder' | 'cancelOrder' | 'returnOrder' | 'updateOrder' | 'expireOrders'>

/** The methods of a store that change pets and orders. */
export function changes(commit: Commit, isAnyOverdue: () => Promise<boolean>, expiredAtOnce: number): Changes {
  return {
    createPet: (...request) => commit(createPet(...request)),
    updatePet: (...request) => commit(updatePet(...request)),
    deletePet: (...request) => commit(deletePet(...request)),
    placeOrder: (...request) => commit(placeOrder(...request)),
    completeOrder: (id, ...request) => commit(moveOrder(id, 'completed', ...request)),
    cancelOrder: (id, ...request) => commit(moveOrder(id, 'cancelled', ...request)),
    returnOrder: (id, ...request) => commit(moveOrder(id, 'returned', ...request)),
    updateOrder: (...request) => commit(updateOrder(...request)),
    // A transaction is begun only where there is something to do.
    expireOrders: async (limit = expiredAtOnce) => ((await isAnyOverdue()) ? commit(expireOrders(limit)) : []),
  }
}
