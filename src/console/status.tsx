// An animal's status in words and colour, never in colour alone.

import type { PetStatus } from '../client/petstore.ts'
import { STATUSES } from './statuses.ts'

export function Status({ status }: { status: PetStatus }) {
  const label = STATUSES.find(([value]) => value === status)?.[1] ?? status
  return <span class={`status status-${status}`}>{label}</span>
}
