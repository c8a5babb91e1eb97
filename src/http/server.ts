// The server: what each path leads to, one answer to each request, and a stop that loses nothing. Bun matches the raw
// target against the routes, to the letter, so dot segments, doubled slashes and the like meet no operation.

import { randomUUID } from 'node:crypto'
import { basePath, operations } from '../contract/contract.ts'
import { OVERLOADED, PetstoreError } from '../domain/errors.ts'
import type { Environment } from '../domain/keys.ts'
import { handOver } from './handover.ts'
import { Admission } from './limits/admission.ts'
import { type Rate, RateLimit } from './limits/rate-limit.ts'
import { authority, listen } from './listen.ts'
import { type OperateOptions, operate } from './pipeline.ts'
import { Authentication } from './request/authentication.ts'
import { traceOf } from './request/trace.ts'
import { Resource, type RoutedRequest } from './resource.ts'
import { addCors, type CorsOrigins } from './response/cors.ts'
import { DeprecatedCallTally, deprecationHeaders } from './response/deprecation.ts'
import { isServerFailure, respondToFailure, toPetstoreError } from './response/errors.ts'
import { FailureLog } from './response/failure-log.ts'
import { Replay } from './response/list-cache.ts'
import { documents } from './web/documents.ts'
import { pages } from './web/web-pages.ts'

type Made = 'authentication' | 'replay' | 'tally' | 'admission' | 'rateLimit' | 'bodyTimeoutMs'

export interface ServerOptions extends Omit<OperateOptions, Made> {
  environment: Environment
  host: string
  /** 0 takes a free one. */
  port: number
  /** Addresses ending in /v1. That of the own environment is, unless given, where the server listens. */
  baseUrls: Record<Environment, string | undefined>
  corsOrigins: CorsOrigins
  /** Of each API key; without it there is none. */
  rateLimit?: Rate | undefined
  /** Lets other processes listen on the same port. */
  sharePort?: boolean
  /** With `sharePort`: another process takes over when this one stops. */
  handsOver?: boolean
  bodyTimeoutMs?: number
}

export interface PetstoreServer {
  port: number
  /** The base address, ending in /v1. */
  url: string
  /** Takes no more connections and resolves when what was asked has been answered, after `graceMs` at the latest. */
  stop(graceMs: number): Promise<void>
}

/** Bun ends a connection whose request takes longer than 12 s to arrive; an answer needs to come before. */
const BODY_TIMEOUT_MS = 8_000
const TELL_EVERY_MS = 5_000
/** How long a stopping server still answers on open connections, ending each with its answer. */
const LEAVE_MS = 200

/** Listens when it returns. Throws StartError when the address cannot be had. */
export function startServer(options: ServerOptions): PetstoreServer {
  const { store, log, corsOrigins, metrics } = options
  const rateLimit = options.rateLimit && new RateLimit(options.rateLimit, options.now)
  const tally = new DeprecatedCallTally()
  const authentication = new Authentication(store, options)
  const replay = new Replay(store, authentication)
  const failures = new FailureLog(log)
  let draining = false
  let shed = 0

  const resources = [
    ...operationResources({
      bodyTimeoutMs: BODY_TIMEOUT_MS,
      ...options,
      authentication,
      replay,
      tally,
      admission: new Admission(),
      rateLimit,
    }),
    ...documents({ ping: () => store.ping(), draining: () => draining, addresses: () => addresses(options, url) }),
    ...pages(),
  ]

  function answer(request: RoutedRequest, resource?: Resource): Response | Promise<Response> {
    // Two Host lines arrive as one, and no host has a comma: refused like other HTTP that is none (RFC 9112, 3.2).
    if (request.headers.get('Host')?.includes(',')) {
      return new Response(null, { status: 400, headers: { Connection: 'close' } })
    }
    // A request that counts against its key's limit goes the whole way.
    if (!resource || draining || rateLimit) return answerAnew(request, resource)
    const begun = metrics ? performance.now() : 0
    const replayed = replay.respond(request)
    if (!replayed) return answerAnew(request, resource)
    metrics?.request(resource.labelOf(request.method), replayed.status, (performance.now() - begun) / 1000)
    return addCors(request, replayed, corsOrigins)
  }

  async function answerAnew(request: RoutedRequest, resource?: Resource): Promise<Response> {
    let id: string | undefined
    const requestId = () => {
      id ??= randomUUID()
      return id
    }
    const begun = metrics ? performance.now() : 0
    let response: Response
    try {
      if (!resource) throw new PetstoreError('not_found', 'There is nothing at this path.')
      response = await resource.respond(request, requestId)
    } catch (thrown) {
      const error = toPetstoreError(thrown)
      if (error === OVERLOADED) shed++
      else if (isServerFailure(error)) {
        failures.add(error, () => ({ requestId: requestId(), ...traceOf(request.headers) }))
      }
      response = respondToFailure(error, requestId(), resource)
    }
    rateLimit?.addFields(request, response)
    // After CONNECT the HTTP layer reads nothing more from the connection: a proxy that kept it would wait in vain.
    if (draining || request.method === 'CONNECT') response.headers.set('Connection', 'close')
    // Bun dates every answer but those to HEAD; an origin server with a clock must (RFC 9110, 6.6.1).
    if (request.method === 'HEAD') response.headers.set('Date', new Date().toUTCString())
    metrics?.request(resource?.labelOf(request.method) ?? 'none', response.status, (performance.now() - begun) / 1000)
    return addCors(request, response, corsOrigins)
  }

  const server = listen(
    { ...options, flag: '--port' },
    {
      routes: Object.fromEntries(
        resources.map((resource) => [
          resource.path.replaceAll(/\{(\w+)\}/g, ':$1'),
          (request: Request) => answer(request as RoutedRequest, resource),
        ]),
      ),
      fetch: (request: Request) => answer(request as RoutedRequest),
      // What is too large is refused by us, with an Error body.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    },
  )
  const url = `http://${authority(options.host, server.port as number)}${basePath}`

  async function tell(): Promise<void> {
    failures.tell()
    if (shed > 0) log.warn({ shed }, 'overloaded')
    shed = 0
    const calls = tally.take()
    if (calls.length === 0) return
    try {
      await store.countDeprecatedCalls(calls)
    } catch (error) {
      for (const call of calls) tally.add(call)
      log.warn({ err: error }, 'deprecated calls not saved yet')
    }
  }
  metrics?.watchInFlight(() => server.pendingRequests)
  const telling = setInterval(tell, TELL_EVERY_MS)

  return {
    port: server.port as number,
    url,
    async stop(graceMs) {
      draining = true
      if (options.handsOver) handOver(server.port as number)
      await Bun.sleep(LEAVE_MS)
      const answered = server.stop()
      await Promise.race([answered, Bun.sleep(graceMs - LEAVE_MS)])
      await server.stop(true)
      clearInterval(telling)
      await tell()
    },
  }
}

/** One resource for each path of the contract; a path whose every operation is deprecated says so on every answer. */
function operationResources(options: OperateOptions): Resource[] {
  return Map.groupBy(operations, ({ path }) => path)
    .entries()
    .map(([path, all]) => {
      const responders = Object.fromEntries(all.map((operation) => [operation.method, operate(operation, options)]))
      const deprecation = all.every((operation) => operation.deprecation) ? all[0]?.deprecation : undefined
      const labels = Object.fromEntries(all.map(({ method, id }) => [method, id]))
      return new Resource(path, responders, { labels, headers: deprecation && deprecationHeaders(deprecation) })
    })
    .toArray()
}

/** In the contract's order. An address that nobody has told stays as the contract has it. */
function addresses({ baseUrls, environment }: ServerOptions, url: string): (string | undefined)[] {
  return (['production', 'staging'] as const).map((name) => baseUrls[name] ?? (name === environment ? url : undefined))
}
