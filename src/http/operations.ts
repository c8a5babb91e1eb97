// What each operation of the contract does, one function per operationId: a missing one does not compile.

import type { Operations } from '../contract/generated.ts'
import type { Handlers } from './operations/handler.ts'
import { orderOperations } from './operations/orders.ts'
import { petOperations } from './operations/pets.ts'

export const handlers: Handlers<keyof Operations> = { ...petOperations, ...orderOperations }
