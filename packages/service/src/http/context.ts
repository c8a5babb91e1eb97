// What is known about one request. It has the headers and the label of its route and not the route, so that nothing that looks at a
// request depends on the routes.

import type { ApiKey } from '../domain/keys.ts'
import type { StoreVersion } from '../domain/store.ts'
import { randomUuid } from '../system/runtime.ts'
import type { SharedHeaders } from './response/shared-headers.ts'

/** The request as the runtime gives it, with the parameters of its path, percent-decoded. */
export type RoutedRequest = Request & { readonly params: Record<string, string> }

/** Equal to no version of a store. */
const NOT_READ: StoreVersion = { data: undefined, keys: -1 }

export class Context {
  /** The request's API key. Set by authentication. */
  caller: ApiKey | undefined
  /** The store's version, read after the request arrived. */
  version = NOT_READ
  /** Sent as `X-Request-Id` when it is set. */
  requestId: string | undefined
  /** Waits for events: that is no work. */
  waits = false
  /** Has its response, while it may still be worked on. */
  answered = false
  /** For the metrics, on the clock of `monotonicMs`. */
  startedAt = 0

  constructor(
    readonly request: RoutedRequest,
    /** Those of the route, or those where nothing exists. */
    readonly headers: SharedHeaders,
    /** The request's name in the metrics. */
    public label: string,
    /** When the request arrived, in milliseconds since 1970. */
    public now: number,
  ) {}

  /** The id for the log and for `X-Request-Id`. Created on demand, because most requests need none. */
  ensureRequestId(): string {
    this.requestId ??= randomUuid()
    return this.requestId
  }

  /** The caller's trace, for the log (W3C Trace Context). Empty when `traceparent` is missing or malformed: to be ignored (3.2.2). */
  trace(): { traceId?: string; parentId?: string } {
    const header = this.request.headers.get('traceparent')
    if (header === null) return {}
    const [, traceId, parentId] = TRACEPARENT.exec(header) ?? []
    return traceId && parentId ? { traceId, parentId } : {}
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/
