// The types of the functions that carry out the operations.

import type { Operations } from '../../../../contract/src/generated.ts'
import type { ApiKey } from '../../domain/keys.ts'
import type { OrderStore } from '../../domain/orders.ts'
import type { PetStore } from '../../domain/pets.ts'
import type { Feed } from '../feed.ts'
import type { LinkTo } from '../links.ts'
import type { RunningKeys } from '../request/idempotency-key.ts'
import type { Answer } from '../response/response.ts'

/** What an operation may use. */
export interface Services {
  pets: PetStore
  orders: OrderStore
  feed: Feed
  /** Idempotency keys of requests that this server has not answered yet. */
  running: RunningKeys
  linkTo: LinkTo
}

interface Handler<Operation extends keyof Operations> {
  (
    services: Services,
    caller: ApiKey,
    parameters: Operations[Operation]['parameters'],
    body: Operations[Operation]['body'],
  ): Promise<Answer>
  /** An answer to one caller may be sent to another (http/response/answer-cache.ts). */
  readonly shared?: boolean
}

/** One function for each operation. */
export type Handlers = { [Each in keyof Operations]: Handler<Each> }
export type SomeHandlers = Partial<Handlers>

/** Marks an operation whose answers depend only on its parameters and the store. Its function does not receive the caller. */
export function shared<Operation extends keyof Operations>(
  answer: (services: Services, parameters: Operations[Operation]['parameters']) => Promise<Answer>,
): Handler<Operation> {
  const handler: Handler<Operation> = (services, _caller, parameters) => answer(services, parameters)
  return Object.assign(handler, { shared: true })
}
