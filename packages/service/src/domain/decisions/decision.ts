// Decides changes of pets and orders for every store. In one transaction, under the lock that orders commits, a store
// reads the rows that a batch touches, calls `decide`, and writes the result. Each decision sees the effects of the
// decisions before it.

import { refusedKey } from '../keys.ts'
import type { OrderStore } from '../orders.ts'
import type { PetStore } from '../pets.ts'
import { expireOrders, moveOrder, placeOrder, updateOrder } from './orders.ts'
import { createPet, deletePet, updatePet } from './pets.ts'
import type { Snapshot, Touches } from './snapshot.ts'
import { type Decision, WorkingCopy } from './working-copy.ts'

/** Commits a decision, possibly in one batch with others. Resolves with its result or rejects with its refusal. */
export type Commit = <Result>(decision: Decision<Result>) => Promise<Result>

type ChangingMethods = Pick<PetStore, 'createPet' | 'updatePet' | 'deletePet'> &
  Pick<OrderStore, 'placeOrder' | 'completeOrder' | 'cancelOrder' | 'returnOrder' | 'updateOrder' | 'expireOrders'>

/** Returns the store methods that change pets and orders. Each commits a decision. */
export function changingMethods(commit: Commit, isAnyOverdue: () => Promise<boolean>, expiredAtOnce: number) {
  return {
    createPet: (...request) => commit(createPet(...request)),
    updatePet: (...request) => commit(updatePet(...request)),
    deletePet: (...request) => commit(deletePet(...request)),
    placeOrder: (...request) => commit(placeOrder(...request)),
    completeOrder: (id, ...request) => commit(moveOrder(id, 'completed', ...request)),
    cancelOrder: (id, ...request) => commit(moveOrder(id, 'cancelled', ...request)),
    returnOrder: (id, ...request) => commit(moveOrder(id, 'returned', ...request)),
    updateOrder: (...request) => commit(updateOrder(...request)),
    // Starts no transaction if nothing is overdue.
    expireOrders: async (limit = expiredAtOnce) => ((await isAnyOverdue()) ? commit(expireOrders(limit)) : []),
  } satisfies ChangingMethods
}

export type Touched = ReturnType<typeof touchedBy>

/** Returns the rows that a batch looks at. */
export function touchedBy(batch: readonly Decision<unknown>[]) {
  const all = <Value>(of: (touches: Touches) => Value | undefined) => batch.flatMap(({ touches }) => of(touches) ?? [])
  return {
    callers: new Set(batch.flatMap(({ by }) => by ?? [])),
    petIds: new Set(all(({ petId }) => petId)),
    everOrdered: new Set(all(({ everOrdered }) => everOrdered)),
    orderIds: new Set(all(({ orderId }) => orderId)),
    keys: all(({ key }) => key),
    overdue: overdueIn(batch),
  }
}

export function overdueIn(batch: readonly Decision<unknown>[]): number {
  return batch.reduce((sum, { touches }) => sum + (touches.overdue ?? 0), 0)
}

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
