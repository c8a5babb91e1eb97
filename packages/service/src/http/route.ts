// A path of the service: its methods, and the headers of its responses.

import { basePath, type ContractOperation, type Deprecation } from '../../../contract/src/contract.ts'
import { PetstoreError } from '../domain/petstore-error.ts'
import type { Context, LinkTo, RoutedRequest, SharedHeaders } from './context.ts'
import { ACCEPT_PATCH, type Answer, noContent, sharedHeaders } from './response/response.ts'

/** An operation of the contract, which the pipeline runs, or a function outside the contract. */
type Endpoint = ContractOperation | ((context: Context) => Answer | Promise<Answer>)

export class Route {
  private readonly shared: SharedHeaders
  private readonly own: Readonly<Record<string, SharedHeaders>>

  constructor(
    readonly path: string,
    private readonly endpoints: Readonly<Record<string, Endpoint>>,
    /** Additional headers of all responses to a method. */
    headers: Readonly<Record<string, Record<string, string>>> = {},
  ) {
    const methods = Object.keys(endpoints).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))
    const allow = [...methods, 'OPTIONS'].join(', ')
    this.shared = sharedHeaders({}, allow)
    this.own = Object.fromEntries(Object.entries(headers).map(([method, own]) => [method, sharedHeaders(own, allow)]))
  }

  headers(method: string): SharedHeaders {
    return this.own[method === 'HEAD' ? 'GET' : method] ?? this.shared
  }

  /** HEAD uses GET's endpoint (RFC 9110, 9.3.2). Throws `method_not_allowed` if the path has no such method. */
  endpoint(method: string): Endpoint {
    const endpoint = this.endpoints[method === 'HEAD' ? 'GET' : method]
    if (endpoint) return endpoint
    const { allow } = this.shared
    if (method === 'OPTIONS') {
      const patch = this.endpoints.PATCH ? ACCEPT_PATCH : {}
      return () => noContent({ Allow: allow, ...patch })
    }
    throw new PetstoreError('method_not_allowed', `${method} is not allowed here. Allowed: ${allow}.`)
  }

  /** Returns the label for metrics: the operationId or the route's path, never text from the caller. */
  label(method: string): string {
    const endpoint = this.endpoints[method === 'HEAD' ? 'GET' : method]
    return endpoint && typeof endpoint !== 'function' ? endpoint.id : this.path
  }
}

/**
 * Returns a function for the targets of links to this service. A proxy can add a path prefix, which it removes from
 * requests. `baseUrl`, which ends in /v1, contains the prefix, and every link repeats it, so that clients come back
 * through the proxy. Without `baseUrl`, links are the plain paths.
 */
export function linksBelow(baseUrl: string | undefined): LinkTo {
  const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.slice(0, -basePath.length)
  return (path) => prefix + path
}

/** Creates one route for each path of the contract. */
export function operationRoutes(operations: readonly ContractOperation[], linkTo: LinkTo): Route[] {
  const byPath = Map.groupBy(operations, ({ path }) => path)
  return [...byPath].map(([path, all]) => {
    const endpoints = Object.fromEntries(all.map((operation) => [operation.method, operation]))
    // All responses of a deprecated operation get these headers, including 404 and 401.
    const headers = all.flatMap(({ method, deprecation }) =>
      deprecation ? [[method, deprecationHeaders(deprecation, linkTo)] as const] : [],
    )
    return new Route(path, endpoints, Object.fromEntries(headers))
  })
}

/** Returns options for `Bun.serve`, which compares a request's raw target with the paths, character by character. */
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
    // The pipeline rejects oversized bodies, with an Error body.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  }
}

// Deprecated operations: headers that announce the removal (RFC 9745, RFC 8594), and the removal itself.

function deprecationHeaders({ since, sunset, successor }: Deprecation, linkTo: LinkTo): Record<string, string> {
  return {
    Deprecation: `@${since / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: deprecationLinks(successor, linkTo),
  }
}

/** `successor` is a path with the version. */
export function deprecationLinks(successor: string, linkTo: LinkTo): string {
  return `<${linkTo(successor)}>; rel="successor-version", <${linkTo('/docs')}>; rel="deprecation"; type="text/html"`
}

/** Throws `operation_removed` from the sunset date on. */
export function checkNotRemoved({ id, deprecation }: ContractOperation, now: number, linkTo: LinkTo): void {
  if (!deprecation || now < deprecation.sunset) return
  const day = new Date(deprecation.sunset).toISOString().slice(0, 10)
  const successor = linkTo(deprecation.successor)
  throw new PetstoreError('operation_removed', `${id} was removed on ${day}. Use GET ${successor} instead.`)
}
