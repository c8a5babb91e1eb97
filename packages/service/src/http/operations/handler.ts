// The types of operation functions, and what they use.

import type { Operations } from '../../../../contract/src/generated.ts'
import type { ApiKey } from '../../domain/keys.ts'
import type { OrderStore } from '../../domain/orders.ts'
import type { PetStore } from '../../domain/pets.ts'
import type { LinkTo } from '../context.ts'
import type { Feed } from '../feed.ts'
import type { RunningKeys } from '../limits.ts'
import type { Answer } from '../response/response.ts'

/** The services that operations use. */
export interface Services {
  pets: PetStore
  orders: OrderStore
  feed: Feed
  /** The idempotency keys that requests in progress use. */
  running: RunningKeys
  linkTo: LinkTo
}

/** The client of a request that can wait for events. */
export interface Client {
  /** Aborted when the client disconnects, and from the start for HEAD, which does not wait. */
  readonly signal: AbortSignal
  /** Rejects if the client's key is no longer valid. */
  verify(): Promise<unknown>
  /** Runs `wait`. It counts neither as duration nor as work, and not as a request that waits for the store. */
  pause<Result>(wait: () => Promise<Result>): Promise<Result>
}

interface Handler<Operation extends keyof Operations> {
  (
    services: Services,
    caller: ApiKey,
    parameters: Operations[Operation]['parameters'],
    body: Operations[Operation]['body'],
    client: Client,
  ): Promise<Answer>
  /** Responses can be shared between callers (http/response/answer-cache.ts). */
  readonly shared?: boolean
}

export type Handlers = { [Each in keyof Operations]: Handler<Each> }
export type SomeHandlers = Partial<Handlers>

/** Marks an operation whose responses depend only on parameters and store. Its function gets no caller. */
export function shared<Operation extends keyof Operations>(
  answer: (services: Services, none: unknown, parameters: Operations[Operation]['parameters']) => Promise<Answer>,
): Handler<Operation> {
  return Object.assign(answer, { shared: true })
}
