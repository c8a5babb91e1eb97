// One path of the service: its methods, and the headers that all its responses share; and what is known about one request to it.

import type { ContractOperation } from '../contract/contract.ts'
import { PetstoreError } from '../domain/errors.ts'
import type { ApiKey } from '../domain/keys.ts'
import type { StoreVersion } from '../domain/store.ts'
import type { LinkTo } from './links.ts'
import { deprecationHeaders } from './response/deprecation.ts'
import { type Answer, noContent, type SharedHeaders, sharedHeaders } from './response/response.ts'

/** What a method does: an operation of the contract, which the pipeline runs, or a function outside the contract. */
export type Endpoint = ContractOperation | ((context: Context) => Answer | Promise<Answer>)

export class Route {
  /** The `Allow` header (RFC 9110, 10.2.1). */
  readonly allow: string
  readonly headers: SharedHeaders

  constructor(
    readonly path: string,
    private readonly endpoints: Readonly<Record<string, Endpoint>>,
    /** Of every response. */
    headers: Record<string, string> = {},
  ) {
    this.allow = [
      ...Object.keys(endpoints).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)),
      'OPTIONS',
    ].join(', ')
    this.headers = sharedHeaders(headers)
  }

  /** HEAD uses GET's endpoint (RFC 9110, 9.3.2). Throws `method_not_allowed` when the path does not have the method. */
  endpoint(method: string): Endpoint {
    const endpoint = this.endpoints[method === 'HEAD' ? 'GET' : method]
    if (endpoint) return endpoint
    if (method === 'OPTIONS') return () => noContent({ Allow: this.allow })
    throw new PetstoreError('method_not_allowed', `${method} is not allowed here. Allowed: ${this.allow}.`)
  }

  /** The request's label in the metrics: its operationId, else the route's path. Never text from the caller. */
  label(method: string): string {
    const endpoint = this.endpoints[method === 'HEAD' ? 'GET' : method]
    return endpoint && typeof endpoint !== 'function' ? endpoint.id : this.path
  }
}

/** One route for each path of the contract. */
export function operationRoutes(operations: readonly ContractOperation[], linkTo: LinkTo): Route[] {
  const byPath = Map.groupBy(operations, ({ path }) => path)
  return [...byPath].map(([path, all]) => {
    const endpoints = Object.fromEntries(all.map((operation) => [operation.method, operation]))
    // A path is deprecated when all its operations are: then every response says so, a 404 or 401 too.
    const deprecation = all.every((operation) => operation.deprecation) ? all[0]?.deprecation : undefined
    return new Route(path, endpoints, deprecation && deprecationHeaders(deprecation, linkTo))
  })
}

/** What `Bun.serve` is given. It compares a request's raw target with the paths, character by character. */
export function serving(
  routes: readonly Route[],
  pipeline: { respond(request: RoutedRequest, route: Route | undefined): Response | Promise<Response> },
) {
  return {
    routes: Object.fromEntries(
      routes.map((route) => [
        route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        (request: Request) => pipeline.respond(request as RoutedRequest, route),
      ]),
    ),
    fetch: (request: Request) => pipeline.respond(request as RoutedRequest, undefined),
    // The pipeline refuses a body that is too large, with an Error body.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  }
}

/** The request as the runtime gives it, with the parameters of its path, percent-decoded. */
export type RoutedRequest = Request & { readonly params: Record<string, string> }

/**
 * A host and a port (RFC 9110, 7.2; RFC 3986, 3.2.2); may be empty. A name with a comma would be one, too, but Bun joins two Host lines
 * with a comma, and these must be refused (RFC 9112, 3.2).
 */
const HOST = /^(?:(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*|\[[\da-f:.]+\])(?::\d*)?$/i

/** The last one that was valid: nearly all requests have the same, and comparing takes a fortieth of the time. */
let lastHost = ''

/** Whether the request's Host is valid, or it has none, as HTTP/1.0 allows. */
export function hasValidHost({ headers }: Request): boolean {
  const host = headers.get('Host') ?? ''
  if (host === lastHost) return true
  const valid = HOST.test(host)
  if (valid) lastHost = host
  return valid
}

/** Equal to no version of a store. */
const NOT_READ: StoreVersion = { data: undefined, keys: -1 }

export class Context {
  /** The request's API key. Set by authentication. */
  caller: ApiKey | undefined
  /** The store's version, read after the request arrived. */
  version = NOT_READ
  /** Sent as `X-Request-Id` when it is set. */
  requestId: string | undefined
  /** For the metrics, on the clock of performance.now(). */
  startedAt = 0

  constructor(
    readonly request: RoutedRequest,
    /** `undefined` when nothing exists at this path. */
    readonly route: Route | undefined,
    /** When the request arrived, in milliseconds since 1970. */
    public now: number,
  ) {}

  /** The id for the log and for `X-Request-Id`. Created on demand, because most requests need none. */
  ensureRequestId(): string {
    this.requestId ??= crypto.randomUUID()
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
