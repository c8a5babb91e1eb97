// The server of a simulated process: everything that `petstore serve` starts, without sockets. bundle.ts bundles this module once for each
// process, so that each has separate module state and its own runtime.

import { LIMITS } from '../../packages/service/src/domain/limits.ts'
import { startServer } from '../../packages/service/src/http/server.ts'
import { createLog } from '../../packages/service/src/observability/log.ts'
import { isPostgresAddress } from '../../packages/service/src/store/postgres/address.ts'
import { openPostgresStore } from '../../packages/service/src/store/postgres/store.ts'
import { openSqliteStore } from '../../packages/service/src/store/sqlite/store.ts'
import { wallMs } from '../../packages/service/src/system/runtime.ts'
import { Database } from './database.ts'
import type { Call } from './messages.ts'
import { startOnFiles } from './on-files.ts'

/** As `petstore serve`: how long a stop waits for requests in flight. */
const GRACE_MS = 8_300

type Handler = (request: Request) => Response | Promise<Response>

/** Listens like `Bun.serve`. */
class Listener {
  readonly port = 1
  pendingRequests = 0
  /** How many requests the stop left without a response. */
  cut = 0
  private handlers: { pattern: RegExp; handler: Handler }[] = []
  private isStopped = false
  private resolve: (() => void) | undefined

  reload({ routes, fetch }: { routes: Record<string, Handler>; fetch: Handler }): void {
    this.handlers = [...Object.entries(routes), ['/.*', fetch] as const].map(([path, handler]) => ({
      pattern: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
      handler,
    }))
  }

  async respond(request: Request): Promise<Response> {
    if (this.isStopped) throw new Error('connection refused')
    const { pathname } = new URL(request.url)
    const { pattern, handler } = this.handlers.find(({ pattern }) =>
      pattern.test(pathname),
    ) as (typeof this.handlers)[0]
    this.pendingRequests++
    try {
      return await handler(Object.assign(request, { params: { ...pattern.exec(pathname)?.groups } }))
    } finally {
      if (--this.pendingRequests === 0) this.resolve?.()
    }
  }

  stop(cuts = false): Promise<void> {
    this.isStopped = true
    if (cuts) this.cut += this.pendingRequests
    return new Promise((resolve) => {
      this.resolve = resolve
      if (cuts || this.pendingRequests === 0) resolve()
    })
  }

  timeout(): void {}

  requestIP(): null {
    return null
  }
}

/** Opens the store as `petstore serve` does. Throws StartError. */
export async function serve(
  { path, limits, files: onFiles }: Extract<Call, { call: 'start' }>,
  logged: (line: string) => void,
) {
  Database.opened.clear()
  const log = createLog('info', { destination: { write: logged } })
  const listener = new Listener()
  const onTrouble = ({ reason }: { reason: string }) => log.error({ reason }, 'store in danger')
  const options = { now: wallMs, serves: true, onTrouble, limits: { ...LIMITS, ...limits } }
  const store = isPostgresAddress(path) ? await openPostgresStore(path, options) : openSqliteStore(path, options)
  const server = startServer({
    store,
    log,
    limits,
    host: '127.0.0.1',
    port: 0,
    listening: listener as unknown as Bun.Server<undefined>,
    baseUrls: { production: undefined, staging: undefined },
    names: { store: '' },
    environment: 'production',
    corsOrigins: [],
    enforceSunset: false,
    now: wallMs,
  })
  const respond = (request: Request) => listener.respond(request)
  const files = onFiles && startOnFiles(onFiles, path, { store, log, respond })
  return {
    store,
    files,
    respond,
    /** Stops as `petstore serve` does. Resolves with the problems. */
    async stop(): Promise<string[]> {
      const stopping = Promise.all([server.stop(GRACE_MS), files?.stop()])
      const { status, headers } = await listener.respond(new Request('http://127.0.0.1/readyz'))
      const [, wrong = []] = await stopping
      await store.close()
      const isReady = status !== 503 || headers.get('Connection') !== 'close'
      return [
        ...wrong,
        ...(Database.opened.size > 0 ? [`${Database.opened.size} connections are open after a stop`] : []),
        ...(listener.cut > 0 ? [`a stop leaves ${listener.cut} requests without a response`] : []),
        ...(isReady ? [`a server that stops answers ${status} to /readyz`] : []),
      ]
    },
  }
}
