// Runs the steps of every request, in order: route → admit → authenticate → authorize → rate limit → cached answer →
// validate → operate → respond.

import { basePath, type ContractOperation } from '../../../contract/src/contract.ts'
import type { Json } from '../../../contract/src/json.ts'
import type { ApiKey, Environment } from '../domain/keys.ts'
import { LIMITS, type Limits } from '../domain/limits.ts'
import { PetstoreError } from '../domain/petstore-error.ts'
import { endOfTurn, monotonicMs } from '../system/runtime.ts'
import { Context, type LinkTo, type RoutedRequest } from './context.ts'
import { Feed } from './feed.ts'
import { Admission, type Connections, RateLimit, RunningKeys, WorkTime } from './limits.ts'
import { eventOperations } from './operations/events.ts'
import type { Client, Handlers, Services } from './operations/handler.ts'
import { orderOperations } from './operations/orders.ts'
import { petOperations } from './operations/pets.ts'
import { type Observers, type ReportOptions, Reports } from './reports.ts'
import { Authentication, authorize, readToken } from './request/authentication.ts'
import { readBody, readParameters, validateBody } from './request/input.ts'
import { AnswerCache } from './response/answer-cache.ts'
import {
  type Answer,
  addCors,
  type CorsOrigins,
  errorAnswer,
  failedPrecondition,
  NO_ROUTE,
  toPetstoreError,
  toResponse,
} from './response/response.ts'
import { checkNotRemoved, type Route } from './route.ts'

/** Maps every operationId of the contract to its function. A missing one does not compile. */
export const handlers: Handlers = { ...petOperations, ...orderOperations, ...eventOperations }

export interface PipelineOptions extends ReportOptions {
  readonly environment: Environment
  readonly corsOrigins: CorsOrigins
  readonly limits?: Partial<Limits>
  /** Whether deprecated operations answer 410 from their removal date on. */
  readonly enforceSunset: boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** The time limit for a body to arrive. */
  readonly bodyTimeoutMs?: number
  readonly observers?: Pick<Observers, 'observe'> | undefined
}

/** Bun closes a connection if a request takes longer than 12 s to arrive, so the 408 must be sent earlier. */
const BODY_TIMEOUT_MS = 8_000
/** A key is verified again if the body took longer than this to arrive. */
const REVERIFY_AFTER_MS = 500

const INVALID_HOST = new PetstoreError('invalid_parameter', 'The Host header must be one host, with an optional port.')

export class Pipeline {
  /** True while the service shuts down: each response closes its connection. */
  draining = false
  readonly feed: Feed
  private readonly admission: Admission
  private readonly workTime: WorkTime
  private readonly authentication: Authentication
  private readonly rateLimit: RateLimit | undefined
  private readonly answers: AnswerCache
  private readonly services: Services
  private readonly reports: Reports

  constructor(private readonly options: PipelineOptions & { linkTo: LinkTo; connections: Connections }) {
    const { store, environment, linkTo } = options
    const limits = { ...LIMITS, ...options.limits }
    this.workTime = new WorkTime((error, context) => this.finish(this.failed(error, context), context))
    this.admission = new Admission(limits.requestsMax)
    this.feed = new Feed(store, limits.readersMax)
    this.authentication = new Authentication(store, environment, limits.cachedKeysMax)
    this.rateLimit = limits.rate && new RateLimit(limits.rate)
    this.answers = new AnswerCache(limits.cachedCharactersMax)
    this.services = { pets: store, orders: store, feed: this.feed, running: new RunningKeys(), linkTo }
    this.reports = new Reports(options)
  }

  /**
   * Never throws or rejects: errors become responses. Returns the response itself, not a promise, if it is known
   * immediately, as for a cached list.
   */
  respond(request: RoutedRequest, route: Route | undefined): Response | Promise<Response> {
    const label = route?.label(request.method) ?? 'none'
    const context = new Context(request, route?.headers(request.method) ?? NO_ROUTE, label, this.options.now())
    if (this.options.observers) context.startedAt = monotonicMs()
    try {
      const answer = this.begin(context, route)
      if (!(answer instanceof Promise)) return this.finish(answer, context)
      return this.workTime.within(this.finishLater(answer, context), context)
    } catch (error) {
      return this.finish(this.failed(error, context), context)
    }
  }

  private async finishLater(answer: Promise<Answer>, context: Context): Promise<Response> {
    try {
      return await this.finish(await answer, context)
    } catch (error) {
      return this.finish(this.failed(error, context), context)
    }
  }

  private begin(context: Context, route: Route | undefined): Answer | Promise<Answer> {
    const { request } = context
    if (!hasValidHost(request)) {
      const answer = this.failed(INVALID_HOST, context)
      return { ...answer, headers: { ...answer.headers, Connection: 'close' } }
    }
    if (!route) throw this.notFound()
    const operation = route.endpoint(request.method)
    if (typeof operation === 'function') return operation(context)

    context.operation = operation.id
    const token = readToken(request)
    context.version = this.options.store.version()
    // Rejects requests that waited in sockets during a long turn.
    this.admission.check()
    context.caller = this.authentication.known(token, context)
    const cached = context.caller && this.permit(operation, token, context.caller, context)
    return cached ?? this.operate(operation, token, context)
  }

  /** The message has the service's addresses, and repeats no part of the request. */
  private notFound(): PetstoreError {
    const paths = [basePath, '/docs', '/openapi.yaml', '/openapi.json', '/'].map(this.options.linkTo)
    const [operations, reference, yaml, json, page] = paths
    const api = `The operations are under ${operations} and described at ${reference}, ${yaml} and ${json}.`
    return new PetstoreError('not_found', `Nothing exists at this path. ${api} The page is at ${page}`)
  }

  /**
   * Returns the answer if it is cached. Throws PetstoreError if the caller may not use the operation or has reached
   * its rate limit, or if the operation was removed.
   */
  private permit(operation: ContractOperation, token: string, caller: ApiKey, context: Context): Answer | undefined {
    const { enforceSunset, linkTo } = this.options
    this.reports.keyUsed(caller.id, token, context.now)
    authorize(operation, caller)
    this.rateLimit?.take(context)
    if (operation.deprecation) {
      this.reports.deprecatedCall(caller.id, operation.id, context.now)
      if (enforceSunset) checkNotRemoved(operation, context.now, linkTo)
    }
    return handlers[operation.id].shared ? this.answers.get(context) : undefined
  }

  /** Verifies the key if it is not known yet, validates the request and runs the operation. */
  private async operate(operation: ContractOperation, token: string, context: Context): Promise<Answer> {
    // At the end of the turn, most bodies have arrived. Running a turn's requests one after the other also keeps
    // code and data in the processor's caches.
    await endOfTurn()
    if (!context.caller) {
      const caller = await this.verify(token, context)
      const cached = this.permit(operation, token, caller, context)
      if (cached) return cached
    }
    // Rejects the rest of a turn with too much work: nothing is awaited between this check and `enter`, unless the body
    // is still arriving.
    this.admission.check()
    let body: unknown
    if (operation.body) {
      const json = this.bodyOf(token, context)
      body = validateBody(operation.body, json instanceof Promise ? await json : json)
    }
    const parameters = readParameters(operation, context.request)
    // Validated parameters and bodies have the types generated from the contract.
    const handler = handlers[operation.id] as ((...values: unknown[]) => Promise<Answer>) & { shared?: boolean }
    const { shared } = handler
    const caller = shared ? undefined : context.caller
    const run = () => handler(this.services, caller, parameters, body, this.clientOf(token, context))
    this.admission.enter()
    try {
      const answer = await (shared ? this.answers.read(context, run) : run())
      if (answer.logged) {
        this.reports.changed(operation.id, answer.logged, context)
        this.feed.changed()
      }
      return answer
    } finally {
      this.admission.leave()
    }
  }

  private bodyOf(token: string, context: Context, bytesMax?: number): Json | Promise<Json> {
    const arrives = (arriving: boolean) => this.options.connections.expectBody(context.request, arriving)
    const json = readBody(context.request, this.options.bodyTimeoutMs ?? BODY_TIMEOUT_MS, arrives, bytesMax)
    return json instanceof Promise ? this.arrived(json, token, context) : json
  }

  /** Rejects a key that was revoked or expired while the body arrived, even if the body is invalid. */
  private async arrived(body: Promise<Json>, token: string, context: Context): Promise<Json> {
    const startedAt = monotonicMs()
    try {
      return await body
    } finally {
      if (monotonicMs() - startedAt > REVERIFY_AFTER_MS) await this.verify(token, context)
    }
  }

  private clientOf(token: string, context: Context): Client {
    const { request } = context
    const { admission } = this
    return {
      get signal() {
        return request.method === 'HEAD' ? AbortSignal.abort() : request.signal
      },
      verify: () => this.verify(token, context),
      async pause(wait) {
        const startedAt = monotonicMs()
        admission.leave()
        context.waits = true
        try {
          return await wait()
        } finally {
          admission.enter()
          context.waits = false
          context.startedAt += monotonicMs() - startedAt
        }
      },
    }
  }

  /** Sets the caller, and returns it. Rejects with `invalid_api_key`. */
  private async verify(token: string, context: Context): Promise<ApiKey> {
    context.now = this.options.now()
    context.version = this.options.store.version()
    context.caller = this.authentication.known(token, context) ?? (await this.authentication.verify(token, context))
    return context.caller
  }

  private finish(answer: Answer, context: Context): Response | Promise<Response> {
    const ignored = this.options.connections.beforeIgnoringBody(context.request)
    return ignored ? ignored.then(() => this.toResponse(answer, context)) : this.toResponse(answer, context)
  }

  private toResponse(answer: Answer, context: Context): Response {
    const { corsOrigins, connections } = this.options
    const { request } = context
    const failed = answer.tag && failedPrecondition(answer.tag, request.headers.get('If-Match'))
    const final = failed ? this.failed(failed, context) : answer
    const response = toResponse(final, context)
    this.rateLimit?.addHeaders(response, context)
    addCors(response, request, corsOrigins)
    // Bun reads nothing more from a connection after CONNECT.
    if (this.draining || request.method === 'CONNECT') response.headers.set('Connection', 'close')
    if (!context.answered) this.options.observers?.observe(final, response, context)
    context.answered = true
    connections.beforeResponse(request)
    return response
  }

  /** Logs an error and returns its answer. The response has the same request id as the log line. */
  private failed(thrown: unknown, context: Context): Answer {
    const error = toPetstoreError(thrown)
    context.ensureRequestId()
    context.code = error.code
    this.reports.failed(error, context)
    return errorAnswer(error, context)
  }

  /**
   * Sets the caller of a request outside the contract. Throws PetstoreError if the API key is not valid or the
   * service is overloaded.
   */
  async authenticate(context: Context): Promise<void> {
    const token = readToken(context.request)
    this.admission.check()
    const { id } = await this.verify(token, context)
    this.reports.keyUsed(id, token, context.now)
  }

  /** Makes a change outside the contract with the request's body, and logs it. Rejects also as `authenticate` does. */
  async change(
    context: Context,
    { name, bytesMax }: { name: string; bytesMax: number },
    work: (body: Json) => Promise<Answer>,
  ): Promise<Answer> {
    await this.authenticate(context)
    authorize(context.request, context.caller as ApiKey)
    const answer = await work(await this.bodyOf(readToken(context.request), context, bytesMax))
    if (answer.logged) this.reports.changed(name, answer.logged, context)
    return answer
  }

  /** Call this after the last response. */
  close(): Promise<void> {
    return this.reports.close()
  }
}

/**
 * The `Host` header: a host and a port (RFC 9110, 7.2; RFC 3986, 3.2.2), possibly empty. Names with a comma would be
 * valid, but Bun joins two Host lines with a comma, and such a pair must be rejected (RFC 9112, 3.2).
 */
const HOST = /^(?:(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})*|\[[\da-f:.]+\])(?::\d*)?$/i

/** Returns whether Host is valid or, as HTTP/1.0 allows, missing. */
function hasValidHost({ headers }: Request): boolean {
  return HOST.test(headers.get('Host') ?? '')
}
