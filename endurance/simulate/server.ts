// A simulated server without a socket: the store, the pipeline, and the sweep of overdue reservations. bundle.ts bundles this module once for
// each server, so that each has separate module state and its own runtime.

import { operations } from '../../packages/contract/src/contract.ts'
import { startExpiry } from '../../packages/service/src/http/expiry.ts'
import type { Connections } from '../../packages/service/src/http/limits/connections.ts'
import { linksBelow } from '../../packages/service/src/http/links.ts'
import { Pipeline } from '../../packages/service/src/http/pipeline.ts'
import { operationRoutes } from '../../packages/service/src/http/route.ts'
import type { Log } from '../../packages/service/src/observability/log.ts'
import { openSqliteStore } from '../../packages/service/src/store/sqlite/store.ts'
import { wallMs } from '../../packages/service/src/system/runtime.ts'

const quiet = () => undefined
const SILENT: Log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: quiet,
  change: quiet,
  flush: async () => undefined,
}
/** The simulation has no connections. */
const CONNECTIONS = { limit: quiet, responding: quiet, ignoringBody: quiet } as unknown as Connections

/** Opens the store as `petstore serve` does. Throws StartError. */
export function startServer(path: string) {
  const store = openSqliteStore(path, { now: wallMs, serves: true })
  const linkTo = linksBelow(undefined)
  const pipeline = new Pipeline({
    store,
    log: SILENT,
    environment: 'production',
    corsOrigins: [],
    enforceSunset: false,
    now: wallMs,
    linkTo,
    connections: CONNECTIONS,
  })
  const routes = operationRoutes(operations, linkTo).map((route) => ({
    route,
    pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  }))
  void startExpiry(store, SILENT)
  return {
    store,
    async respond(request: Request): Promise<Response> {
      const { pathname } = new URL(request.url)
      const found = routes.find(({ pattern }) => pattern.test(pathname))
      const params = { ...found?.pattern.exec(pathname)?.groups }
      return pipeline.respond(Object.assign(request, { params }), found?.route)
    },
  }
}
