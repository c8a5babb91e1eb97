// What happens beside the load, on both stores alike. Each is prepared before the load begins.

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { WAIT_MAX_S } from '../../packages/contract/src/generated.ts'
import { ask, type Running, root } from '../../test/support/process.ts'
import { openLoop } from '../open-loop.ts'
import { list, portOf } from './load.ts'
import { petstore, READERS, type Store, startServer, until } from './stores.ts'

const PLACING = 64
/** Fewer than a machine that is busy places. */
const PLACED_PER_SECOND = 300

export interface Plan {
  /** How long the load runs alone, and how long what has no end of its own lasts. */
  seconds: number
  pets: number
  reservations: number
  /** How many lists and creates a second; 0 for half of the peak. */
  lists: number
  creates: number
}

export interface Stage {
  readonly plan: Plan
  readonly store: Store
  readonly server: Running
  readonly marginMs: number
}

/** What happens, on which server, and the store where it is another one. Both are removed afterwards. */
export interface Scene {
  happen(): Promise<unknown>
  /** On the clock of performance.now(): when it began, if that was before the load. */
  since?: number
  server?: Running
  store?: Store
  after?(): Promise<unknown>
}

export type Prepare = (stage: Stage) => Scene | Promise<Scene>

const lasting = ({ plan }: Stage) => Bun.sleep(plan.seconds * 1000)

export const nothing: Prepare = (stage) => ({ happen: () => lasting(stage) })

/** A reader that holds a snapshot: in a file the log grows, and is written back afterwards; in PostgreSQL no row is removed. */
export const snapshot: Prepare = (stage) => ({
  async happen() {
    const { store } = stage
    const first = 'SELECT 1 FROM pets LIMIT 1'
    if (!store.cluster) {
      using reader = new Database(store.database, { readonly: true })
      reader.run('BEGIN')
      reader.query(first).get()
      return lasting(stage)
    }
    const database = new URL(store.database).pathname.slice(1)
    return store.cluster.asAdmin(
      (connection) =>
        connection.begin('ISOLATION LEVEL REPEATABLE READ', async (transaction) => {
          await transaction.unsafe(first)
          await lasting(stage)
        }),
      database,
    )
  },
})

/** By the command that takes one, or PostgreSQL's base backup. */
export const backup: Prepare = ({ store }) => ({
  happen: async () =>
    store.cluster ? (await store.cluster.startStandby('copy')).remove() : petstore(backupOf(store, 'backup.db')),
})

const backupOf = ({ folder, database }: Store, name: string) => ['backup', join(folder, name), '--database', database]

/** On the same machine: into another file, or into another database of the same PostgreSQL. */
export const restore: Prepare = async ({ store }) => {
  const [from, elsewhere] = [join(store.folder, 'taken.db'), join(store.folder, 'elsewhere.db')]
  if (!store.cluster) await petstore(backupOf(store, 'taken.db'))
  const database = await store.cluster?.newDatabase()
  return {
    happen: () =>
      petstore(
        database ? ['copy', '--from', store.seed, '--to', database] : ['restore', from, '--database', elsewhere],
      ),
  }
}

/** Reservations of the oldest pets that all end at one time. */
export const reservations: Prepare = async ({ plan, store, server, marginMs }) => {
  const endsAt = Date.now() + marginMs + 1000 * (1 + plan.reservations / PLACED_PER_SECOND)
  const expiresAt = new Date(endsAt).toISOString()
  const available = `SELECT id FROM pets WHERE status = 'available' ORDER BY id LIMIT ${plan.reservations}`
  const pets = (await store.query(available)).map(({ id }) => id)
  const place = async () => {
    for (let petId = pets.pop(); petId !== undefined; petId = pets.pop()) {
      const body = `{"petId":${petId},"expiresAt":"${expiresAt}"}`
      const { status, text } = await ask('POST', `${server.url}/store/orders`, store.key, body)
      if (status !== 201) throw new Error(`${status} ${text}`)
    }
  }
  await Promise.all(Array.from({ length: PLACING }, place))
  await Bun.sleep(endsAt - marginMs - Date.now())
  const pending = `SELECT count(*) AS n FROM orders WHERE status = 'pending' AND expires_at IS NOT NULL`
  return { happen: () => until(async () => Number((await store.query(pending))[0]?.n) === 0) }
}

/** Readers of the feed, who wait at its end. */
export const readers: Prepare = (stage) => ({
  async happen() {
    const waiting = list(stage.store.key, `/v1/store/events?from=now&wait=${WAIT_MAX_S}`)
    const { seconds } = stage.plan
    const load = { requests: [waiting], perSecond: READERS, seconds, connectionsMax: READERS }
    await openLoop({ port: portOf(stage.server), ...load })
  },
})

/** One of two processes at one port. */
export const worker: Prepare = async (stage) => {
  const server = await startServer(stage.store, { flags: ['--workers', '2'] })
  return {
    server,
    async happen() {
      const [victim] = Bun.spawnSync(['pgrep', '-P', `${server.pid}`])
        .stdout.toString()
        .split('\n')
      process.kill(Number(victim), 'SIGKILL')
      await lasting(stage)
    },
  }
}

/** Each sync takes 20 ms longer: the file's by strace, which looks at no other call; PostgreSQL's by its own delay. */
export const slowDisk: Prepare = async (stage) => {
  const { store } = stage
  const { cluster } = store
  if (cluster) {
    const set = (ms: number) =>
      cluster.asAdmin(async (sql) => {
        await sql.unsafe(`ALTER SYSTEM SET commit_delay = ${ms * 1000}`)
        await sql`ALTER SYSTEM SET commit_siblings = 0`
        await sql`SELECT pg_reload_conf()`
      })
    await set(SLOW_SYNC_MS)
    return { happen: () => lasting(stage), after: () => set(0) }
  }
  const syncs = 'fsync,fdatasync'
  const slow = ['-e', `trace=${syncs}`, '-e', `inject=${syncs}:delay_enter=${SLOW_SYNC_MS * 1000}`]
  const command = ['strace', '-D', '-qqf', '--seccomp-bpf', '-o', '/dev/null', ...slow, join(root, 'bin/petstore')]
  return { server: await startServer(store, { command }), happen: () => lasting(stage) }
}

const SLOW_SYNC_MS = 20
