// Every contract fault, by the id of the promise that it breaks.

import { type Behaviour, type RunningProxy, startProxy } from '../proxy.ts'
import { BODY_FAULTS } from './bodies.ts'
import { CHANGE_FAULTS } from './changes.ts'
import { CORRECTION_FAULTS } from './corrections.ts'
import { CREATE_PET_FAULTS } from './create-pet.ts'
import { ERROR_FAULTS } from './errors.ts'
import { EVENT_FAULTS } from './events.ts'
import { GET_PET_FAULTS } from './get-pet.ts'
import { IDEMPOTENCY_FAULTS } from './idempotency.ts'
import { INTERFACE_FAULTS } from './interface.ts'
import { INVENTORY_FAULTS } from './inventory.ts'
import { KEY_FAULTS } from './keys.ts'
import { LIST_PET_FAULTS } from './list-pets.ts'
import { LIST_FAULTS } from './lists.ts'
import { METHOD_FAULTS } from './methods.ts'
import { PARAMETER_FAULTS } from './parameters.ts'
import { PLACE_ORDER_FAULTS } from './place-order.ts'
import { READ_ORDER_FAULTS } from './read-orders.ts'
import { RESERVATION_FAULTS } from './reservations.ts'
import { SEARCH_FAULTS } from './search.ts'
import type { ContractFaults } from './shared/faults.ts'
import { STORE_KEY_FAULTS } from './store-keys.ts'

export const CONTRACT_FAULTS: ContractFaults = {
  ...STORE_KEY_FAULTS,
  ...PARAMETER_FAULTS,
  ...LIST_FAULTS,
  ...BODY_FAULTS,
  ...IDEMPOTENCY_FAULTS,
  ...CHANGE_FAULTS,
  ...INTERFACE_FAULTS,
  ...KEY_FAULTS,
  ...ERROR_FAULTS,
  ...METHOD_FAULTS,
  ...LIST_PET_FAULTS,
  ...GET_PET_FAULTS,
  ...CREATE_PET_FAULTS,
  ...PLACE_ORDER_FAULTS,
  ...READ_ORDER_FAULTS,
  ...RESERVATION_FAULTS,
  ...INVENTORY_FAULTS,
  ...EVENT_FAULTS,
  ...CORRECTION_FAULTS,
  ...SEARCH_FAULTS,
}

/** The service, wrong in exactly one way. `service` is its base URL. Throws an Error where no fault breaks the promise. */
export function startFaulty(service: string, breaks: string): Promise<RunningProxy> {
  return startProxy(service, faultThatBreaks(breaks))
}

/** Throws an Error where no fault breaks the promise. */
export function faultThatBreaks(promise: string): Behaviour {
  const fault = Object.hasOwn(CONTRACT_FAULTS, promise) ? CONTRACT_FAULTS[promise] : undefined
  if (!fault) throw new Error(`There is no lie that breaks ${promise}.`)
  return fault()
}
