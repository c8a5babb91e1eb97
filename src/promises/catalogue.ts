// Every promise of the service, in the order in which they are told.

import { correctionPromises } from './catalogue/corrections.ts'
import { errorPromises } from './catalogue/errors.ts'
import { eventPromises } from './catalogue/events.ts'
import { interfaceReads } from './catalogue/interface-reads.ts'
import { interfaceWrites } from './catalogue/interface-writes.ts'
import { orderPromises } from './catalogue/orders.ts'
import { petPromises } from './catalogue/pets.ts'
import { placePromises } from './catalogue/place-order.ts'
import { searchPromises } from './catalogue/search.ts'
import type { PromiseRow } from './promise.ts'

export const PROMISES: readonly PromiseRow[] = [
  ...interfaceReads,
  ...interfaceWrites,
  ...petPromises,
  ...errorPromises,
  ...placePromises,
  ...orderPromises,
  ...eventPromises,
  ...correctionPromises,
  ...searchPromises,
]
