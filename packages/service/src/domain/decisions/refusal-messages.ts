// The errors of decisions about pets and orders. packages/service/test/domain/decisions/refusal-messages.test.ts
// tests their messages.

import { EXPIRY_DAYS_MAX } from '../../../../contract/src/generated.ts'
import { TRANSITIONS, type TransitionTo } from '../order-transitions.ts'
import type { Order } from '../orders.ts'
import type { Pet } from '../pets.ts'
import { PetstoreError } from '../petstore-error.ts'

type APet = Pick<Pet, 'id' | 'status'>
type AnOrder = Pick<Order, 'id' | 'status'>

const noPet = (id: bigint) => `No pet has id ${id}.`
export const noSuchPet = (id: bigint) => new PetstoreError('not_found', noPet(id))
export const noSuchOrder = (id: bigint) => new PetstoreError('not_found', `No order has id ${id}.`)
/** For an order of a pet that does not exist. */
export const petNotFound = (id: bigint) => new PetstoreError('pet_not_found', noPet(id))

export const invalidExpiry = () =>
  new PetstoreError('invalid_order', `expiresAt must be in the future and at most ${EXPIRY_DAYS_MAX} days ahead.`)
export const onlyAvailable = () =>
  new PetstoreError('invalid_pet', 'status can only be changed to available. Only orders make a pet pending or sold.')
export const otherRequest = () =>
  new PetstoreError(
    'idempotency_mismatch',
    'This Idempotency-Key was used for another request. Use a new key for each request.',
  )
export const petHasOrders = (id: bigint) =>
  new PetstoreError('pet_has_orders', `Pet ${id} was ordered. Only a pet that was never ordered can be deleted.`)
export const notPending = ({ id, status }: AnOrder) =>
  new PetstoreError('order_not_pending', `Order ${id} is ${status}: only a pending order can be changed.`)

export function notTransitioned({ id, status }: AnOrder, to: TransitionTo): PetstoreError {
  const { from, refusal } = TRANSITIONS[to]
  return new PetstoreError(refusal, `Order ${id} is ${status}: only a ${from.join(' or ')} order can be ${to}.`)
}

export function petNotAvailable({ id, status }: APet, holder: Pick<Order, 'id' | 'expiresAt'> | undefined) {
  const until = holder?.expiresAt === undefined ? '' : ` until ${new Date(holder.expiresAt).toISOString()}`
  const by = holder && (status === 'sold' ? `: order ${holder.id}` : `: order ${holder.id} holds it${until}`)
  return new PetstoreError('pet_not_available', `Pet ${id} is ${status}${by ?? ''}.`)
}

export function petHeld({ id, status }: APet, order: bigint): PetstoreError {
  const remedy = status === 'sold' ? `Return order ${order}` : `Cancel order ${order}`
  const message = `Pet ${id} is ${status}: order ${order} holds it. ${remedy} to make the pet available.`
  return new PetstoreError('pet_held', message)
}
