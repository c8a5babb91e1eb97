// The operations, and shorthands for faults in pets.

import { PET_STATUSES } from '../../../../contract/src/generated.ts'
import { type ContractFault, faultsAt } from './faults.ts'
import type { When } from './requests.ts'

export const LIST = 'GET /pets'
export const ONE = 'GET /pets/*'
export const CREATE = 'POST /pets'
export const PETS = `${LIST}|${ONE}|${CREATE}`
export const ORDERS = 'GET /store/orders'
export const ORDER = 'GET /store/orders/*'
export const PLACE = 'POST /store/orders'
export const COMPLETE = 'POST /store/orders/*/complete'
export const CANCEL = 'DELETE /store/orders/*'
export const RETURN = 'POST /store/orders/*/return'
export const UPDATE = 'PATCH /pets/*'
export const DELETE = 'DELETE /pets/*'
export const CHANGE = 'PATCH /store/orders/*'
export const EVENTS = 'GET /store/events'
export const INVENTORY = 'GET /store/inventory'
export const STATUSES: readonly string[] = PET_STATUSES

export const listRequests = faultsAt(LIST).request
export const listResponses = faultsAt(LIST, 200).answer
export const getResponses = faultsAt(ONE, 200).answer
export const getMisses = faultsAt(ONE, 404).answer
export const createRequests = faultsAt(CREATE).request
export const createResponses = faultsAt(CREATE, 201).answer
export const createRefusals = faultsAt(CREATE, 400).answer
export const refusingToAdd = (when: When, status = 400, code = 'invalid_pet'): ContractFault =>
  faultsAt(CREATE).refusing(when, status, code)
