// One path and what its methods do: HEAD as GET, OPTIONS, and 405 for the rest.

import { PetstoreError } from '../domain/errors.ts'
import { SECURITY_HEADERS } from './response/response.ts'

/** The request as Bun gives it, with the parameters of its path, percent-decoded. */
export type RoutedRequest = Request & { params: Record<string, string> }

/** `requestId` names the request in the log; it is made when it is first asked for. */
export type Responder = (request: RoutedRequest, requestId: () => string) => Promise<Response>

export interface ResourceOptions {
  /** On every answer of this path, beside those that its operations give. */
  headers?: Record<string, string> | undefined
  /** What metrics call its methods. */
  labels?: Record<string, string>
}

export class Resource {
  readonly headers: Record<string, string>
  private readonly labels: Record<string, string>

  constructor(
    readonly path: string,
    private readonly methods: Record<string, Responder>,
    { headers = {}, labels = {} }: ResourceOptions = {},
  ) {
    this.headers = headers
    this.labels = labels
  }

  /** The operation of a method, or the path where it has none: never anything that a caller can choose freely. */
  labelOf(method: string): string {
    return this.labels[method === 'HEAD' ? 'GET' : method] ?? this.path
  }

  /** The `Allow` header (RFC 9110, 10.2.1). */
  get allow(): string {
    return Object.keys(this.methods)
      .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
      .concat('OPTIONS')
      .join(', ')
  }

  /** Throws `method_not_allowed` for a method that the path does not have. */
  async respond(request: RoutedRequest, requestId: () => string): Promise<Response> {
    const { method } = request
    const responder = this.methods[method === 'HEAD' ? 'GET' : method]
    if (responder) return responder(request, requestId)
    if (method === 'OPTIONS') {
      return new Response(null, { status: 204, headers: { ...SECURITY_HEADERS, ...this.headers, Allow: this.allow } })
    }
    throw new PetstoreError('method_not_allowed', `${method} is not possible here. Possible: ${this.allow}.`)
  }
}
