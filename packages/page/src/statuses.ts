// The statuses of animals and of orders, with their names on the page.

import type { OrderStatus, PetStatus } from '../../client/src/petstore.ts'
import { PENDING_FOR_PEOPLE } from '../../service/src/cli/formats/format.ts'

const PETS: Record<PetStatus, string> = { available: 'Available', pending: PENDING_FOR_PEOPLE, sold: 'Sold' }
const ORDERS: Record<OrderStatus, string> = {
  pending: PENDING_FOR_PEOPLE,
  completed: 'Sold',
  cancelled: 'Released',
  expired: 'Expired',
  returned: 'Taken back',
}

export const STATUSES = Object.entries(PETS) as [PetStatus, string][]
export const ORDER_STATUSES = Object.entries(ORDERS) as [OrderStatus, string][]

export const STATUSES_OF = { animals: STATUSES, orders: ORDER_STATUSES }

export function labelOf(statuses: readonly (readonly [string, string])[], status: string): string {
  return statuses.find(([value]) => value === status)?.[1] ?? status
}
