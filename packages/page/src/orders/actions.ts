// The actions on an animal: reserve, sell, release and take back. Defines which of them a status offers, and which
// order they change. The service decides whether they are possible.

import type { CallOptions, Order, Pet, PetStatus, PetstoreClient } from '../../../client/src/petstore.ts'
import {
  HOLDING,
  petStatusOf,
  type RequestedTransition,
  TRANSITIONS,
} from '../../../service/src/domain/order-transitions.ts'

/** The actions by the status that they give the order. For an available animal, *Sell* first places an order. */
const ACTIONS = {
  pending: 'reserve',
  cancelled: 'release',
  completed: 'sell',
  returned: 'takeBack',
} as const satisfies Record<'pending' | RequestedTransition, string>

type StatusAfter = keyof typeof ACTIONS
export type Action = (typeof ACTIONS)[StatusAfter]

/** An animal, and its order if known. */
export interface Subject extends Pick<Pet, 'name' | 'status'> {
  petId: bigint
  order?: Order | undefined
}

/** *Sell* keeps its place when the status changes, so that a press in that moment still sells. */
export function actionsOf(status: PetStatus): Action[] {
  const offered = (Object.keys(ACTIONS) as StatusAfter[]).filter((after) => {
    const before: readonly PetStatus[] = after === 'pending' ? ['available'] : TRANSITIONS[after].from.map(petStatusOf)
    return before.includes(status) || (after === 'completed' && status === 'available')
  })
  return offered.map((after) => ACTIONS[after])
}

export const ACTION_LABELS: Record<Action, string> = {
  reserve: 'Reserve',
  sell: 'Sell',
  release: 'Release',
  takeBack: 'Take back',
}

export const DOING_LABELS: Record<Action, string> = {
  reserve: 'Reserving…',
  sell: 'Selling…',
  release: 'Releasing…',
  takeBack: 'Taking back…',
}

/** Returns `undefined` if the order has ended, because the animal can have another order by then. */
export function subjectOf(order: Order): Subject | undefined {
  const { petId, petName: name } = order
  return HOLDING.includes(order.status) ? { petId, name, status: petStatusOf(order.status), order } : undefined
}

/**
 * Returns the order that holds the animal; with `petStatus`, only if it gives the animal this status. An animal that
 * was added as reserved or sold has no order.
 */
export async function findOrder(
  client: PetstoreClient,
  petId: bigint,
  petStatus?: PetStatus,
  options?: CallOptions,
): Promise<Order | undefined> {
  for (const status of HOLDING) {
    if (petStatus && petStatusOf(status) !== petStatus) continue
    const { orders } = await client.listOrderPage({ petId, status, limit: 1 }, options)
    if (orders[0]) return orders[0]
  }
  return undefined
}
