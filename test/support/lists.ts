// Filters for lists, with defaults for all fields.

import type { OrderFilter } from '../../packages/service/src/domain/orders.ts'
import type { PetFilter } from '../../packages/service/src/domain/pets.ts'

const NONE = { status: undefined, search: undefined, sort: 'oldest', after: undefined, back: false } as const

export function petFilter(fields: Partial<PetFilter> & Pick<PetFilter, 'limit'>): PetFilter {
  return { ...NONE, categoryId: undefined, ...fields }
}

export function orderFilter(fields: Partial<OrderFilter> & Pick<OrderFilter, 'limit'>): OrderFilter {
  return { ...NONE, petId: undefined, petIds: undefined, ...fields }
}
