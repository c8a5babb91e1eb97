// The state of one request. It has the route's headers and label but not the route, so that code that looks at a
// request does not depend on routes.

import type { ApiKey } from '../domain/keys.ts'
import type { StoreVersion } from '../domain/store.ts'
import { randomUuid } from '../system/runtime.ts'
import type { SharedHeaders } from './response/shared-headers.ts'

/** The runtime's request, with percent-decoded path parameters. */
export type RoutedRequest = Request & { readonly params: Record<string, string> }

/** Differs from every version of a store. */
const NOT_READ: StoreVersion = { data: undefined, keys: -1 }

export class Context {
  /** The API key, set by authentication. */
  caller: ApiKey | undefined
  /** The store's version, read after the request arrived. */
  version = NOT_READ
  /** Sent as `X-Request-Id` if set. */
  requestId: string | undefined
  /** True while the request waits for events, which is not work. */
  waits = false
  /** True once the response is made. The work may continue. */
  answered = false
  /** For the metrics, on the clock of `monotonicMs`. */
  startedAt = 0

  constructor(
    readonly request: RoutedRequest,
    /** The route's headers, or `NO_ROUTE`. */
    readonly headers: SharedHeaders,
    /** The request's name in the metrics. */
    public label: string,
    /** The request's arrival, in milliseconds since 1970. */
    public now: number,
  ) {}

  /** Returns the id for the log and `X-Request-Id`. Created on demand, because most requests need none. */
  ensureRequestId(): string {
    this.requestId ??= randomUuid()
    return this.requestId
  }

  /**
   * Returns the caller's trace for the log (W3C Trace Context). A missing or malformed `traceparent` is ignored
   * (3.2.2).
   */
  trace(): { traceId?: string; parentId?: string } {
    const header = this.request.headers.get('traceparent')
    if (header === null) return {}
    const [, traceId, parentId] = TRACEPARENT.exec(header) ?? []
    return traceId && parentId ? { traceId, parentId } : {}
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/
