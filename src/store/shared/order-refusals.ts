// The errors for refused orders, the same for every store.

import { EXPIRY_DAYS_MAX } from '../../contract/generated.ts'
import { PetstoreError } from '../../domain/errors.ts'
import { MOVES, type Moved } from '../../domain/order-moves.ts'
import type { Order } from '../../domain/orders.ts'
import type { PetStatus } from '../../domain/pets.ts'

/** A reservation may end so far ahead, at most. */
export const LATEST_EXPIRY_MS = EXPIRY_DAYS_MAX * 86_400_000

export function isBadExpiry(expiresAt: number, now: number): boolean {
  return expiresAt <= now || expiresAt > now + LATEST_EXPIRY_MS
}

export function petNotFound(id: bigint): PetstoreError {
  return new PetstoreError('pet_not_found', `No pet has id ${id}.`)
}
export function orderNotFound(id: bigint): PetstoreError {
  return new PetstoreError('not_found', `No order has id ${id}.`)
}
export function invalidExpiry(): PetstoreError {
  const message = `expiresAt must be in the future and at most ${EXPIRY_DAYS_MAX} days ahead.`
  return new PetstoreError('invalid_order', message)
}
/** `holder`: the order that holds the pet, if any. */
export function petNotAvailable(
  petId: bigint,
  status: PetStatus,
  holder: { id: bigint; expiresAt?: number | undefined } | undefined,
): PetstoreError {
  const until = holder?.expiresAt === undefined ? '' : ` until ${new Date(holder.expiresAt).toISOString()}`
  const by = holder && (status === 'sold' ? `: order ${holder.id}` : `: order ${holder.id} holds it${until}`)
  return new PetstoreError('pet_not_available', `Pet ${petId} is ${status}${by ?? ''}.`)
}
export function notMoved({ id, status }: Order, to: Moved): PetstoreError {
  const { from, refusal } = MOVES[to]
  return new PetstoreError(refusal, `Order ${id} is ${status}: only a ${from} order can be ${to}.`)
}
