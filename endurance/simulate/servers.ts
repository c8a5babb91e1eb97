// The servers of a simulated run: starts, stops and kills them, and sends requests to them.

import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Limits } from '../../packages/service/src/domain/limits.ts'
import { sleep } from '../../packages/service/src/system/runtime.ts'
import { releasedStore } from '../../test/support/released-store.ts'
import type { Host } from './host.ts'
import type { Cluster } from './postgres/cluster.ts'
import type { Scheduler, SimulatedProcess } from './scheduler.ts'

/** docs/operations.md: a stop takes less than 10 s. */
const STOP_MS_MAX = 9_500
/** An interval that has nothing more to do stops itself when it runs next. */
const LAST_TICK_MS = 1_100
/** A search for the primary ends within this time. */
const LAST_SEARCH_MS = 4_000

/** As in deploy/. */
const START_AGAIN_MS = 2_000

const PREVIOUS = '1.1.0'

interface Server {
  readonly process: SimulatedProcess
  readonly host: Host
  /** Requests in flight; each function fails its request. */
  readonly open: Set<() => void>
  isStopping?: boolean
}

/** Servers on one file. */
export class Servers {
  /** The problems of servers that stopped. */
  readonly problems: string[] = []
  readonly stops: [from: number, to: number][] = []
  private readonly servers: (Server | undefined)[] = []
  /** The API key of the forwarder. Without it, the servers have no backups either. */
  forwardKey: string | undefined
  private path: string
  /** Servers that start after a power failure. */
  private lost: number[] = []
  private starts = 0

  constructor(
    private readonly scheduler: Scheduler,
    readonly hosts: readonly Host[],
    private readonly folder: string,
    private readonly limits: Partial<Limits>,
    /** The store, unless it is a SQLite file. */
    private readonly cluster?: Cluster,
  ) {
    this.path = cluster?.address ?? join(folder, 'petstore-0.db')
  }

  /** Creates an empty store with the release before. */
  async makeOlder(): Promise<void> {
    const openStore = await releasedStore(PREVIOUS)
    await (await openStore(this.path, { now: this.scheduler.wallMs })).close()
  }

  start(n: number): void {
    const host = this.hosts[n] as Host
    const process = this.scheduler.process(100 + this.starts++, true)
    const seed = this.scheduler.seed * 1_000 + this.starts
    const isPowerFailure = this.lost.includes(n)
    this.lost = this.lost.filter((one) => one !== n)
    const key = n === 0 ? this.forwardKey : undefined
    const files = this.forwardKey
      ? { folder: join(this.folder, `files-${n}`), keep: 1 + (this.scheduler.seed % 2), key, isPowerFailure }
      : undefined
    const server = { process, host, open: new Set<() => void>() }
    this.servers[n] = server
    if (this.cluster) {
      this.cluster.attach(server)
      host.onNotStarted = () => void this.startAgain(n, server)
    }
    host.boot(this.scheduler, process, { seed, path: this.path, limits: this.limits, files })
  }

  server(n: number): Server | undefined {
    return this.servers[n]
  }

  /** Returns the server unless it is stopping. */
  working(n: number): Server | undefined {
    const server = this.servers[n]
    return server?.isStopping ? undefined : server
  }

  /** Kills the process between two continuations. Its clients lose their connections. */
  kill(n: number): void {
    const server = this.servers[n]
    if (!server) return
    this.servers[n] = undefined
    server.process.isEnded = true
    this.cluster?.detach(server)
    for (const lose of server.open) lose()
  }

  /** Starts a server again that could not start, as systemd does. */
  private async startAgain(n: number, server: Server): Promise<void> {
    if (this.servers[n] !== server) return
    this.kill(n)
    await sleep(START_AGAIN_MS)
    if (!this.servers[n]) this.start(n)
  }

  /** Stops the process as a signal does. Each of its requests in flight gets a response. */
  async stop(n: number): Promise<void> {
    const server = this.servers[n]
    if (!server || server.isStopping) return
    server.isStopping = true
    const window: [number, number] = [this.scheduler.now, Number.POSITIVE_INFINITY]
    this.stops.push(window)
    server.host.failDisk('none')
    server.host.failFiles('error', 0)
    const wrong = await Promise.race([server.host.call<string[] | null>({ call: 'stop' }), sleep(STOP_MS_MAX)])
    window[1] = this.scheduler.now
    // Killed since.
    if (this.servers[n] !== server) return
    // Its start would continue.
    if (wrong === null) return this.kill(n)
    this.problems.push(...(wrong ?? [`a stop takes longer than ${STOP_MS_MAX / 1000} s`]))
    await sleep(this.cluster ? LAST_SEARCH_MS : LAST_TICK_MS)
    // The timers of a frozen process run later.
    if (server.process.pausedUntil > this.scheduler.now)
      await sleep(server.process.pausedUntil - this.scheduler.now + 1)
    if (this.servers[n] !== server) return
    if (server.host.timers > 0) this.problems.push(`${server.host.timers} timers run after a stop`)
    this.kill(n)
  }

  /** Kills all processes. The next ones start on a copy of the files. */
  crash(): void {
    for (const n of this.hosts.keys()) this.kill(n)
    this.lost = [...this.hosts.keys()]
    const before = this.path
    this.path = join(this.folder, `petstore-${this.starts}.db`)
    for (const suffix of ['', '-wal'])
      if (existsSync(before + suffix)) copyFileSync(before + suffix, this.path + suffix)
  }

  async fetch(n: number, url: URL, init: RequestInit): Promise<Response> {
    const server = this.servers[n]
    if (!server) throw new Error('connection refused')
    const { promise: lost, reject } = Promise.withResolvers<never>()
    const lose = () => reject(new Error('connection lost'))
    server.open.add(lose)
    init.signal?.addEventListener('abort', lose)
    try {
      const headers = new Headers(init.headers)
      if (init.body) headers.set('Content-Length', `${(init.body as Buffer).length}`)
      const { method = 'GET', body } = init
      const sent = { method, headers: [...headers], body: (body ?? null) as Buffer<ArrayBuffer> | null }
      const answered = server.host.respond(url.href, sent, init.signal)
      const response = await Promise.race([answered, lost])
      // The response can get lost on its way.
      await Promise.race([sleep(0), lost])
      return new Response(response.status === 204 || response.status === 304 ? null : response.body, {
        status: response.status,
        headers: response.headers,
      })
    } finally {
      server.open.delete(lose)
      lost.catch(() => undefined)
    }
  }
}
