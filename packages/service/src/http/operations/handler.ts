// The types of operation functions, and what they use.

import type { Operations } from '../../../../contract/src/generated.ts'
import type { ApiKey, KeyId } from '../../domain/keys.ts'
import type { OrderStore } from '../../domain/orders.ts'
import type { PetStore } from '../../domain/pets.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import { watchSize } from '../../system/runtime.ts'
import type { LinkTo } from '../context.ts'
import type { Feed } from '../feed.ts'
import type { Answer } from '../response/response.ts'

/** The services that operations use. */
export interface Services {
  pets: PetStore
  orders: OrderStore
  feed: Feed
  /** Idempotency keys of requests in progress. */
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
  /** Answers can be shared between callers (http/response/answer-cache.ts). */
  readonly shared?: boolean
}

export type Handlers = { [Each in keyof Operations]: Handler<Each> }
export type SomeHandlers = Partial<Handlers>

/** Marks an operation whose answers depend only on parameters and store. Its function gets no caller. */
export function shared<Operation extends keyof Operations>(
  answer: (services: Services, none: unknown, parameters: Operations[Operation]['parameters']) => Promise<Answer>,
): Handler<Operation> {
  return Object.assign(answer, { shared: true })
}

/**
 * Allows one request at a time for each `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header). The store
 * remembers finished requests, for all servers and across restarts; this class knows only the requests in progress in
 * this process.
 */
export class RunningKeys {
  private readonly running = new Set<string>()

  constructor() {
    watchSize('idempotency keys in flight', () => this.running.size)
  }

  /**
   * Runs `work` with the header's key, if there is one. Rejects with `idempotency_in_flight` while another request
   * with the key is running.
   */
  async runAlone<Result>(
    by: KeyId,
    header: string | undefined,
    work: (key?: string) => Promise<Result>,
  ): Promise<Result> {
    if (header === undefined) return work()
    // Without the quotes and escapes of an RFC 8941 string (3.3.3). A key without quotes stays unchanged.
    const key = header.startsWith('"') ? header.slice(1, -1).replaceAll(/\\(.)/g, '$1') : header
    const name = `${by} ${key}`
    if (this.running.has(name)) {
      throw new PetstoreError(
        'idempotency_in_flight',
        'The first request with this Idempotency-Key is still in progress. Send it again to get its response.',
      )
    }
    this.running.add(name)
    try {
      return await work(key)
    } finally {
      this.running.delete(name)
    }
  }
}
