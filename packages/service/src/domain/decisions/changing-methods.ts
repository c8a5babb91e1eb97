// The store methods that change pets and orders. Each commits a decision, in both stores.

import type { OrderStore } from '../orders.ts'
import type { PetStore } from '../pets.ts'
import type { Decision } from './decision.ts'
import { expireOrders, moveOrder, placeOrder, updateOrder } from './orders.ts'
import { createPet, deletePet, updatePet } from './pets.ts'

/** Commits a decision, possibly in one batch with others. Resolves with its result or rejects with its refusal. */
export type Commit = <Result>(decision: Decision<Result>) => Promise<Result>

type ChangingMethods = Pick<PetStore, 'createPet' | 'updatePet' | 'deletePet'> &
  Pick<OrderStore, 'placeOrder' | 'completeOrder' | 'cancelOrder' | 'returnOrder' | 'updateOrder' | 'expireOrders'>

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
