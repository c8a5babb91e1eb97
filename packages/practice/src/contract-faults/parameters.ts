// Faults in wrong values of query parameters, in every list alike: what must be refused is ignored.

import { at, type ContractFault, type ContractFaults } from './shared/faults.ts'
import { EVENTS, LIST, ORDERS } from './shared/operations.ts'
import { parametersOf } from './shared/requests.ts'

/** The parameters of each list, by the beginning of the id. */
const LISTS: Record<string, readonly [operation: string, names: readonly string[]]> = {
  'pets.list': [LIST, ['limit', 'status', 'sort', 'search', 'cursor', 'categoryId']],
  'orders.list': [ORDERS, ['limit', 'status', 'sort', 'search', 'cursor', 'petId']],
  'events.list': [EVENTS, ['limit', 'petId', 'orderId', 'wait', 'from', 'to', 'type', 'sort', 'cursor']],
}
/** In ids, where it has another name there. */
const ID_OF: Record<string, string> = {
  'pets.list.categoryId': 'pets.list.category',
  'orders.list.petId': 'orders.list.pet',
  'events.list.petId': 'events.list.pet-filter',
  'events.list.orderId': 'events.list.order-filter',
}

/** A wrong value is ignored where it is all that is wrong. */
function ignoringWrong(operation: string, name: string): ContractFault {
  const isAlone = new RegExp(`^(?:${name}(?:,|$))+$`)
  return at(operation, 400, (request) => isAlone.test([...parametersOf(request).keys()].join())).again.query(
    (parameters) => parameters.delete(name),
  )
}

export const PARAMETER_FAULTS: ContractFaults = Object.fromEntries(
  Object.entries(LISTS).flatMap(([list, [operation, names]]) =>
    names.map((name) => {
      const id = `${list}.${name}`
      return [`${ID_OF[id] ?? id}.wrong`, ignoringWrong(operation, name)]
    }),
  ),
)
