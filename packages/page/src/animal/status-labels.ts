// Labels of the statuses of animals and orders, and of the types of events.

import type { OrderStatus, PetStatus } from '../../../client/src/petstore.ts'
import type { EventType } from '../../../contract/src/generated.ts'

/** An import accepts it, too. */
const PENDING_FOR_PEOPLE = 'Reserved'
const PETS: Record<PetStatus, string> = { available: 'Available', pending: PENDING_FOR_PEOPLE, sold: 'Sold' }
const ORDERS: Record<OrderStatus, string> = {
  pending: PENDING_FOR_PEOPLE,
  completed: 'Sold',
  cancelled: 'Released',
  expired: 'Expired',
  returned: 'Taken back',
}

export const STATUSES = Object.entries(PETS) as [PetStatus, string][]
export const STATUSES_OF = { animals: STATUSES, orders: Object.entries(ORDERS) as [OrderStatus, string][] }

const LABELS = { ...PETS, ...ORDERS }

/** Returns an unknown status unchanged, because a newer service can have more. */
export function labelOf(status: string): string {
  return LABELS[status as keyof typeof LABELS] ?? status
}

/** For an animal that was added as reserved or sold and so has no order. */
export function withoutOrder(status: string): string {
  return `${labelOf(status)} (entered by hand)`
}

/** In the order of their importance to a shop. */
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
