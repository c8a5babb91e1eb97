// What happens beside the load, on both stores alike. Each is prepared before the load begins.

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
/** Fewer than a machine that is busy places. */
const PLACED_PER_SECOND = 300

const HALF = 'half of the peak'
/** What can be said of the load and of what happens: its meaning, and its default. */
export const OPTIONS = {
  seconds: ['how long the load runs alone, and beside an event that does not end', 40],
  pets: ['how many pets the store has', 1_000_000],
  reservations: ['how many reservations end at once', 10_000],
  lists: ['lists a second', 0, HALF],
  creates: ['creates a second', 0, HALF],
  restarts: ['how often the server is replaced', 50],
  connections: ['how many connections too many requests have', 2_000],
  machines: ['how many machines are lost', 10],
  bound: ['what a machine had kept so many milliseconds before it is lost must be there', 5_000],
  frozen: ['how many megabytes the log has until a frozen Litestream goes on', 500],
  behind: ["how many pets are created while Litestream's disk is full: 50 a second for an hour", 180_000],
} as const
export type Plan = Record<keyof typeof OPTIONS, number>

export interface Stage {
  readonly plan: Plan
  readonly store: Store
  readonly server: Running
  readonly marginMs: number
  report(line: string): void
}

/** What happens, and on which server, which is stopped afterwards. */
export interface Scene {
  happen(): Promise<unknown>
  /** Instead of the load at the given rates. */
  streams?: Streams
  server?: Running
  /** Returns the faults, in place of the bounds on waits. `rows`: the rows before this one. */
  judge?(measured: Waits, rows: readonly Row[]): string[] | Promise<string[]>
  after?(): Promise<unknown>
}

export type Prepare = (stage: Stage) => Scene | Promise<Scene>

export const lasting = ({ plan }: Stage) => Bun.sleep(plan.seconds * 1000)

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
  const pending = `SELECT count(*) FROM orders WHERE status = 'pending' AND expires_at IS NOT NULL`
  return { happen: () => until('all ended', async () => (await store.number(pending)) === 0) }
}

/** Readers of the feed, who wait at its end. */
export const readers: Prepare = (stage) => ({
  async happen() {
    const waiting = list(stage.store.key, `/store/events?from=now&wait=${WAIT_MAX_S}`)
    const { seconds } = stage.plan
    const load = { requests: [waiting], perSecond: READERS, seconds, connectionsMax: READERS }
    await runLoad({ port: portOf(stage.server), ...load })
  },
})

/** One of two processes at one port. */
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

/** Each sync takes 20 ms longer: the file's by strace, which looks at no other call; PostgreSQL's by its own delay. */
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
/** More than are sent: none is sent a second time with its key. */
const CREATES_MAX = 60_000
const LISTS_PER_SECOND = 300
const SERVED_MS_MAX = 300

/**
 * Rolling restarts: a new process listens on the port, then the old one gets SIGTERM. Creates come on connections that are
 * kept, lists on a new one each. No request may fail, and no pet that was acknowledged may be lost or there twice.
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
        if (status !== 0) ends.push(`an old process ended with ${status}`)
        server = next
      }
    },
    async judge({ figures }) {
      const [added, acknowledged = 0] = [(await count()) - before, figures.creates?.statuses[201]]
      const lost = added === acknowledged ? [] : [`${acknowledged} pets were acknowledged, and ${added} are there`]
      return [...ends, ...lost, ...Object.values(figures).flatMap(wrongAnswers)]
    },
    after: () => server.stop(),
  }
}

const OVERLOAD = 5
const GOODPUT_MIN = 0.8
const OVERLOAD_P99_MS_MAX = 5_000

/**
 * So many times as many requests as the server answers, on thousands of connections. What it answers must stay near the
 * peak, within a time; the rest must get 503. A request that is due while every connection waits is never sent.
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
        // What was sent and not read may still be ahead of this.
        const isBack = async () => (await ask('GET', `${server.url}/pets`, store.key)).status === 200
        await until('a list is answered again', isBack)
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
