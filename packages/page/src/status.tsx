// The status of an animal or an order in words and colour, never in colour alone.

import type { OrderStatus, PetStatus } from '../../client/src/petstore.ts'
import { labelOf, STATUSES } from './statuses.ts'

interface StatusProps {
  status: PetStatus | OrderStatus
  names?: readonly (readonly [string, string])[]
}

export function Status({ status, names = STATUSES }: StatusProps) {
  return <span class={`status status-${status}`}>{labelOf(names, status)}</span>
}
