// Faults in the API keys and the methods of every operation of the store area.

import { admitting, at, both, type ContractFaults, hasKey, header } from './shared/builders.ts'
import { refusingOthers, withFirstKey } from './shared/memory.ts'
import {
  CANCEL,
  COMPLETE,
  EVENTS,
  error,
  INVENTORY,
  ORDER,
  ORDERS,
  PLACE,
  RETURN,
  withoutKey,
} from './shared/operations.ts'

const READS = { 'orders-list': ORDERS, 'orders-get': ORDER, inventory: INVENTORY, events: EVENTS }
const WRITES = { 'orders-place': PLACE, 'orders-complete': COMPLETE, 'orders-cancel': CANCEL, 'orders-return': RETURN }
const PATHS = {
  orders: '/store/orders',
  order: '/store/orders/*',
  complete: '/store/orders/*/complete',
  return: '/store/orders/*/return',
  inventory: '/store/inventory',
  events: '/store/events',
}

export const STORE_KEY_FAULTS: ContractFaults = Object.fromEntries([
  ...Object.entries({ ...READS, ...WRITES }).flatMap(([name, operation]) => [
    [`auth.missing.${name}`, admitting(operation, withoutKey)],
    [
      `auth.invalid.${name}`,
      at(operation, 401, hasKey).onResponse(both(error(403), header('WWW-Authenticate', undefined))),
    ],
  ]),
  ...Object.entries(WRITES).map(([name, operation]) => [`keys.read-only.${name}`, withFirstKey(operation, 403)]),
  ...['orders-list', 'orders-get', 'inventory'].map((name) => [
    `keys.read-only.${name}`,
    refusingOthers((READS as Record<string, string>)[name] ?? ''),
  ]),
  ...Object.entries(PATHS).flatMap(([name, path]) => [
    [`methods.options.${name}`, at(`OPTIONS ${path}`, 204).onResponse(header('Allow', undefined))],
    [`methods.other.${name}`, at(`* ${path}`, 405).onResponse(error(404))],
  ]),
])
