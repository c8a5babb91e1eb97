// One request on its way through the pipeline: what is known of it so far, in one object.

import { randomUUID } from 'node:crypto'
import type { ApiKey } from '../domain/keys.ts'
import type { Route } from './route.ts'

/** The request as the runtime gives it, with the parameters of its path, percent-decoded. */
export type RoutedRequest = Request & { readonly params: Record<string, string> }

export class Context {
  /** Whose key was sent; known once the request is authenticated. */
  caller: ApiKey | undefined
  /** The store's version, asked for after the request had arrived; `undefined` where a store has none. */
  version: number | undefined
  /** Sent as `X-Request-Id`, once the request has a name. */
  requestId: string | undefined

  constructor(
    readonly request: RoutedRequest,
    /** `undefined` when the service has nothing at this path. */
    readonly route: Route | undefined,
    /** When the request arrived, in milliseconds since 1970. */
    public now: number,
  ) {}

  /** A name for the request, for the log and for `X-Request-Id`. Most requests need none, so it is made when it is asked for. */
  nameRequest(): string {
    this.requestId ??= randomUUID()
    return this.requestId
  }
}
