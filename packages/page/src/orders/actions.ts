// What people do with an animal: reserve it, sell it, release it, take it back. The service decides; this says which of them
// an animal's status offers, what they make of it, and on which order they act.

import type { CallOptions, Order, Pet, PetStatus, PetstoreClient } from '../../../client/src/petstore.ts'
import {
  HOLDING,
  petStatusOf,
  type RequestedTransition,
  TRANSITIONS,
} from '../../../service/src/domain/order-transitions.ts'

/** By what they make of the order. *Sell* first places one for an animal that is available. */
const ACTIONS = {
  pending: 'reserve',
  cancelled: 'release',
  completed: 'sell',
  returned: 'takeBack',
} as const satisfies Record<'pending' | RequestedTransition, string>

type Made = keyof typeof ACTIONS
export type Action = (typeof ACTIONS)[Made]

/** An animal, and its order as far as it is known. */
export interface Subject extends Pick<Pet, 'name' | 'status'> {
  petId: bigint
  order?: Order | undefined
}

/** *Sell* keeps its place when the status changes: a press in that moment still means what it says. */
export function actionsOf(status: PetStatus): Action[] {
  const offered = (Object.keys(ACTIONS) as Made[]).filter((after) => {
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

/** `undefined` when the order has ended: its animal may have another one. */
export function subjectOf(order: Order): Subject | undefined {
  const { petId, petName: name } = order
  return HOLDING.includes(order.status) ? { petId, name, status: petStatusOf(order.status), order } : undefined
}

/** The order that holds the animal now, or held it with this status. An animal that was added as pending or sold has none. */
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
