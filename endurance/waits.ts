// How long requests wait at half of the peak load while something large happens beside them: a reader holds a snapshot and lets it go,
// a large store is backed up, many reservations end at once. The same load alone shows what the machine itself makes them wait.
//
//   npm run endurance:waits -- --report

import { Database } from 'bun:sqlite'
import { mkdtempSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createStore, fill } from '../bench/seed.ts'
import { temporaryFile } from '../test/support/files.ts'
import { root, run as runPetstore, serve } from '../test/support/process.ts'
import { runCommand } from './command.ts'
import { type Figures, openLoop } from './open-loop.ts'

const WAIT_MS_MAX = 50
/** Where the machine itself makes requests wait longer: how many times the wait of the load alone. */
const ALONE_MAX = 2
const PEAK_SECONDS_MAX = 5
const PEAK_CONNECTIONS = 32
const CONNECTIONS_MAX = 1_000
const HEALTH_PER_SECOND = 200
/** The load runs for this part of the time before something happens, and again afterwards. */
const MARGIN = 1 / 4

const PET = '{"name":"Rex","categoryId":7}'

export interface Plan {
  /** How long the load runs alone, and how long the snapshot is held. */
  seconds: number
  pets: number
  reservations: number
}

export interface Waits {
  beside: string
  health: Figures
  lists: Figures
  creates: Figures
  /** The most megabytes that the log had, and how many it had when the load ended. */
  log: { most: number; last: number }
  /** How many seconds it took what happened beside the load. */
  took: number
}

type Kind = 'health' | 'lists' | 'creates'

/** The load alone comes first. */
export async function waits({ seconds, pets, reservations }: Plan): Promise<Waits[]> {
  const folder = mkdtempSync(temporaryFile('waits-'))
  const database = join(folder, 'petstore.db')
  const key = createStore(root, database)
  fill(database, pets)
  const server = await serve([], { env: { PETSTORE_DATABASE: database, PETSTORE_LOG_LEVEL: 'error' } })
  const port = Number(new URL(server.url).port)
  const requests = requestsWith(key)
  const marginMs = MARGIN * seconds * 1000

  const peak = (kind: Kind): Promise<Figures> =>
    openLoop({
      port,
      requests: [requests[kind]],
      perSecond: 1e5,
      seconds: Math.min(seconds, PEAK_SECONDS_MAX),
      connectionsMax: PEAK_CONNECTIONS,
    })
  const peaks = await Promise.all([peak('lists'), peak('creates')])
  const [lists, creates] = peaks.map((figures) => answers(figures) / figures.seconds / 2) as [number, number]

  async function watch(beside: string, happen: () => Promise<unknown>): Promise<Waits> {
    const { promise: ends, resolve: end } = Promise.withResolvers<void>()
    const load = (kind: Kind, perSecond: number): Promise<Figures> =>
      openLoop({ port, requests: [requests[kind]], perSecond, seconds: 3600, connectionsMax: CONNECTIONS_MAX }, ends)
    const log = { most: 0, last: 0 }
    const watching = setInterval(() => {
      log.last = statSync(`${database}-wal`).size / 1e6
      log.most = Math.max(log.most, log.last)
    }, 100)
    const loads = Promise.all([load('health', HEALTH_PER_SECOND), load('lists', lists), load('creates', creates)])
    await Bun.sleep(marginMs)
    const startedAt = performance.now()
    await happen()
    const took = (performance.now() - startedAt) / 1000
    await Bun.sleep(marginMs)
    end()
    const [health, ofLists, ofCreates] = await loads
    clearInterval(watching)
    return { beside, health, lists: ofLists, creates: ofCreates, log, took }
  }

  using file = new Database(database)
  const measured = [
    await watch('nothing', () => Bun.sleep(seconds * 1000)),
    await watch('a snapshot', async () => {
      using reader = new Database(database, { readonly: true })
      reader.run('BEGIN')
      reader.query('SELECT 1 FROM pets LIMIT 1').get()
      await Bun.sleep(seconds * 1000)
    }),
    await watch('a backup', async () => {
      const { status, stderr } = await runPetstore(['backup', join(folder, 'backup.db'), '--database', database])
      if (status !== 0) throw new Error(stderr)
    }),
  ]
  reserve(file, reservations, Date.now() + marginMs)
  const ending = async () => {
    while (pendingOrders(file) > 0) await Bun.sleep(50)
  }
  measured.push(await watch('reservations', ending))
  if ((await server.stop()) !== 0) throw new Error('the server failed to stop')
  return measured
}

function requestsWith(key: string): Record<Kind, string> {
  const head = `Host: a\r\nAuthorization: Bearer ${key}\r\n`
  return {
    health: 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
    lists: `GET /v1/pets HTTP/1.1\r\n${head}\r\n`,
    creates: `POST /v1/pets HTTP/1.1\r\n${head}Content-Length: ${PET.length}\r\n\r\n${PET}`,
  }
}

/** Reserves the first pets until `endsAt`. */
function reserve(file: Database, count: number, endsAt: number): void {
  file.run('PRAGMA busy_timeout = 5000')
  file.transaction(() => {
    file.run(`UPDATE pets SET status = 'pending' WHERE id <= ${count}`)
    file.run(`INSERT INTO orders (pet_id, status, expires_at, placed_at, changed_at)
      SELECT id, 'pending', ${endsAt}, 1, 1 FROM pets WHERE id <= ${count}`)
    file.run(`INSERT INTO order_transitions (order_id, status, at) SELECT id, 'pending', 1 FROM orders`)
  })()
}

function pendingOrders(file: Database): number {
  return file.query<{ n: number }, []>(`SELECT count(*) AS n FROM orders WHERE status = 'pending'`).get()?.n ?? 0
}

/** What must stay short: the longest wait of the health check, and the p99.9 of lists and creates. */
function judged({ health, lists, creates }: Waits): number[] {
  return [health.max, lists.p999, creates.p999]
}

async function run(plan: Plan) {
  const measured = await waits(plan)
  const [alone] = measured as [Waits]
  const bounds = judged(alone).map((ms) => Math.max(WAIT_MS_MAX, ALONE_MAX * ms))
  const passed = measured.every((one) => judged(one).every((ms, at) => ms <= (bounds[at] ?? 0)))
  const rows = measured.map((one) => {
    const { beside, lists, creates, log, took } = one
    const times = [...judged(one), lists.max, creates.max].map((ms) => `${ms.toFixed(0)} ms`)
    const unanswered = [lists, creates].map((figures) => figures.sent + figures.unsent - answers(figures))
    const sizes = [log.most, log.last].map((megabytes) => `${megabytes.toFixed(0)} MB`)
    return `| ${[beside, `${took.toFixed(1)} s`, ...times, ...unanswered, ...sizes].join(' | ')} |`
  })
  const rate = (figures: Figures) => (answers(figures) / figures.seconds).toFixed(0)
  const text = `A store of ${plan.pets} pets at half of its peak: ${rate(alone.lists)} lists and ${rate(alone.creates)} creates a second together, from the machine
of the server. A snapshot is held for ${plan.seconds} seconds and let go, the store is backed up, and ${plan.reservations} reservations end at once.

| beside | took | longest /healthz | p99.9 of lists | p99.9 of creates | longest list | longest create | lists not answered | creates not answered | largest log | log at the end |
|---|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

- ${passed ? 'Passed' : 'FAILED'}: the longest wait of \`/healthz\` and the p99.9 of lists and creates are at most ${WAIT_MS_MAX} ms each, or ${ALONE_MAX} times that of the load alone.`
  return { text, passed }
}

function answers({ statuses }: Figures): number {
  return (statuses[200] ?? 0) + (statuses[201] ?? 0)
}

if (import.meta.main) {
  const status = await runCommand({
    name: 'waits',
    title: 'Waits beside something large',
    description: 'Measures how long requests wait beside a snapshot, a backup and reservations that end.',
    options: {
      seconds: ['how long the load runs alone, and how long the snapshot is held', 40],
      pets: ['how many pets the store has', 1_000_000],
      reservations: ['how many reservations end at once', 10_000],
    },
    run,
  })
  process.exit(status)
}
