// Starts and stops the server.

import { basePath, operations } from '../../../contract/src/contract.ts'
import type { Environment } from '../domain/keys.ts'
import { PetstoreError } from '../domain/petstore-error.ts'
import { authority } from '../observability/client-address.ts'
import { atMost, endOfTurn, monotonicMs, sleep } from '../system/runtime.ts'
import { Context, type RoutedRequest } from './context.ts'
import { startExpiry } from './expiry.ts'
import { Connections } from './limits.ts'
import { type Address, listen } from './listen.ts'
import { redirectNewConnections, refuseNew } from './listening-sockets.ts'
import { Pipeline, type PipelineOptions } from './pipeline.ts'
import { type ObserverOptions, Observers } from './reports.ts'
import { errorAnswer, NO_ROUTE, toResponse } from './response/response.ts'
import { linksBelow, operationRoutes, type Route, serving } from './route.ts'
import { type GivenNames, namesRoute } from './web/names-route.ts'
import { ALIVE, contractFiles, healthChecks, keyInfo, liveness, type ServerAddresses } from './web/service-routes.ts'
import { pages } from './web/web-pages.ts'

export interface ServerOptions extends Omit<PipelineOptions, 'observers'>, ObserverOptions {
  readonly host: string
  /** 0 chooses a free port. */
  readonly port: number
  /** Addresses ending in /v1. Default for this environment: the address that the server listens on. */
  readonly baseUrls: Record<Environment, string | undefined>
  readonly names: GivenNames
  /** Listens on the address already, from `listenEarly`. */
  readonly listening?: Bun.Server<undefined> | undefined
  /** Allows other processes to listen on the same port. */
  readonly sharePort?: boolean
  /** With `sharePort`: on stop, redirects new connections to another process. */
  readonly handsOver?: boolean
  /** Whether the start can still fail; until then the service is not ready. */
  readonly isStarting?: () => boolean
}

/** How long a stopping server still reads requests from open connections. Each response closes its connection. */
const DRAIN_MS = 200
/**
 * After that, how long it accepts connections in progress: longer than a connect from a neighbouring machine takes.
 */
const ACCEPT_MS = 50

const STARTING = new PetstoreError('unavailable', 'The service is starting.')

/**
 * Listens before the store is open: `/healthz` responds with 200, and to everything else with 503. Throws StartError if it cannot
 * listen on the address.
 */
export function listenEarly(address: Omit<Address, 'flag'> & ObserverOptions): Bun.Server<undefined> {
  const observers = new Observers({ ...address, metrics: undefined }, () => server)
  const respond = (request: RoutedRequest, route: Route | undefined) => {
    const context = new Context(request, NO_ROUTE, 'none', 0)
    context.startedAt = monotonicMs()
    context.ensureRequestId()
    if (!route) context.code = STARTING.code
    const answer = route ? ALIVE : errorAnswer(STARTING, context)
    const response = toResponse(answer, context)
    // The body may still be arriving, and the next attempt may reach a server that is ready.
    response.headers.set('Connection', 'close')
    observers.observe(answer, response, context)
    return response
  }
  const server = listen({ ...address, flag: '--port' }, serving([liveness], { respond }))
  return server
}

/** Throws StartError if it cannot listen on the address. */
export function startServer(options: ServerOptions) {
  const { store, host, metrics, baseUrls, environment } = options
  const linkTo = linksBelow(baseUrls[environment])
  const connections = new Connections(() => server)
  const observers = new Observers(options, () => server)
  const pipeline = new Pipeline({ ...options, linkTo, connections, observers })
  const unready = () => {
    if (options.isStarting?.()) return STARTING.message
    return pipeline.draining ? 'The service is shutting down.' : undefined
  }
  const authenticate = (context: Context) => pipeline.authenticate(context)
  const routes: Route[] = [
    ...operationRoutes(operations, linkTo),
    ...contractFiles(() => addresses(options, url)),
    ...healthChecks(() => store.ping(), unready),
    keyInfo(authenticate, environment),
    namesRoute(pipeline, store, options.names),
    ...pages(),
  ]
  const answers = serving(routes, pipeline)
  const server = options.listening ?? listen({ ...options, flag: '--port' }, answers)
  options.listening?.reload(answers as Bun.Serve.Options<undefined>)
  const port = server.port as number
  const url = `http://${authority(host, port)}${basePath}`
  metrics?.watch({ inFlight: () => server.pendingRequests - pipeline.feed.waiting, feed: pipeline.feed })
  const expiry = startExpiry(store, options.log, options.limits?.expiryEveryMs)
  const warnOfResets = (option: string) =>
    options.log.warn({ option }, 'socket option refused: connections may be reset now')

  return {
    port,
    /** The base address, ending in /v1. */
    url,
    /** Accepts no more connections. Resolves when every request has its response, or after `graceMs`. */
    async stop(graceMs: number): Promise<void> {
      pipeline.draining = true
      pipeline.feed.stop()
      const swept = expiry.stop()
      if (options.handsOver && !redirectNewConnections(port)) warnOfResets('SO_ATTACH_REUSEPORT_CBPF')
      await sleep(DRAIN_MS)
      if (!refuseNew(port)) warnOfResets('SO_BINDTOIFINDEX')
      await sleep(ACCEPT_MS)
      // On a busy machine, the timer can run before the runtime has accepted the connections of this turn.
      await endOfTurn()
      await endOfTurn()
      const answered = server.stop()
      await atMost(answered, graceMs - DRAIN_MS - ACCEPT_MS)
      await server.stop(true)
      observers.close()
      await Promise.all([swept, pipeline.close()])
    },
  }
}

/** The contract lists a server per environment. This server's environment comes first, and its default is `url`. */
function addresses({ baseUrls, environment }: ServerOptions, url: string): ReturnType<ServerAddresses> {
  const names = ['production', 'staging'] as const
  return [names.map((name) => baseUrls[name] ?? (name === environment ? url : undefined)), names.indexOf(environment)]
}
