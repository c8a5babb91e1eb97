// The animal being typed. The draft stays until it is added, and is sent so that a retry cannot add it twice.

import { randomKey } from '../../client/src/idempotency-key.ts'
import type { NewPet, PetStatus } from '../../client/src/petstore.ts'

export type Field = keyof NewPet

/** The fields' names on the page. */
export const LABELS: Record<Field, string> = { name: 'Name', categoryId: 'Category', status: 'Status' }
export const FIELDS = Object.keys(LABELS) as Field[]

/** As typed. */
export type Draft = Record<Exclude<Field, 'status'>, string> & {
  status: PetStatus
  /** The Idempotency-Key and the content of the last attempt whose result is not known. */
  attempt?: { key: string; content: string } | undefined
}

export const EMPTY_DRAFT: Draft = { name: '', categoryId: '', status: 'available' }

export function isEmpty(draft: Draft): boolean {
  return FIELDS.every((field) => draft[field] === EMPTY_DRAFT[field])
}

/** The animal, or why it cannot be sent. Only the service validates it. */
export function toNewPet({ name, categoryId, status }: Draft): NewPet | { problem: string } {
  const integer = parseInteger(categoryId)
  if (integer === undefined) {
    const missing = name === '' ? 'name is required. ' : ''
    return { problem: `${missing}categoryId ${categoryId.trim() === '' ? 'is required.' : 'must be a whole number.'}` }
  }
  return { name, categoryId: integer, status }
}

/** Exact, with any number of digits. */
export function parseInteger(text: string): bigint | undefined {
  const digits = text.trim()
  return /^[+-]?[0-9]+$/.test(digits) ? BigInt(digits.replace('+', '')) : undefined
}

/** The draft with an Idempotency-Key for its next attempt: the same key as long as the content is the same. */
export function withAttempt(draft: Draft): Draft & { attempt: { key: string; content: string } } {
  const content = JSON.stringify(FIELDS.map((field) => draft[field]))
  const attempt = draft.attempt?.content === content ? draft.attempt : { key: randomKey(), content }
  return { ...draft, attempt }
}
