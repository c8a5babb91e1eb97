// The statuses of animals and of orders, with their names on the page.

import type { OrderStatus, PetStatus } from '../../client/src/petstore.ts'

const PETS: Record<PetStatus, string> = { available: 'Available', pending: 'Reserved', sold: 'Sold' }
const ORDERS: Record<OrderStatus, string> = {
  pending: 'Reserved',
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
