// One simulated run: clients of several servers on one file, with failures, all determined by one seed. The history checker judges it.

import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type ApiKey, generateKey, hashKey } from '../../packages/service/src/domain/keys.ts'
import { LIMITS } from '../../packages/service/src/domain/limits.ts'
import { replaceRuntime, sleep } from '../../packages/service/src/system/runtime.ts'
import { randomOf } from '../../test/support/search-rules.ts'
import type { Fault } from '../history/checker.ts'
import { Clients } from '../history/clients.ts'
import { longestOf, type Operation } from '../history/operations.ts'
import { judge } from '../history/record.ts'
import { KEYS } from '../history/world.ts'
import type { Host } from './host.ts'
import { leftovers } from './leftovers.ts'
import { DISK_FAULTS, FILE_FAULTS, type FileFault } from './messages.ts'
import { databaseFaults } from './postgres/checks.ts'
import { Cluster } from './postgres/cluster.ts'
import type { Engine } from './postgres/engine.ts'
import { FAILURES as DATABASE_FAILURES, type Failure as DatabaseFailure, failuresOf } from './postgres/failures.ts'
import { Scheduler } from './scheduler.ts'
import { Servers } from './servers.ts'
import { drawSwarm } from './swarm.ts'

/** Longer than any wait for events. */
const PAUSE_MS = 3_500
const QUIET_EVERY_MS_MAX = 500
const DOWN_MS_MAX = 200
const FROZEN_MS_MAX = 1_500
const UNREADABLE_MS_MAX = 200
/** Longer than the time between two backups. */
const FILES_MS_MAX = 3_000
/** More calls than a backup needs. */
const FILE_CALLS_MAX = 30
const DAY_MS = 86_400_000
/** How far a clock can jump, forwards or back. */
const JUMPS_MS = [3_600_000, 3 * DAY_MS]
/** A jump of more than seven days can end an Idempotency-Key early, so nothing is repeated then. */
const LARGE_JUMP_MS = 400 * DAY_MS
/** Longer than the interval between two sweeps of overdue reservations. */
const AHEAD_FOR_MS = 2 * LIMITS.expiryEveryMs + 200
/** How late a reservation can expire in a run with failures. */
const BROKEN_MS = 30_000
/** The same on PostgreSQL, where failures can follow each other for minutes. */
const DOWN_MS = 600_000
/** Each run has a few of them. */
const FAILURES = ['killed', 'stopped', 'crash', 'frozen', 'disk', 'clock'] as const
type Failure = (typeof FAILURES)[number] | 'files' | DatabaseFailure
const ON_POSTGRES = ['killed', 'stopped', 'frozen', 'clock'] as const
/** The pause of a client while a database is down, so that it does not use up its requests. */
const REFUSED_MS_MAX = 1_000
/** Failures of a database take seconds, so clients must not use up their requests before. */
const SLOW_THINK_MS = 1_000
/** After the last failure on PostgreSQL. */
const RECOVERED_MS = 30_000
/** The longest time until a request has used its Idempotency-Key. */
const LATE_MS = 4_000
/** The longest time between two failures. */
const QUIET_MS_MAX = 100
/** 2026-01-01T00:00:00Z */
const STARTED_AT = 1_767_225_600_000

export interface Plan {
  readonly seed: number
  readonly operations: number
  /** Whether the run has failures: killed servers, disk errors, clock jumps. */
  readonly breaks: boolean
  /** The folder for the stores. */
  readonly folder: string
  /** The engines of the database hosts, if the store is in PostgreSQL. */
  readonly engines?: readonly [Engine, Engine] | undefined
  /** Only these failures; by default a few. */
  readonly failures?: readonly DatabaseFailure[] | undefined
}

export interface Run {
  readonly operations: readonly Operation[]
  readonly faults: readonly Fault[]
  readonly broken: readonly string[]
  /** How many continuations ran. */
  readonly steps: number
  /** A digest of all requests and responses with their times. */
  readonly trace: string
}

/** Runs the plan in virtual time. The same plan and modules always give the same run. */
export async function simulate(
  { seed, operations, breaks, folder, engines, failures: given }: Plan,
  hosts: readonly Host[],
): Promise<Run> {
  const scheduler = new Scheduler(seed, STARTED_AT)
  const random = randomOf(seed + 1)
  const cluster = engines && new Cluster(scheduler, randomOf(seed + 2), engines)
  const swarm = drawSwarm(random, cluster ? [...ON_POSTGRES, ...DATABASE_FAILURES] : FAILURES)
  const clientsProcess = scheduler.process(0)
  const before = replaceRuntime(clientsProcess)
  const own = mkdtempSync(join(folder, 'simulated-'))
  const servers = new Servers(scheduler, hosts, own, swarm.limits, cluster)
  const thinkMs = cluster && breaks ? swarm.thinkMs + SLOW_THINK_MS : swarm.thinkMs
  const hasFiles = swarm.hasFiles && !cluster
  const broken: string[] = []
  let pause: Promise<void> | undefined
  let isUnavailable = false
  try {
    if (swarm.isUpgrade && !cluster) await servers.makeOlder()
    return await scheduler.run(record)
  } catch (error) {
    const fault = { reason: String(error), operations: [], commits: [], at: scheduler.now }
    return { operations: [], faults: [fault], broken, steps: scheduler.steps, trace: '' }
  } finally {
    for (const n of hosts.keys()) servers.kill(n)
    replaceRuntime(before)
    rmSync(own, { recursive: true })
  }

  async function record(): Promise<Run> {
    for (const [n, host] of hosts.entries()) {
      host.events.length = 0
      host.betweenShare = swarm.betweenShare
      servers.start(n)
    }
    const keys: Record<string, string> = { wrong: generateKey('production') }
    const [host] = hosts as [Host]
    const ids: Record<string, bigint> = {}
    const leavers = Array.from({ length: swarm.leavers }, (_, n) => `leaver ${n + 1}`)
    for (const name of new Set(['first', ...swarm.keys, ...leavers])) {
      const key = generateKey('production')
      keys[name] = key
      const created = { name, hash: hashKey(key), readOnly: name === 'reader', expiresAt: undefined }
      ids[name] = (await host.call<ApiKey>({ call: 'store', method: 'createKey', argument: created })).id
    }
    if (hasFiles) {
      servers.forwardKey = keys.first
      for (const n of hosts.keys()) {
        servers.kill(n)
        servers.start(n)
      }
    }
    const urls = hosts.map((_, n) => `http://127.0.0.${n + 1}/v1`)
    const clients = new Clients(
      {
        keys,
        urls: () => urls,
        ready: async (client) => {
          if (client < swarm.waiting) return
          if (thinkMs > 0) await sleep(random() * thinkMs)
          if (isUnavailable) await sleep(random() * REFUSED_MS_MAX)
          await pause
        },
        async fetch(url, init) {
          const server = urls.findIndex((one) => one.startsWith(url.origin))
          const response = await servers.fetch(server, url, init)
          isUnavailable = cluster !== undefined && response.status === 503
          return response
        },
      },
      seed,
      swarm,
    )
    if (swarm.limits.idempotencyMs) clients.known.repeatMsMax = swarm.limits.idempotencyMs - LATE_MS
    let isWorking = true
    const working = clients.work(operations).finally(() => {
      isWorking = false
    })
    const [revoked] = await Promise.all([
      revokeKeys(clients, leavers, ids),
      breaks ? breakAtRandom(() => isWorking) : pauseClients(() => isWorking),
      working,
    ])
    for (const n of hosts.keys()) if (!servers.server(n)) servers.start(n)
    if (cluster) await sleep(RECOVERED_MS)
    const isSteady = broken.length === 0
    const { faults, world } = await judge(clients, {
      keys: { ...KEYS, readOnly: ['reader'], revoked },
      stops: servers.stops,
      isLimited: swarm.limits.rate !== undefined,
      lateMs: isSteady ? longestOf(clients.operations) : cluster ? DOWN_MS : BROKEN_MS,
      isSteady,
      clockErrorMs: broken.includes('clock') ? LARGE_JUMP_MS : 0,
    })
    const left = await leftovers(servers, clients.operations, {
      broken,
      keys: ['first', ...swarm.keys].map((name) => keys[name]) as [string],
      rate: swarm.limits.rate,
    })
    if (cluster) left.push(...databaseFaults(cluster, world))
    const at = clientsProcess.monotonicMs()
    return {
      operations: clients.operations,
      faults: [...faults, ...left.map((reason) => ({ reason, operations: [], commits: [], at }))],
      broken,
      steps: scheduler.steps,
      trace: traceOf(clients.operations),
    }
  }

  /** Revokes one key after another while the clients work, through any running server. */
  async function revokeKeys(clients: Clients, leavers: readonly string[], ids: Readonly<Record<string, bigint>>) {
    const revoked: Record<string, readonly [from: number, to: number]> = {}
    for (const [n, name] of leavers.entries()) {
      // The one that was just revoked, this one and the next.
      clients.known.keys = [...swarm.keys, ...leavers.slice(Math.max(0, n - 1), n + 2)]
      while (clients.operations.length < (operations * (n + 1)) / (leavers.length + 1)) await sleep(5)
      const from = clientsProcess.monotonicMs()
      for (let done = false; !done; await sleep(5)) {
        const server = hosts.map((_, n) => servers.server(n)).find((one) => one !== undefined)
        const revoking = server?.host.call({ call: 'store', method: 'revokeKey', argument: ids[name] }).then(
          () => true,
          () => false,
        )
        done = (await Promise.race([revoking, sleep(100)])) === true
      }
      revoked[name] = [from, clientsProcess.monotonicMs()]
    }
    return revoked
  }

  /** Pauses all clients from time to time, except clients that wait for events, because a later commit would hide a lost wake-up. */
  async function pauseClients(isWorking: () => boolean): Promise<void> {
    for (;;) {
      await sleep(random() * QUIET_EVERY_MS_MAX)
      if (!isWorking()) return
      await pauseAll(PAUSE_MS)
    }
  }

  async function pauseAll(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    pause = promise
    await sleep(ms)
    pause = undefined
    resolve()
  }

  async function breakAtRandom(isWorking: () => boolean): Promise<void> {
    const draw = <Of>(some: readonly Of[]) => some[Math.floor(random() * some.length)] as Of
    const startLater = async (n: number) => {
      await sleep(random() * DOWN_MS_MAX)
      if (!servers.server(n)) servers.start(n)
    }
    const drawn = given ?? swarm.failures
    const failures: readonly Failure[] = hasFiles ? [...drawn, 'files', 'files'] : drawn
    const kinds: Record<(typeof FAILURES)[number] | 'files', (n: number) => unknown> = {
      killed: (n) => {
        servers.kill(n)
        return startLater(n)
      },
      stopped: async (n) => {
        await servers.stop(n)
        await startLater(n)
      },
      crash: async () => {
        servers.crash()
        await Promise.all([...hosts.keys()].map(startLater))
      },
      frozen: (n) => {
        // A stop that is often frozen would last too long.
        const server = servers.working(n)
        if (server) server.process.pausedUntil = scheduler.now + random() * FROZEN_MS_MAX
      },
      disk: async (n) => {
        const fault = draw(DISK_FAULTS.slice(1))
        // During a stop, counts that cannot be saved would be lost.
        servers.working(n)?.host.failDisk(fault)
        if (fault !== 'read') return
        await sleep(random() * UNREADABLE_MS_MAX)
        servers.server(n)?.host.failDisk('none')
      },
      files: async (n) => {
        const host = hosts[n] as Host
        const died = new Promise<FileFault>((resolve) => {
          host.died = resolve
        })
        host.failFiles(draw(FILE_FAULTS), Math.ceil(random() * FILE_CALLS_MAX))
        const fault = await Promise.race([died, sleep(FILES_MS_MAX)])
        host.failFiles('error', 0)
        if (fault === 'power') return kinds.crash(n)
        if (fault === 'kill') return kinds.killed(n)
      },
      clock: async (n) => {
        const aheadMs = draw([-1, 1]) * draw(swarm.repeats ? JUMPS_MS : [...JUMPS_MS, LARGE_JUMP_MS])
        const set = (ms: number) => {
          const process = servers.server(n)?.process
          if (process) process.aheadMs = ms
        }
        set(aheadMs)
        // A machine that starts again can have a wrong clock.
        if (random() < 0.5) {
          await sleep(random() * DOWN_MS_MAX)
          servers.kill(n)
          await startLater(n)
          set(aheadMs)
        }
        await sleep(AHEAD_FOR_MS)
        set(0)
      },
    }
    const all: Partial<Record<Failure, (n: number) => unknown>> = { ...kinds, ...(cluster && failuresOf(cluster)) }
    // A failure can begin before the one before has ended.
    const ending: unknown[] = []
    for (;;) {
      await sleep(random() * QUIET_MS_MAX)
      if (!isWorking()) break
      const kind = draw(failures)
      broken.push(kind)
      // After a pause all clients send requests in the same turn.
      const isAfterPause = random() < 0.5
      if (swarm.afterFailureMs > 0 && isAfterPause) await pauseAll(swarm.afterFailureMs)
      const ended = all[kind]?.(Math.floor(random() * hosts.length))
      ending.push(ended)
      if (cluster) await ended
      if (swarm.afterFailureMs > 0 && !isAfterPause) await pauseAll(swarm.afterFailureMs)
    }
    await Promise.all(ending)
    cluster?.calm()
    for (const host of hosts) host.failDisk('none')
  }
}

/** Leaves out cursors, because SQLite draws the random epoch in them. */
function traceOf(operations: readonly Operation[]): string {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const { n, client, server, method, path, status, startedAt, endedAt, text } of operations)
    hasher.update(
      JSON.stringify([n, client, server, method, path.replace(/cursor=[^&]*/, ''), status, startedAt, endedAt, text]),
    )
  return hasher.digest('hex').slice(0, 16)
}
