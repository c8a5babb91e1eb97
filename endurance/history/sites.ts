// The sites of histories, with their failures: two servers on a PostgreSQL with a synchronous standby, or on a PostgreSQL that one of them
// reaches through PgBouncer.

import { FUNCTIONS } from '../../packages/service/src/store/postgres/schema/schema.ts'
import { PgBouncer } from '../../test/support/pgbouncer.ts'
import { Cluster } from '../../test/support/postgres.ts'
import type { Site } from './clients.ts'
import { AHEAD_FOR_MS, AHEAD_MS, CLOCK, type Servers, startServers } from './servers.ts'

const FROZEN_MS = 250
const STANDBY_GONE_MS = 200

/** A failure: PostgreSQL's clock, which all servers use, is an hour ahead for a while. */
const DATABASE_CLOCK = `the database's clock an hour ahead`
export const CLOCKS: readonly string[] = [CLOCK, DATABASE_CLOCK]
/** All failures. Each kind of store has some of them. */
export const FAULTS = [
  'a server killed',
  'both servers killed',
  'a server frozen',
  CLOCK,
  'the database frozen',
  'the database killed',
  'the standby frozen',
  DATABASE_CLOCK,
  'connections cut',
  'the pooler killed',
  'a failover',
] as const
export type Faults = Readonly<Partial<Record<(typeof FAULTS)[number], () => Promise<void>>>>
/** The clock of all servers. */
const [NOW = ''] = /CREATE OR REPLACE FUNCTION petstore_now[^;]*;/.exec(FUNCTIONS) ?? []
const AHEAD = NOW.replace('clock_timestamp()', `(clock_timestamp() + interval '${AHEAD_MS} ms')`)

export type Kind = 'postgres' | 'pgbouncer'
export const NAMES: Readonly<Record<Kind, string>> = {
  postgres: 'PostgreSQL',
  pgbouncer: 'PgBouncer',
}

export interface BreakableSite extends Site {
  /** Failures by name. Each resolves after the recovery. */
  readonly faults: Faults
  /** Revokes the key `leaver`. */
  revoke(): Promise<void>
  remove(): Promise<void>
}

export async function openSite(kind: Kind, hasStandby: boolean): Promise<BreakableSite> {
  return kind === 'postgres' && hasStandby ? openPair() : openCluster(kind === 'pgbouncer')
}

/** No failure here loses power, and the writes of a killed process survive, so syncing would only slow down the histories. */
const SETTINGS = { fsync: 'off' }

/** One PostgreSQL. With `isPooled`, the first server uses PgBouncer. */
async function openCluster(isPooled: boolean): Promise<BreakableSite> {
  // PgBouncer does not pass on the limit of a server.
  const cluster = await Cluster.start({ ...SETTINGS, statement_timeout: '2s' })
  const address = await cluster.newDatabase()
  let pooler = isPooled ? await PgBouncer.start(cluster.port) : undefined
  const servers = await startServers([pooler?.through(address) ?? address, address])
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

async function openPair(): Promise<BreakableSite> {
  let primary = await Cluster.start(SETTINGS)
  await primary.asAdmin((sql) => sql`CREATE DATABASE petstore`)
  let standby = await primary.startStandby('standby')
  await primary.setSynchronous(true)
  const address = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/petstore`
  const servers = await startServers([address, address])

  /** With `isAway`, the standby stops before the primary, and no write may be acknowledged in between. */
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
    await primary.setSynchronous(true)
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
    'a failover': () => failOver(Math.random() < 0.5),
  }
  return siteOf(servers, faults, () => Promise.all([primary.remove(), standby.remove()]))
}

/** Calls `removed` after the servers have stopped. */
function siteOf({ stop, ...servers }: Servers, ofDatabase: Faults, removed: () => unknown): BreakableSite {
  const remove = async () => {
    await stop()
    await removed()
  }
  return { ...servers, faults: { ...servers.faults, ...ofDatabase }, remove }
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
