// Faults in the inventory.

import { at, type ContractFaults } from './shared/faults.ts'
import { frozen } from './shared/memory.ts'
import { INVENTORY } from './shared/operations.ts'
import { number } from './shared/values.ts'

export const INVENTORY_FAULTS: ContractFaults = {
  'inventory.get.success': at(INVENTORY, 200).answer.json((counts) => [counts]),
  'inventory.get.counts': at(INVENTORY, 200).answer.rewrite('available', (count) => number(BigInt(count) + 1n)),
  'inventory.get.follows': frozen(INVENTORY),
}
