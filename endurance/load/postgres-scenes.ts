// Scenes for PostgreSQL only.

import type { Cluster } from '../../test/support/postgres.ts'
import { ask, type Running } from '../../test/support/process.ts'
import type { Prepare, Stage } from './scenes.ts'
import { configure, startServer, until } from './stores.ts'

const STALLED_MS = 2_000

/** Vacuums an unrelated table in the same database. */
export const vacuumFull: Prepare = async ({ store, plan }) => {
  await store.query(
    `CREATE TABLE another AS SELECT n, repeat('x', 200) AS text FROM generate_series(1, ${plan.pets}) n`,
  )
  await store.query('DELETE FROM another WHERE n % 2 = 0')
  return { happen: () => store.query('VACUUM FULL another'), after: () => store.query('DROP TABLE another') }
}

/** Lowers the thresholds of the table, so that PostgreSQL starts autovacuum soon. */
export const autovacuum: Prepare = ({ store }) => {
  const eager = [
    'autovacuum_vacuum_insert_threshold = 1000',
    'autovacuum_vacuum_insert_scale_factor = 0',
    'autovacuum_analyze_threshold = 1000',
    'autovacuum_analyze_scale_factor = 0',
  ]
  const runs = () =>
    store.number("SELECT autovacuum_count + autoanalyze_count FROM pg_stat_user_tables WHERE relname = 'pets'")
  const every = (seconds: number) => configure(store.cluster as Cluster, { autovacuum_naptime: seconds })
  return {
    async happen() {
      const before = await runs()
      await store.query(`ALTER TABLE pets SET (${eager.join(', ')})`)
      await every(1)
      await until('autovacuum has run twice', async () => (await runs()) >= before + 2)
    },
    async after() {
      await store.query(`ALTER TABLE pets RESET (${eager.map((each) => each.split(' ')[0]).join(', ')})`)
      await every(60)
    },
  }
}

/** Stops a synchronous standby for two seconds. */
export const stalledStandby: Prepare = async (stage) => {
  const { standby, server } = await withStandby(stage)
  return {
    server,
    async happen() {
      standby.signalAll('SIGSTOP')
      await Bun.sleep(STALLED_MS)
      standby.signalAll('SIGCONT')
    },
    async after() {
      await stage.store.cluster?.setSynchronous(false)
      await standby.remove()
    },
  }
}

/** Kills the primary and promotes its synchronous standby. It must be the last scene, because the store's primary is gone. */
export const failover: Prepare = async (stage) => {
  const { store } = stage
  const { standby, server } = await withStandby(stage)
  return {
    server,
    async happen() {
      await store.cluster?.down('SIGKILL')
      await standby.promote()
      await standby.setSynchronous(false)
      const creates = () => ask('POST', `${server.url}/pets`, store.key, '{"name":"Ada","categoryId":1}')
      await until('a create succeeds', async () => (await creates()).status === 201)
    },
    after: () => standby.remove(),
  }
}

async function withStandby({ store }: Stage): Promise<{ standby: Cluster; server: Running }> {
  const cluster = store.cluster as Cluster
  const standby = await cluster.startStandby('standby')
  await cluster.setSynchronous(true)
  const hosts = `127.0.0.1:${cluster.port},127.0.0.1:${standby.port}`
  const PETSTORE_DATABASE = store.database.replace(/@[^/]+/, `@${hosts}`)
  return { standby, server: await startServer(store, { env: { PETSTORE_DATABASE } }) }
}
