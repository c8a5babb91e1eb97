// What people do with an animal: reserve it, sell it, release it, take it back. The service decides; this says which of them
// an animal's status offers, what they make of it, and on which order they act.

import type { Order, Pet, PetStatus, PetstoreClient } from '../client/petstore.ts'

export type Action = 'reserve' | 'sell' | 'release' | 'takeBack'

/** An animal, and its order as far as it is known. */
export interface Subject extends Pick<Pet, 'name' | 'status'> {
  petId: bigint
  order?: Order | undefined
}

/** *Sell* keeps its place when the status changes: a press in that moment still means what it says. */
export const ACTIONS: Record<PetStatus, readonly Action[]> = {
  available: ['reserve', 'sell'],
  pending: ['release', 'sell'],
  sold: ['takeBack'],
}

export const STATUS_AFTER = { reserve: 'pending', sell: 'sold', release: 'available', takeBack: 'available' } as const

export const ACTION_LABELS: Record<Action, string> = {
  reserve: 'Reserve',
  sell: 'Sell',
  release: 'Release',
  takeBack: 'Take back',
}

/** `undefined` when the order has ended: its animal may have another one. */
export function subjectOf(order: Order): Subject | undefined {
  const status = ({ pending: 'pending', completed: 'sold' } as const)[order.status as string]
  return status && { petId: order.petId, name: order.petName, status, order }
}

/** The order that holds the animal now. An animal that was added as pending or sold has none. */
export async function findOrder(client: PetstoreClient, petId: bigint): Promise<Order | undefined> {
  for (const status of ['pending', 'completed'] as const) {
    const { orders } = await client.listOrderPage({ petId, status, limit: 1 })
    if (orders[0]) return orders[0]
  }
  return undefined
}
