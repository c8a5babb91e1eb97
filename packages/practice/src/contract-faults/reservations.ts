// Faults in orders that expire.

import type { ServiceResponse } from '../proxy.ts'
import { at, type ContractFaults } from './shared/faults.ts'
import { refusingExpired, stuckAfter, succeedingTogether } from './shared/memory.ts'
import { ORDER } from './shared/operations.ts'

const isExpired = (_: unknown, { body }: ServiceResponse) => body.includes('expired')

export const RESERVATION_FAULTS: ContractFaults = {
  'orders.expiry': at(ORDER, 200).answer.put('status', 'pending'),
  'orders.expiry.pet': stuckAfter(ORDER, isExpired),
  'orders.expiry.ended': refusingExpired,
  'orders.together': succeedingTogether,
}
