// Every contract fault, by the id of the promise that it breaks.

import type { Behaviour } from '../proxy.ts'
import { REPEAT_FAULTS } from './creates.ts'
import { FAMILY_FAULTS } from './families.ts'
import { INTERFACE_FAULTS } from './interface.ts'
import { PET_FAULTS } from './pets.ts'
import { behaviourOf, type ContractFaults } from './shared/faults.ts'
import { STORE_FAULTS } from './store.ts'

/** A fault with its own line takes precedence over one that several operations have. */
export const CONTRACT_FAULTS: ContractFaults = {
  ...FAMILY_FAULTS,
  ...REPEAT_FAULTS,
  ...INTERFACE_FAULTS,
  ...PET_FAULTS,
  ...STORE_FAULTS,
}

/** Throws an Error if no fault breaks the promise. */
export function faultThatBreaks(promise: string): Behaviour {
  const fault = Object.hasOwn(CONTRACT_FAULTS, promise) ? CONTRACT_FAULTS[promise] : undefined
  if (!fault) throw new Error(`There is no lie that breaks ${promise}.`)
  return behaviourOf(fault)
}
