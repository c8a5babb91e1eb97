// One path of the service: its methods, and the headers that all its responses share.

import type { ContractOperation } from '../contract/contract.ts'
import { PetstoreError } from '../domain/errors.ts'
import type { Context } from './context.ts'
import { type Answer, noContent } from './response/answer.ts'
import { deprecationHeaders } from './response/deprecation.ts'
import { type SharedHeaders, sharedHeaders } from './response/response.ts'

/** What a method does: an operation of the contract, which the pipeline runs, or a function outside the contract. */
export type Endpoint = ContractOperation | ((context: Context) => Answer | Promise<Answer>)

export class Route {
  /** The `Allow` header (RFC 9110, 10.2.1). */
  readonly allow: string
  readonly headers: SharedHeaders

  constructor(
    readonly path: string,
    private readonly endpoints: Readonly<Record<string, Endpoint>>,
  ) {
    this.allow = [
      ...Object.keys(endpoints).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)),
      'OPTIONS',
    ].join(', ')
    const operations = Object.values(endpoints).filter((endpoint) => typeof endpoint !== 'function')
    const [first] = operations
    // A path is deprecated when all its operations are: then every response says so, a 404 or 401 too.
    const deprecated = operations.length > 0 && operations.every(({ deprecation }) => deprecation)
    this.headers = sharedHeaders(deprecated && first?.deprecation ? deprecationHeaders(first.deprecation) : {})
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
export function operationRoutes(operations: readonly ContractOperation[]): Route[] {
  const byPath = Map.groupBy(operations, ({ path }) => path)
  return [...byPath].map(
    ([path, all]) => new Route(path, Object.fromEntries(all.map((operation) => [operation.method, operation]))),
  )
}
