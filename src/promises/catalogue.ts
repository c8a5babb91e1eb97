// Every promise of the service, in the order in which they are told.

import { errorPromises } from './catalogue/errors.ts'
import { interfaceReads } from './catalogue/interface-reads.ts'
import { interfaceWrites } from './catalogue/interface-writes.ts'
import { petPromises } from './catalogue/pets.ts'
import type { PromiseRow } from './promise.ts'

export const PROMISES: readonly PromiseRow[] = [...interfaceReads, ...interfaceWrites, ...petPromises, ...errorPromises]
