// The statuses of animals and of orders, with their names on the page.

import type { OrderStatus, PetStatus } from '../client/petstore.ts'

export const STATUSES = [
  ['available', 'Available'],
  ['pending', 'Pending'],
  ['sold', 'Sold'],
] as const satisfies readonly (readonly [PetStatus, string])[]

export const ORDER_STATUSES = [
  ['pending', 'Reserved'],
  ['completed', 'Sold'],
  ['cancelled', 'Released'],
  ['expired', 'Expired'],
  ['returned', 'Taken back'],
] as const satisfies readonly (readonly [OrderStatus, string])[]

export function labelOf(statuses: readonly (readonly [string, string])[], status: string): string {
  return statuses.find(([value]) => value === status)?.[1] ?? status
}
