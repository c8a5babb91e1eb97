// Every contract fault, by the id of the promise that it breaks.

import type { Behaviour } from '../proxy.ts'
import { BODY_FAULTS } from './bodies.ts'
import { CHANGE_FAULTS } from './changes.ts'
import { EVENT_FAULTS } from './events.ts'
import { IDEMPOTENCY_FAULTS } from './idempotency.ts'
import { INTERFACE_FAULTS } from './interface.ts'
import { KEY_FAULTS } from './keys.ts'
import { ORDER_FAULTS } from './orders.ts'
import { PET_FAULTS } from './pets.ts'
import { READ_FAULTS } from './reads.ts'
import type { ContractFaults } from './shared/faults.ts'

export const CONTRACT_FAULTS: ContractFaults = {
  ...BODY_FAULTS,
  ...CHANGE_FAULTS,
  ...EVENT_FAULTS,
  ...IDEMPOTENCY_FAULTS,
  ...INTERFACE_FAULTS,
  ...KEY_FAULTS,
  ...ORDER_FAULTS,
  ...PET_FAULTS,
  ...READ_FAULTS,
}

/** Throws an Error if no fault breaks the promise. */
export function faultThatBreaks(promise: string): Behaviour {
  const fault = Object.hasOwn(CONTRACT_FAULTS, promise) ? CONTRACT_FAULTS[promise] : undefined
  if (!fault) throw new Error(`There is no lie that breaks ${promise}.`)
  return fault()
}
