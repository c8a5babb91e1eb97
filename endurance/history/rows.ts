// Compares pets and orders in responses with known versions and with requests.

import type { Order, OrderChange, Pet } from './operations.ts'

export interface Terms {
  readonly reference?: string | undefined
  readonly expiresAt?: string | undefined
}

export interface OrderVersion extends Pick<Order, 'id' | 'petId' | 'placedAt' | 'changedAt'> {
  readonly status: string
  readonly terms: Terms
}

/** Formats a time as responses do. */
export function utc(time: string | null | undefined): string | undefined {
  return time ? new Date(time).toISOString() : undefined
}

export function changed(terms: Terms, { reference, expiresAt }: OrderChange): Terms {
  return {
    reference: reference === undefined ? terms.reference : (reference ?? undefined),
    expiresAt: expiresAt === undefined ? terms.expiresAt : utc(expiresAt),
  }
}

export function isSameTerms(one: Terms, other: Terms): boolean {
  return one.reference === other.reference && one.expiresAt === other.expiresAt
}

export function isSamePet(pet: Pet | undefined, shown: Pet): boolean {
  const { id, name, categoryId, status } = shown
  if (pet?.id !== id || pet.name !== name || pet.categoryId !== categoryId || pet.status !== status) return false
  return Object.keys(shown).length === 4
}

export function isSameOrder(order: OrderVersion, petName: string, shown: Order): boolean {
  const { id, petId, status, placedAt, changedAt } = shown
  if (order.id !== id || order.petId !== petId || order.status !== status || petName !== shown.petName) return false
  if (order.placedAt !== placedAt || order.changedAt !== changedAt) return false
  return isSameTerms(order.terms, shown)
}

/** Whether each field has the requested value. */
export function isAsAsked(shown: object, asked: object): boolean {
  return Object.entries(asked).every(([name, value]) => {
    const wanted = name === 'expiresAt' ? utc(value) : (value ?? undefined)
    return (shown as Record<string, unknown>)[name] === wanted
  })
}
