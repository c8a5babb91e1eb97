// The state of one request. It has the route's headers and label but not the route, so that code that looks at a
// request does not depend on routes.

import type { OperationId } from '../../../contract/src/contract.ts'
import type { ErrorCode } from '../../../contract/src/generated.ts'
import { type ApiKey, keyEnvironment } from '../domain/keys.ts'
import type { StoreVersion } from '../domain/store.ts'
import { randomUuid } from '../system/runtime.ts'

/** The runtime's request, with percent-decoded path parameters. */
export type RoutedRequest = Request & { readonly params: Record<string, string> }

/** Returns the link target of a path such as `/v1/pets` or `/docs`. A proxy can add a prefix, see `linksBelow`. */
export type LinkTo = (path: string) => string

/** Headers that responses of a route share. Copying Headers costs less than building them. */
export interface SharedHeaders {
  /** For a 200 and its 304. */
  readonly cacheable: Headers
  /** For other responses with a JSON body. */
  readonly uncached: Headers
  /** For responses without a body. */
  readonly bodyless: Headers
  /** The `Allow` header (RFC 9110, 10.2.1), for methods that are not allowed. */
  readonly allow: string
}

/** Differs from every version of a store. */
const NOT_READ: StoreVersion = { data: undefined, keys: -1 }

export class Context {
  /** The API key, set by authentication. */
  caller: ApiKey | undefined
  /** The store's version, read after the request arrived. */
  version = NOT_READ
  /** Sent as `X-Request-Id` if set. A valid one of the request is kept. */
  requestId: string | undefined
  /** The operation, if the request reached one. */
  operation: OperationId | undefined
  /** The code of the Error body, if there is one. */
  code: ErrorCode | undefined
  /** True while the request waits for events, which is not work. */
  waits = false
  /** True once the response is made. The work may continue. */
  answered = false
  /** On the clock of `monotonicMs`; 0 if nothing observes the responses. */
  startedAt = 0

  constructor(
    readonly request: RoutedRequest,
    /** The route's headers, or `NO_ROUTE`. */
    readonly headers: SharedHeaders,
    /** The request's name in the metrics. */
    public label: string,
    /** The request's arrival, in milliseconds since 1970. */
    public now: number,
  ) {
    const sent = request.headers.get('X-Request-Id')
    if (sent !== null && REQUEST_ID.test(sent) && !keyEnvironment(sent)) this.requestId = sent
  }

  /**
   * Returns the id for the log and `X-Request-Id`. Created on demand: an id for every response would take 5 % of the
   * rate of cached lists.
   */
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

const REQUEST_ID = /^[\w.:/+=@~-]{1,128}$/
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/
