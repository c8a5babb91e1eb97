// The statuses of animals and of orders, and the types of events, with their names on the page.

import type { OrderStatus, PetStatus } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'
import { PENDING_FOR_PEOPLE } from '../../../files/src/format.ts'

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

const LABELS = { ...PETS, ...ORDERS }

/** Of an animal or of an order. A later service may have more. */
export function labelOf(status: string): string {
  return LABELS[status as keyof typeof LABELS] ?? status
}

/** Of an animal that was added as reserved or sold, without an order: nothing but a correction can change it. */
export function withoutOrder(status: string): string {
  return `${labelOf(status)} (entered by hand)`
}

/** What a shop asks about first comes first. */
export const EVENT_NAMES: Record<EventType, string> = {
  'order.completed': labelOf('completed'),
  'order.placed': labelOf('pending'),
  'order.returned': labelOf('returned'),
  'order.cancelled': labelOf('cancelled'),
  'order.expired': labelOf('expired'),
  'order.changed': 'Order edited',
  'pet.added': 'Added',
  'pet.changed': 'Edited',
  'pet.deleted': 'Deleted',
}
