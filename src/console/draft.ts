// The animal being typed: kept until it is added, whatever fails, and sent so that trying again cannot add it twice.

import type { NewPet, PetStatus } from '../client/petstore.ts'
import type { Kept } from './session-state.ts'

/** As typed. */
export interface Draft {
  name: string
  categoryId: string
  status: PetStatus
  /** Names the last try and what it sent, while it is not known to have failed. */
  tried?: { key: string; content: string } | undefined
}

export const EMPTY_DRAFT: Draft = { name: '', categoryId: '', status: 'available' }

export const KEPT_DRAFT: Kept<Draft> = {
  name: 'petstore.draft',
  initial: EMPTY_DRAFT,
  toText: JSON.stringify,
  fromText: (text) => ({ ...EMPTY_DRAFT, ...JSON.parse(text) }),
}

export function isEmpty({ name, categoryId, status }: Draft): boolean {
  return name === '' && categoryId === '' && status === EMPTY_DRAFT.status
}

/** The animal, or what keeps it from being one at all; whether it is acceptable is for the service to say. */
export function petOf({ name, categoryId, status }: Draft): NewPet | { problem: string } {
  const integer = integerOf(categoryId)
  if (integer === undefined) {
    const missing = name === '' ? 'name is required. ' : ''
    return { problem: `${missing}categoryId ${categoryId.trim() === '' ? 'is required.' : 'must be a whole number.'}` }
  }
  return { name, categoryId: integer, status }
}

/** Exact, however many digits. */
export function integerOf(text: string): bigint | undefined {
  const digits = text.trim()
  return /^[+-]?[0-9]+$/.test(digits) ? BigInt(digits.replace('+', '')) : undefined
}

/** The draft with a key for its next try: the same key as long as the content is the same. */
export function withTry(draft: Draft): Draft & { tried: { key: string; content: string } } {
  const content = JSON.stringify([draft.name, draft.categoryId, draft.status])
  const tried = draft.tried?.content === content ? draft.tried : { key: randomKey(), content }
  return { ...draft, tried }
}

/** 128 random bits. Not randomUUID: browsers have that on https and localhost alone. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
