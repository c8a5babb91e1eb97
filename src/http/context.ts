// What the pipeline knows about one request so far.

import { randomUUID } from 'node:crypto'
import type { ApiKey } from '../domain/keys.ts'
import type { Route } from './route.ts'

/** The request as the runtime gives it, with the parameters of its path, percent-decoded. */
export type RoutedRequest = Request & { readonly params: Record<string, string> }

export class Context {
  /** The request's API key. Set by authentication. */
  caller: ApiKey | undefined
  /** The store's version, read after the request arrived. `undefined` when the store has no versions. */
  version: number | undefined
  /** Sent as `X-Request-Id` when it is set. */
  requestId: string | undefined

  constructor(
    readonly request: RoutedRequest,
    /** `undefined` when nothing exists at this path. */
    readonly route: Route | undefined,
    /** When the request arrived, in milliseconds since 1970. */
    public now: number,
  ) {}

  /** The id for the log and for `X-Request-Id`. Created on demand, because most requests need none. */
  ensureRequestId(): string {
    this.requestId ??= randomUUID()
    return this.requestId
  }
}
