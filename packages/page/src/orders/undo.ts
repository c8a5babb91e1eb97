// Undoes a sale, a release or a return. Each request can be repeated if its response was lost.

import { randomKey } from '../../../client/src/idempotency-key.ts'
import type { Order, PetstoreClient } from '../../../client/src/petstore.ts'
import { now } from '../parts/clock.ts'
import { brief, terms } from '../phrases.ts'
import type { Action } from './actions.ts'
import { SALE_MS } from './order-task.ts'

/** Resolves with a sentence about the result. Rejects with the client's errors. */
export type Undo = () => Promise<string>

/** `orders`: as they were before the action; the action itself placed the orders in `placed`. */
export function undoOf(
  client: PetstoreClient,
  action: Action,
  orders: readonly Order[],
  placed: ReadonlySet<bigint>,
): Undo | undefined {
  if (action === 'reserve') return undefined
  const steps = orders.map((order) => undoOne(client, action, order, placed.has(order.id)))
  return async () => {
    const sentences: string[] = []
    for (const step of steps) sentences.push(await step())
    return sentences.join(' ')
  }
}

function undoOne(client: PetstoreClient, action: Action, order: Order, isPlaced: boolean): Undo {
  const { id, petId, petName, reference, expiresAt } = order
  const options = { idempotencyKey: randomKey() }
  const name = brief(petName)
  // The end of a reservation that was sold can be over.
  const soldEnd = new Date(Math.max(Date.parse(expiresAt ?? '') || 0, now() + SALE_MS)).toISOString()
  const end = action === 'takeBack' ? { expiresAt: soldEnd } : expiresAt ? { expiresAt } : {}
  const again = { petId, ...(reference === undefined ? {} : { reference }), ...end }
  return async () => {
    if (action === 'sell') await client.returnOrder(id)
    if (action === 'sell' && isPlaced) return `${name} was taken back, and is available again.`
    const next = await client.placeOrder(again, options)
    if (action !== 'takeBack') return `${name} is reserved${terms(next)} again, with order ${next.id}.`
    await client.completeOrder(next.id)
    return `${name} is sold again, with order ${next.id}. Sales shows the return and a new sale.`
  }
}
