// An animal's status in words and colour, never in colour alone.

import type { PetStatus } from '../client/petstore.ts'

export const STATUSES = [
  ['available', 'Available'],
  ['pending', 'Pending'],
  ['sold', 'Sold'],
] as const satisfies readonly (readonly [PetStatus, string])[]

export function Status({ status }: { status: PetStatus }) {
  const label = STATUSES.find(([value]) => value === status)?.[1] ?? status
  return <span class={`status status-${status}`}>{label}</span>
}
