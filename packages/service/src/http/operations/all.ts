// Maps every operationId of the contract to its function. A missing one does not compile.

import type { Operations } from '../../../../contract/src/generated.ts'
import type { ApiKey } from '../../domain/keys.ts'
import type { Answer } from '../response/response.ts'
import { eventOperations } from './events.ts'
import type { Handlers, Services } from './handler.ts'
import { orderOperations } from './orders.ts'
import { petOperations } from './pets.ts'

export const handlers: Handlers = { ...petOperations, ...orderOperations, ...eventOperations }

/** Parameters and body are validated, so they have the types generated from the contract. */
export function handle(
  id: keyof Operations,
  services: Services,
  caller: ApiKey,
  parameters: unknown,
  body: unknown,
): Promise<Answer> {
  return (handlers[id] as (...values: unknown[]) => Promise<Answer>)(services, caller, parameters, body)
}
