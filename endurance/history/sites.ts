// Where histories are recorded: two servers on one file, on one PostgreSQL with a synchronous standby, or on one
// PostgreSQL of which one of them knows PgBouncer alone; and what breaks there, by name.

import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import NOW from '../../packages/service/src/store/postgres/schema/functions/now.sql' with { type: 'text' }
import { temporaryFile } from '../../test/support/files.ts'
import { PgBouncer } from '../../test/support/pgbouncer.ts'
import { Cluster } from '../../test/support/postgres.ts'
import type { Site } from './clients.ts'
import { AHEAD_FOR_MS, AHEAD_MS, CLOCK, fullDisk, integrityOf, type Servers, startServers } from './servers.ts'

const FROZEN_MS = 250
const STANDBY_GONE_MS = 200

/**
 * The name of a fault: PostgreSQL's clock, by which all servers go, is an hour ahead for a while, and then right
 * again.
 */
export const DATABASE_CLOCK = `the database's clock an hour ahead`
export const CLOCKS: readonly string[] = [CLOCK, DATABASE_CLOCK]
export const FAILOVER = 'a failover'
/** What breaks one kind of store or another. */
export const FAULTS = [
  'a server killed',
  'both servers killed',
  'a server frozen',
  CLOCK,
  'a full disk',
  'the database frozen',
  'the database killed',
  'the standby frozen',
  DATABASE_CLOCK,
  'connections cut',
  'the pooler killed',
  FAILOVER,
] as const
export type Faults = Readonly<Partial<Record<(typeof FAULTS)[number], () => Promise<void>>>>
const AHEAD = NOW.replace('clock_timestamp()', `(clock_timestamp() + interval '${AHEAD_MS} ms')`)

export type Kind = 'sqlite' | 'postgres' | 'pgbouncer'
export const NAMES: Readonly<Record<Kind, string>> = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
  pgbouncer: 'PgBouncer',
}

export interface BreakableSite extends Site {
  /** What can break, by name. Each resolves when it is whole again. */
  readonly faults: Faults
  /** Revokes the key `leaver`. */
  revoke(): Promise<void>
  /** What the database itself finds wrong with the store. */
  problems(): string[]
  remove(): Promise<void>
}

export interface Making {
  /** The folder of the source tree whose servers are started; by default this one. */
  readonly source?: string
  /** Whether anything breaks that a standby is for. */
  readonly hasStandby: boolean
  /** Whether commits wait for the standby. */
  readonly isSynchronous: boolean
}

export async function openSite(kind: Kind, making: Making): Promise<BreakableSite> {
  if (kind === 'sqlite') return openFile(making)
  return kind === 'postgres' && making.hasStandby ? openPair(making) : openCluster(making, kind === 'pgbouncer')
}

async function openFile({ source }: Making): Promise<BreakableSite> {
  const folder = mkdtempSync(temporaryFile('history-'))
  const database = join(folder, 'petstore.db')
  const servers = await startServers([database, database], source)
  const faults: Faults = Bun.which('strace') ? { 'a full disk': () => fullDisk(servers.pid(0)) } : {}
  const removed = () => rmSync(folder, { recursive: true })
  return siteOf(servers, faults, removed, () => integrityOf(database))
}

/**
 * Nothing here cuts the power, and what a killed process has written stays: waiting for the disk would only make
 * histories short.
 */
const SETTINGS = { fsync: 'off' }

/** One PostgreSQL. `isPooled`: the first server is behind PgBouncer. */
async function openCluster({ source }: Making, isPooled: boolean): Promise<BreakableSite> {
  const cluster = await Cluster.start(SETTINGS)
  const address = await cluster.newDatabase()
  let pooler = isPooled ? await PgBouncer.start(cluster.port) : undefined
  const servers = await startServers([pooler?.through(address) ?? address, address], source)
  const killPooler = async () => {
    await pooler?.stop()
    pooler = await PgBouncer.start(cluster.port, pooler?.port)
  }
  const faults = {
    'the database frozen': () => freeze(cluster),
    'the database killed': async () => {
      await cluster.down(Math.random() < 0.5 ? 'SIGKILL' : 'SIGQUIT')
      await cluster.up()
    },
    'connections cut': () => cut(cluster),
    ...(pooler ? { 'the pooler killed': killPooler } : {}),
  }
  return siteOf(servers, faults, async () => {
    await pooler?.stop()
    await cluster.remove()
  })
}

async function openPair({ source, isSynchronous }: Making): Promise<BreakableSite> {
  let primary = await Cluster.start(SETTINGS)
  await primary.asAdmin((sql) => sql`CREATE DATABASE petstore`)
  let standby = await primary.startStandby('standby')
  await primary.setSynchronous(isSynchronous)
  const address = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/petstore`
  const servers = await startServers([address, address], source)

  /** `isAway`: the standby stops before the primary, and nothing may be acknowledged in between. */
  async function failOver(isAway: boolean) {
    if (isAway) {
      await standby.down('SIGQUIT')
      await Bun.sleep(STANDBY_GONE_MS)
    }
    await primary.down('SIGKILL')
    if (isAway) await standby.up()
    await standby.promote()
    await standby.setSynchronous(false)
    const { port } = primary
    await primary.remove()
    primary = standby
    standby = await primary.startStandby('standby', port)
    await primary.setSynchronous(isSynchronous)
  }

  async function jump() {
    const set = (definition: string) => primary.asAdmin((sql) => sql.unsafe(definition), 'petstore')
    await set(AHEAD)
    await Bun.sleep(AHEAD_FOR_MS)
    await set(NOW)
  }

  const faults = {
    'the database frozen': () => freeze(primary),
    'the standby frozen': () => freeze(standby),
    [DATABASE_CLOCK]: jump,
    'connections cut': () => cut(primary),
    [FAILOVER]: () => failOver(!isSynchronous || Math.random() < 0.5),
  }
  return siteOf(servers, faults, () => Promise.all([primary.remove(), standby.remove()]))
}

/** `removed` follows the end of the servers. */
function siteOf(
  { stop, ...servers }: Servers,
  ofDatabase: Faults,
  removed: () => unknown,
  problems = (): string[] => [],
): BreakableSite {
  const remove = async () => {
    await stop()
    await removed()
  }
  return { ...servers, faults: { ...servers.faults, ...ofDatabase }, problems, remove }
}

async function freeze(cluster: Cluster): Promise<void> {
  cluster.signalAll('SIGSTOP')
  await Bun.sleep(FROZEN_MS)
  cluster.signalAll('SIGCONT')
}

async function cut(cluster: Cluster): Promise<void> {
  const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'petstore'`
  await cluster.asAdmin((sql) => sql.unsafe(CUT))
}
