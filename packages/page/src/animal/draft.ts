// The draft of an animal, and how it is sent so that a retry cannot add it twice.

import { randomKey } from '../../../client/src/idempotency-key.ts'
import type { NewPet, PetStatus } from '../../../client/src/petstore.ts'
import { FIELD_NAMES, FIELDS, problemsIn, type TypedField } from './fields.ts'

export type Draft = Record<TypedField, string> & {
  status: PetStatus
  /** The Idempotency-Key and content of the last attempt with an unknown outcome. */
  attempt?: { key: string; content: string } | undefined
}

export const EMPTY_DRAFT: Draft = { name: '', categoryId: '', status: 'available' }

export function isEmpty(draft: Draft): boolean {
  return FIELD_NAMES.every((field) => draft[field] === EMPTY_DRAFT[field])
}

export function toNewPet(draft: Draft): NewPet | { problem: string } {
  const problem = problemsIn(draft)
  if (problem) return { problem }
  return Object.fromEntries(FIELD_NAMES.map((field) => [field, FIELDS[field].parse(draft[field])])) as unknown as NewPet
}

/** Adds an Idempotency-Key for the next attempt. Unchanged content keeps its key. */
export function withAttempt(draft: Draft): Draft & { attempt: { key: string; content: string } } {
  const content = JSON.stringify(FIELD_NAMES.map((field) => draft[field]))
  const attempt = draft.attempt?.content === content ? draft.attempt : { key: randomKey(), content }
  return { ...draft, attempt }
}
