// The statuses of an animal, with their names on the page.

import type { PetStatus } from '../client/petstore.ts'

export const STATUSES = [
  ['available', 'Available'],
  ['pending', 'Pending'],
  ['sold', 'Sold'],
] as const satisfies readonly (readonly [PetStatus, string])[]
