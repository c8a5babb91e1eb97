// Concurrent orders. Many clients of two servers place, change, complete, cancel and return orders of a few pets, with reservations that
// end within a second and with Idempotency-Keys, and add, rename, free and delete pets. At random moments servers are killed with SIGKILL, on SQLite and on PostgreSQL,
// or the primary of PostgreSQL is killed and its standby promoted. After each round the whole store is audited (order-stores.ts).
//
//   npm run endurance:orders -- --sqlite 500 --postgres 50 --failovers 50 --report

import { Cluster } from '../test/support/postgres.ts'
import { type Running, serve } from '../test/support/process.ts'
import { faultsLine, print, runCommand } from './command.ts'
import { KilledServer } from './killed-server.ts'
import { Clients } from './order-clients.ts'
import {
  addPets,
  addToTally,
  newTally,
  type Read,
  reader,
  readTables,
  type Site,
  settle,
  type Tally,
} from './order-stores.ts'
import { pick } from './random.ts'

const CLIENTS_PER_SERVER = 8
const LOAD_MS_MAX = 400
/** So much is done, and refused, before the first kill of a store, so that there is something to lose on a slow machine, too. */
const REQUESTS_BEFORE_KILLS = 100
/** After this many rounds a new store is used, so that auditing the whole store stays fast. */
const ROUNDS_PER_STORE = 10
const BOTH_KILLED_SHARE = 0.3
const STANDBY_GONE_MS = 200
const RECOVERY_MS_MAX = 30_000

type Report = (tally: Tally) => void
/** Who is there in each round, too, and finds faults of its own (events.ts). */
export interface Company {
  begin(): void
  rest(): Promise<void>
  end(): Promise<string[]>
}
type Accompany = (site: () => Site) => Company
const ALONE: Accompany = () => ({ begin() {}, rest: async () => undefined, end: async () => [] })

/** Rounds in which one or both of two servers on one file are killed, sometimes once more while they start. */
export async function killOnSqlite(rounds: number, report: Report = () => {}, accompany = ALONE): Promise<Tally> {
  const tally = newTally()
  while (tally.rounds < rounds) {
    const first = new KilledServer()
    const servers = [first, new KilledServer(first)]
    const read = async (sql: string) =>
      first.read((file) => file.query<Record<string, string | number | null>, []>(sql).all())
    await killInRounds(servers, read, Math.min(ROUNDS_PER_STORE, rounds - tally.rounds), tally, report, accompany)
  }
  return tally
}

/** The same on one PostgreSQL. In every third round the database is killed instead. */
export async function killOnPostgres(rounds: number, report: Report = () => {}, accompany = ALONE): Promise<Tally> {
  const tally = newTally()
  const cluster = await Cluster.start()
  try {
    while (tally.rounds < rounds) {
      const database = await cluster.newDatabase()
      const first = new KilledServer({ database })
      const servers = [first, new KilledServer(first)]
      const read = reader(cluster, new URL(database).pathname.slice(1))
      const killDatabase = async () => {
        await cluster.down(pick(['SIGKILL', 'SIGQUIT']))
        await cluster.up()
      }
      const left = Math.min(ROUNDS_PER_STORE, rounds - tally.rounds)
      await killInRounds(servers, read, left, tally, report, accompany, killDatabase)
    }
  } finally {
    await cluster.remove()
  }
  return tally
}

async function killInRounds(
  servers: KilledServer[],
  read: Read,
  rounds: number,
  tally: Tally,
  report: Report,
  accompany: Accompany,
  killDatabase?: () => Promise<void>,
): Promise<void> {
  const [first] = servers as [KilledServer]
  await Promise.all(servers.map((server) => server.start()))
  const site = (): Site => ({ key: first.key, urls: servers.map(({ url }) => url), tables: () => readTables(read) })
  try {
    const clients = new Clients(first.key, await addPets(site()))
    const company = accompany(site)
    for (let left = rounds; left > 0; left--) {
      company.begin()
      const working = servers.map(({ url }, number) => clients.work(CLIENTS_PER_SERVER, number, url, true))
      await clients.haveSent(REQUESTS_BEFORE_KILLS)
      const killServer = async (victim: KilledServer) => {
        await victim.kill()
        await victim.startAgain()
      }
      const victims = Math.random() < BOTH_KILLED_SHARE ? servers : [pick(servers)]
      const kills = killDatabase && left % 3 === 0 ? [killDatabase] : victims.map((each) => () => killServer(each))
      await Promise.all(
        kills.map(async (kill) => {
          await Bun.sleep(Math.random() * LOAD_MS_MAX)
          await kill()
        }),
      )
      clients.stop()
      await Promise.all(working)
      tally.kills += kills.length
      await settleAll(site, clients, company, tally)
      if (!first.database.includes('://') && first.checkIntegrity() !== 'ok') tally.faults.push('integrity_check fails')
      report(tally)
    }
    await addToTally(site(), clients, tally)
  } finally {
    for (const server of servers) {
      tally.kills += server.killedAtStart
      const status = await server.close()
      if (status !== 0) tally.faults.push(`a server ended with status ${status} after SIGTERM`)
    }
  }
}

/** Rounds in which the primary, with a synchronous standby, is killed under two servers, and the standby promoted. */
export async function failOver(rounds: number, report: Report = () => {}, accompany = ALONE): Promise<Tally> {
  const tally = newTally()
  let primary = await Cluster.start()
  await primary.asAdmin((sql) => sql`CREATE DATABASE petstore`)
  let standby = await primary.startStandby('standby')
  await primary.setSynchronous(true)
  const PETSTORE_DATABASE = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/petstore`
  const env = { PETSTORE_DATABASE, PETSTORE_LOG_LEVEL: 'silent' }
  const servers: Running[] = []
  try {
    // One after the other, so that the first shows the key.
    for (let n = 0; n < 2; n++) servers.push(await serve([], { env }))
    const { key } = servers[0] as Running
    const urls = servers.map(({ url }) => url)
    const site = (): Site => ({ key, urls, tables: () => readTables(reader(primary, 'petstore')) })
    const clients = new Clients(key, await addPets(site()))
    const company = accompany(site)
    while (tally.rounds < rounds) {
      company.begin()
      const working = urls.map((url, number) => clients.work(CLIENTS_PER_SERVER, number, url, false))
      await clients.haveSent(REQUESTS_BEFORE_KILLS)
      await Bun.sleep(LOAD_MS_MAX * (0.5 + Math.random()))
      // In every other round the standby stops before the primary. Nothing may be acknowledged in between.
      const standbyFirst = tally.rounds % 2 === 0
      if (standbyFirst) {
        await standby.down('SIGQUIT')
        await Bun.sleep(STANDBY_GONE_MS)
      }
      await primary.down('SIGKILL')
      if (standbyFirst) await standby.up()
      await standby.promote()
      await standby.setSynchronous(false)
      await everyServerMoves(clients)
      clients.stop()
      await Promise.all(working)
      const { port } = primary
      await primary.remove()
      primary = standby
      standby = await primary.startStandby('standby', port)
      await primary.setSynchronous(true)
      tally.kills++
      await settleAll(site, clients, company, tally)
      report(tally)
    }
    await addToTally(site(), clients, tally)
  } finally {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
    await Promise.all([primary.remove(), standby.remove()])
  }
  return tally
}

async function settleAll(site: () => Site, clients: Clients, company: Company, tally: Tally): Promise<void> {
  await company.rest()
  await settle(site(), clients, tally)
  tally.faults.push(...(await company.end()).map((fault) => `round ${tally.rounds}: ${fault}`))
}

/** Resolves when each server has acknowledged a request from now on. */
async function everyServerMoves({ acknowledgedBy }: Clients): Promise<void> {
  const before = [...acknowledgedBy]
  const until = performance.now() + RECOVERY_MS_MAX
  while (before.some((count, server) => acknowledgedBy[server] === count)) {
    if (performance.now() > until) throw new Error('a server does not find the primary')
    await Bun.sleep(5)
  }
}

type Kind = 'sqlite' | 'postgres' | 'failovers'
const KINDS: Record<Kind, [title: string, rounds: number, run: typeof failOver]> = {
  sqlite: ['SQLite, two servers on one file: one or both are killed with SIGKILL', 100, killOnSqlite],
  postgres: ['PostgreSQL, two servers: one or both, or the database, are killed', 20, killOnPostgres],
  failovers: ['PostgreSQL, two servers: the primary is killed and its synchronous standby promoted', 5, failOver],
}

async function run(asked: Record<Kind, number>) {
  const kinds = Object.keys(KINDS) as Kind[]
  const none = kinds.every((kind) => asked[kind] === 0)
  const parts: string[] = []
  let passed = true
  for (const kind of kinds) {
    const [title, preset, experiment] = KINDS[kind]
    const rounds = none ? preset : asked[kind]
    if (rounds === 0) continue
    const startedAt = performance.now()
    const tally = await experiment(rounds, ({ rounds, faults }) => {
      if (rounds % 10 === 0) print(`${kind}: ${rounds} rounds, ${faults.length} faults`)
    })
    passed &&= tally.faults.length === 0
    parts.push(describe(title, tally, (performance.now() - startedAt) / 60_000))
  }
  const text = `${2 * CLIENTS_PER_SERVER} clients place, change, complete, cancel and return orders of a few pets, with reservations that end within a second and with
Idempotency-Keys, and add, rename, free and delete pets. After each round every order, transition, pet, event, kept answer and count is
read from the database and over the API of each server, and held against what clients were told.

${parts.join('\n\n')}`
  return { text, passed }
}

function describe(title: string, tally: Tally, minutes: number): string {
  const { rounds, kills, counts, orders, statuses, latest, faults } = tally
  const byStatus = Object.entries(statuses).map(([status, count]) => `${count} ${status}`)
  return `${title}. ${rounds} rounds in ${minutes.toFixed(1)} minutes, ${kills} processes killed.

- ${counts.done} requests were acknowledged, ${counts.replayed} of them replays; ${counts.refused} were refused, ${counts.unknown} got no answer or 503.
- ${orders} orders: ${byStatus.join(', ')}. The latest expiry was ${latest} ms after its time.
${faultsLine(faults)}`
}

if (import.meta.main) {
  const said = (what: string, kind: Kind): [string, number] => [
    `${what}; without any option: ${KINDS[kind][1]} rounds`,
    0,
  ]
  const status = await runCommand({
    name: 'orders',
    title: 'Orders that race',
    description: 'Races orders of a few pets while servers and databases are killed, and audits everything.',
    options: {
      sqlite: said('how many rounds of kills on SQLite', 'sqlite'),
      postgres: said('how many rounds of kills on PostgreSQL', 'postgres'),
      failovers: said('how often the primary of PostgreSQL is killed', 'failovers'),
    },
    run,
  })
  process.exit(status)
}
