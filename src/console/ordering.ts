// What people do with an animal: reserve it, sell it, release it, take it back. The service decides; this says which of them
// an animal's status allows, does them, and finds out who was quicker.

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

/** What has become of an animal when somebody else was quicker; `order` holds it now. */
export function quicker(name: string, order: Order | undefined): string {
  if (!order) return `${brief(name)} is available again.`
  const verb = order.status === 'completed' ? 'sold' : 'reserved'
  return `${brief(name)} was ${verb} ${ago(order.changedAt)}.`
}

/** For whom, and until when: " for Anna, until Sun 22 Nov, 15:20". */
export function terms({ status, reference, expiresAt }: Order): string {
  const until = status === 'pending' && expiresAt ? `until ${time(expiresAt)}` : ''
  return [reference && ` for ${brief(reference)}`, until && ` ${until}`].filter(Boolean).join(',')
}

export function time(at: string | number): string {
  const format = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
  const year = new Date(at).getFullYear() === new Date().getFullYear() ? {} : ({ year: 'numeric' } as const)
  return new Date(at).toLocaleString('en-GB', { ...format, ...year })
}

const MOMENT_MS = 5 * 60_000

function ago(at: string): string {
  return Math.abs(Date.now() - Date.parse(at)) < MOMENT_MS ? 'a moment ago' : `on ${time(at)}`
}

const BRIEF_MAX = 40

/** A name within a sentence. */
export function brief(name: string): string {
  const letters = Array.from(name)
  return letters.length <= BRIEF_MAX ? name : `${letters.slice(0, BRIEF_MAX).join('')}…`
}
