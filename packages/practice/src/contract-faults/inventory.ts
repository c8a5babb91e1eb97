// Faults in the inventory.

import { at, type ContractFaults, json, rewrite } from './shared/builders.ts'
import { frozen } from './shared/memory.ts'
import { INVENTORY, number } from './shared/operations.ts'

export const INVENTORY_FAULTS: ContractFaults = {
  'inventory.get.success': at(INVENTORY, 200).onResponse(json((counts) => [counts])),
  'inventory.get.counts': at(INVENTORY, 200).onResponse(rewrite('available', (count) => number(BigInt(count) + 1n))),
  'inventory.get.follows': frozen(INVENTORY),
}
