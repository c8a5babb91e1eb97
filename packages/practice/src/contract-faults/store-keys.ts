// Faults in the API keys and the methods of every operation of the store area.

import { at, type ContractFaults } from './shared/faults.ts'
import { refusingOthers, withFirstKey } from './shared/memory.ts'
import { EVENTS, INVENTORY, ORDER, ORDERS, PLACE } from './shared/operations.ts'
import { withoutKey } from './shared/requests.ts'

const KEYED = {
  'orders.list': ORDERS,
  'orders.get': ORDER,
  'inventory.get': INVENTORY,
  'events.list': EVENTS,
  'orders.place': PLACE,
}
const PATHS = {
  orders: '/store/orders',
  order: '/store/orders/*',
  complete: '/store/orders/*/complete',
  return: '/store/orders/*/return',
  inventory: '/store/inventory',
  events: '/store/events',
}

export const STORE_KEY_FAULTS: ContractFaults = {
  ...Object.fromEntries(
    Object.entries(KEYED).map(([id, operation]) => [`${id}.no-key`, withFirstKey(operation, 401, withoutKey)]),
  ),
  'orders.place.read-only-key': withFirstKey(PLACE, 403),
  'keys.read-only.store': refusingOthers(INVENTORY),
  ...Object.fromEntries(
    Object.entries(PATHS).flatMap(([name, path]) => [
      [`methods.options.${name}`, at(`OPTIONS ${path}`, 204).answer.header('Allow')],
      [`methods.other.${name}`, at(`* ${path}`, 405).answer.error(404)],
    ]),
  ),
}
