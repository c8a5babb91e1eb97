// Scenes for both stores: events during the load. Each is prepared before the load starts.

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { WAIT_MAX_S } from '../../packages/contract/src/generated.ts'
import { ask, type Running, root } from '../../test/support/process.ts'
import { childrenOf } from '../../test/support/process-tree.ts'
import { type Figures, runLoad } from './generator.ts'
import { creates, keyedCreates, list, pages, request } from './requests.ts'
import { configure, petstore, portOf, READERS, type Store, startServer, until } from './stores.ts'
import { peakOf, type Row, rateOf, type Streams, type Waits } from './watch.ts'

const PLACING = 64
/** A busy machine places more. */
const PLACED_PER_SECOND = 300

const HALF = 'half of the peak'
/** The options of the experiment, with their descriptions and defaults. */
export const OPTIONS = {
  seconds: ['duration of the load alone, and of events without an end', 40],
  pets: ['pets in the store', 1_000_000],
  reservations: ['reservations that expire together', 10_000],
  lists: ['lists a second', 0, HALF],
  creates: ['creates a second', 0, HALF],
  restarts: ['restarts of the server', 50],
  connections: ['connections in an overload', 2_000],
  machines: ['lost machines', 10],
  bound: ['milliseconds before a loss after which stored data must be in the copy', 5_000],
  frozen: ['megabytes of log at which a frozen Litestream resumes', 500],
  behind: ["pets created while Litestream's disk is full; the default is 50 a second for an hour", 180_000],
} as const
export type Plan = Record<keyof typeof OPTIONS, number>

export interface Stage {
  readonly plan: Plan
  readonly store: Store
  readonly server: Running
  readonly marginMs: number
  report(line: string): void
}

/** An event during the load. */
export interface Scene {
  happen(): Promise<unknown>
  /** The load, if it differs from the steady one. */
  streams?: Streams
  /** The server, if the scene needs its own; it is stopped afterwards. */
  server?: Running
  /** Returns the faults, instead of checking the bounds on waits. `rows` are the rows before this one. */
  judge?(measured: Waits, rows: readonly Row[]): string[] | Promise<string[]>
  after?(): Promise<unknown>
}

export type Prepare = (stage: Stage) => Scene | Promise<Scene>

export const lasting = ({ plan }: Stage) => Bun.sleep(plan.seconds * 1000)

export const nothing: Prepare = (stage) => ({ happen: () => lasting(stage) })

/** A reader holds a snapshot: SQLite's log grows until the end, and PostgreSQL cannot remove dead rows. */
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

/** Runs `petstore backup`, or PostgreSQL's base backup. */
export const backup: Prepare = ({ store }) => ({
  happen: async () =>
    store.cluster ? (await store.cluster.startStandby('copy')).remove() : petstore(backupOf(store, 'backup.db')),
})

const backupOf = ({ folder, database }: Store, name: string) => ['backup', join(folder, name), '--database', database]

/** Restores to another file or to another database on the same machine. */
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

/** Reservations of the oldest pets expire at the same time. */
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
  const pending = `SELECT count(*) FROM orders WHERE status = 'pending' AND expires_at IS NOT NULL`
  return { happen: () => until('all reservations have expired', async () => (await store.number(pending)) === 0) }
}

/** Readers wait at the end of the feed. */
export const readers: Prepare = (stage) => ({
  async happen() {
    const waiting = list(stage.store.key, `/store/events?from=now&wait=${WAIT_MAX_S}`)
    const { seconds } = stage.plan
    const load = { requests: [waiting], perSecond: READERS, seconds, connectionsMax: READERS }
    await runLoad({ port: portOf(stage.server), ...load })
  },
})

/** Kills one of two workers. */
export const worker: Prepare = async (stage) => {
  const server = await startServer(stage.store, { flags: ['--workers', '2'] })
  return {
    server,
    async happen() {
      process.kill(childrenOf(server.pid)[0] as number, 'SIGKILL')
      await lasting(stage)
    },
  }
}

/** Adds 20 ms to each sync: with strace, which traces no other call, or with PostgreSQL's `commit_delay`. */
export const slowDisk: Prepare = async (stage) => {
  const { store } = stage
  const { cluster } = store
  if (cluster) {
    const set = (ms: number) => configure(cluster, { commit_delay: ms * 1000, commit_siblings: 0 })
    await set(SLOW_SYNC_MS)
    return { happen: () => lasting(stage), after: () => set(0) }
  }
  const syncs = 'fsync,fdatasync'
  const slow = ['-e', `trace=${syncs}`, '-e', `inject=${syncs}:delay_enter=${SLOW_SYNC_MS * 1000}`]
  const command = ['strace', '-D', '-qqf', '--seccomp-bpf', '-o', '/dev/null', ...slow, join(root, 'bin/petstore')]
  return { server: await startServer(store, { command }), happen: () => lasting(stage) }
}

const SLOW_SYNC_MS = 20

const CREATES_PER_SECOND = 400
/** More than are sent, so that no key is used twice. */
const CREATES_MAX = 60_000
const LISTS_PER_SECOND = 300
const SERVED_MS_MAX = 300

/**
 * Rolling restarts: a new process listens on the port, then the old one gets SIGTERM. Creates use persistent connections, and each list uses
 * a new one. No request may fail, and no acknowledged pet may be lost or duplicated.
 */
export const restarted: Prepare = async ({ plan, store }) => {
  const env = { PETSTORE_SHARE_PORT: 'yes' }
  const first = await startServer(store, { env })
  let server = first
  const count = () => store.number('SELECT count(*) FROM pets')
  const before = await count()
  const closing = request(store.key, 'GET', '/pets', { headers: { Connection: 'close' } })
  const ends: string[] = []
  return {
    server: first,
    streams: {
      creates: { requests: keyedCreates(store.key, CREATES_MAX), perSecond: CREATES_PER_SECOND, connectionsMax: 16 },
      lists: { requests: [closing], perSecond: LISTS_PER_SECOND, connectionsMax: 256 },
    },
    async happen() {
      for (let n = 0; n < plan.restarts; n++) {
        const next = await startServer(store, { env, flags: ['--port', `${portOf(first)}`] })
        await Bun.sleep(SERVED_MS_MAX * Math.random())
        const status = await server.stop()
        if (status !== 0) ends.push(`an old process exited with status ${status}`)
        server = next
      }
    },
    async judge({ figures }) {
      const [added, acknowledged = 0] = [(await count()) - before, figures.creates?.statuses[201]]
      const lost = added === acknowledged ? [] : [`the server acknowledged ${acknowledged} pets and stored ${added}`]
      return [...ends, ...lost, ...Object.values(figures).flatMap(wrongAnswers)]
    },
    after: () => server.stop(),
  }
}

const OVERLOAD = 5
const GOODPUT_MIN = 0.8
const OVERLOAD_P99_MS_MAX = 5_000

/**
 * Sends several times the requests that the server can answer, on thousands of connections. The rate of answers must stay near the peak, in
 * bounded time, and the other requests must get 503.
 */
export const overload =
  (kind: 'lists' | 'creates'): Prepare =>
  async ({ plan, store, server }) => {
    const requests = kind === 'lists' ? pages(store.key, plan.pets) : creates(store.key)
    await peakOf(server, requests, plan.seconds)
    const peak = await peakOf(server, requests, plan.seconds)
    const refusable = requests.map((one) => ({ ...one, statuses: [...one.statuses, 503] }))
    return {
      streams: { [kind]: { requests: refusable, perSecond: OVERLOAD * peak, connectionsMax: plan.connections } },
      happen: () => Bun.sleep(plan.seconds * 1000),
      async judge({ figures }) {
        const { [kind]: answered } = figures
        if (!answered) return []
        // Requests that the server has not read yet can still be ahead of this one.
        const isBack = async () => (await ask('GET', `${server.url}/pets`, store.key)).status === 200
        await until('a list succeeds', isBack)
        const share = rateOf(answered) / peak
        const faults = wrongAnswers(answered)
        if (share < GOODPUT_MIN) faults.push(`${(100 * share).toFixed(0)} % of the peak`)
        if (answered.p99 > OVERLOAD_P99_MS_MAX) faults.push(`a p99 of ${answered.p99.toFixed(0)} ms`)
        return faults
      },
    }
  }

export function wrongAnswers({ wrong, broken }: Figures): string[] {
  const all = Object.entries({ ...wrong, 'broken connections': broken })
  return all.filter(([, count]) => count > 0).map(([what, count]) => `${count} × ${what}`)
}
