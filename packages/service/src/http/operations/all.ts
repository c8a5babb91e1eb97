// Maps every operationId of the contract to its function. A missing one does not compile.

import { eventOperations } from './events.ts'
import type { Handlers } from './handler.ts'
import { orderOperations } from './orders.ts'
import { petOperations } from './pets.ts'

export const handlers: Handlers = { ...petOperations, ...orderOperations, ...eventOperations }
