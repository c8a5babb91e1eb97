// Orders that race. Many clients of two servers place, complete, cancel and return orders of a few pets, with reservations that
// end within a second and with Idempotency-Keys. At random moments servers are killed with SIGKILL, on SQLite and on PostgreSQL,
// or the primary of PostgreSQL is killed and its standby promoted. After each round the whole store is audited, in the database
// and over the API (order-audit.ts).
//
//   npm run endurance:orders -- --sqlite 500 --postgres 50 --failovers 50 --report

import { Cluster } from '../test/support/postgres.ts'
import { ask, type Running, serve } from '../test/support/process.ts'
import { faultsLine, print, runCommand } from './command.ts'
import { KilledServer } from './killed-server.ts'
import { audit, type OrderRow, TABLES, type Tables } from './order-audit.ts'
import { Clients, type Counts } from './order-clients.ts'
import { listed, listedPets } from './pages.ts'

const PETS = 8
const CLIENTS_PER_SERVER = 8
const LOAD_MS_MAX = 400
/** After these a new store is used, so that the audit of all of it stays quick. */
const ROUNDS_PER_STORE = 10
const BOTH_KILLED_SHARE = 0.3
const REST_MS_MAX = 10_000
const STANDBY_GONE_MS = 200
const RECOVERY_MS_MAX = 30_000

export interface Tally {
  rounds: number
  /** Processes that were killed. */
  kills: number
  counts: Counts
  orders: number
  /** By status, of all orders. */
  statuses: Record<string, number>
  /** Between the end of a reservation and its expiry, in milliseconds, most of it while servers were down. */
  latest: number
  faults: string[]
}

/** Servers on one store. */
export interface Site {
  key: string
  urls: string[]
  tables(): Promise<Tables>
}

export function newTally(): Tally {
  const counts = { done: 0, refused: 0, unknown: 0, replayed: 0 }
  return { rounds: 0, kills: 0, counts, orders: 0, statuses: {}, latest: 0, faults: [] }
}

type Report = (tally: Tally) => void

/** Rounds in which one or both of two servers on one file are killed, sometimes once more while they start. */
export async function killOnSqlite(rounds: number, report: Report = () => {}): Promise<Tally> {
  const tally = newTally()
  while (tally.rounds < rounds) {
    const first = new KilledServer()
    const servers = [first, new KilledServer(first)]
    const read = async (sql: string) => first.read((file) => file.query<Row, []>(sql).all())
    await killInRounds(servers, read, Math.min(ROUNDS_PER_STORE, rounds - tally.rounds), tally, report)
  }
  return tally
}

/** The same on one PostgreSQL. In every third round it is the database that is killed. */
export async function killOnPostgres(rounds: number, report: Report = () => {}): Promise<Tally> {
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
      await killInRounds(servers, read, left, tally, report, killDatabase)
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
  killDatabase?: () => Promise<void>,
): Promise<void> {
  const [first] = servers as [KilledServer]
  await Promise.all(servers.map((server) => server.start()))
  const site = (): Site => ({ key: first.key, urls: servers.map(({ url }) => url), tables: () => readTables(read) })
  try {
    const clients = new Clients(first.key, await addPets(site()))
    for (let left = rounds; left > 0; left--) {
      const working = servers.map(({ url }, number) => clients.work(CLIENTS_PER_SERVER, number, url, true))
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
      await settle(site(), clients, tally)
      if (!first.database.includes('://') && first.checkIntegrity() !== 'ok') tally.faults.push('integrity_check fails')
      report(tally)
    }
    await count(site(), clients, tally)
  } finally {
    for (const server of servers) {
      tally.kills += server.killedAtStart
      const status = await server.close()
      if (status !== 0) tally.faults.push(`a server ended with status ${status} after SIGTERM`)
    }
  }
}

/** Rounds in which the primary, with a synchronous standby, is killed under two servers, and the standby promoted. */
export async function failOver(rounds: number, report: Report = () => {}): Promise<Tally> {
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
    while (tally.rounds < rounds) {
      const working = urls.map((url, number) => clients.work(CLIENTS_PER_SERVER, number, url, false))
      await Bun.sleep(LOAD_MS_MAX * (0.5 + Math.random()))
      // Every other time the standby is gone before the primary is: nothing may be acknowledged in between.
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
      await settle(site(), clients, tally)
      report(tally)
    }
    await count(site(), clients, tally)
  } finally {
    await Promise.all(servers.map((server) => server.stop('SIGKILL')))
    await Promise.all([primary.remove(), standby.remove()])
  }
  return tally
}

/** A few pets to order, all available; their ids. */
export async function addPets({ key, urls }: Site): Promise<number[]> {
  const add = () => ask('POST', `${urls[0]}/pets`, key, JSON.stringify({ name: 'Rex', categoryId: 1 }))
  const answers = await Promise.all(Array.from({ length: PETS }, add))
  return answers.map(({ text }) => (JSON.parse(text) as { id: number }).id)
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

/** The end of a round, when no client works: what has no answer is sent again, all reservations end, and everything is audited. */
export async function settle(site: Site, clients: Clients, tally: Tally): Promise<void> {
  await clients.sendAgain(pick(site.urls))
  const tables = await atRest(site)
  const faults = audit(tables, clients.journal)
  for (const url of site.urls) faults.push(...(await compareWithApi(url, site.key, tables)))
  tally.rounds++
  tally.faults.push(...clients.journal.newFaults(faults).map((fault) => `round ${tally.rounds}: ${fault}`))
}

/** The tables once no reservation is left that will end by itself: nothing moves any more. */
async function atRest(site: Site): Promise<Tables> {
  const until = performance.now() + REST_MS_MAX
  for (;;) {
    const { orders } = await site.tables()
    const ending = orders.some(({ status, expiresAt }) => status === 'pending' && expiresAt !== null)
    if (!ending || performance.now() > until) return site.tables()
    await Bun.sleep(50)
  }
}

/** What a server lists and counts is what the tables say. */
async function compareWithApi(url: string, key: string, { pets, orders, inventory }: Tables): Promise<string[]> {
  const faults: string[] = []
  const listedOrders: OrderRow[] = []
  for await (const order of listed<ListedOrder>(url, key, '/v1/store/orders?limit=100')) {
    const { id, petId, status, reference, expiresAt } = order
    const [placedAt, changedAt] = [Date.parse(order.placedAt), Date.parse(order.changedAt)]
    const endsAt = expiresAt === undefined ? null : Date.parse(expiresAt)
    listedOrders.push({ id, petId, status, reference, expiresAt: endsAt, placedAt, changedAt })
  }
  for (const [n, order] of orders.entries()) {
    if (!Bun.deepEquals(order, listedOrders[n])) {
      faults.push(`${JSON.stringify(order)} is listed as ${JSON.stringify(listedOrders[n])}`)
    }
  }
  if (listedOrders.length !== orders.length) faults.push(`${listedOrders.length} of ${orders.length} orders are listed`)
  const shown = await Array.fromAsync(listedPets(url, key), ({ json }) => JSON.parse(json) as Tables['pets'][number])
  if (
    shown.map(({ id, status }) => `${id} ${status}`).join() !== pets.map(({ id, status }) => `${id} ${status}`).join()
  )
    faults.push('the listed pets differ from the table')
  const counts = JSON.parse((await ask('GET', `${url}/store/inventory`, key)).text) as Record<string, number>
  if (inventory.some(({ status, pets: count }) => counts[status] !== count))
    faults.push(`the inventory is answered with ${JSON.stringify(counts)}`)
  return faults
}

type ListedOrder = Record<'status' | 'reference' | 'placedAt' | 'changedAt', string> & {
  petId: number
  expiresAt?: string
}

/** Adds a store that has been through all its rounds to the tally. */
async function count(site: Site, { journal }: Clients, tally: Tally): Promise<void> {
  const { orders, transitions } = await site.tables()
  for (const name of Object.keys(tally.counts) as (keyof Counts)[]) tally.counts[name] += journal.counts[name]
  const endsAt = new Map(orders.map(({ id, expiresAt }) => [id, expiresAt]))
  for (const { orderId, status, at } of transitions) {
    if (status === 'expired') tally.latest = Math.max(tally.latest, at - (endsAt.get(orderId) ?? at))
  }
  tally.orders += orders.length
  for (const { status } of orders) tally.statuses[status] = (tally.statuses[status] ?? 0) + 1
}

type Row = Record<string, string | number | null>
type Read = (sql: string) => Promise<Row[]>

function reader(cluster: Cluster, database: string): Read {
  return (sql) => cluster.asAdmin(async (connection) => Array.from(await connection.unsafe<Row[]>(sql)), database)
}

export async function readTables(read: Read): Promise<Tables> {
  const tables = await Promise.all(Object.values(TABLES).map(read))
  // PostgreSQL's driver gives an int8 as text.
  const exact = (value: Row[string]) => (/^\d+$/.test(String(value)) ? Number(value) : value)
  const rows = tables.map((table) =>
    table.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, exact(value)]))),
  )
  return Object.fromEntries(Object.keys(TABLES).map((name, n) => [name, rows[n]])) as unknown as Tables
}

function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item
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
  const text = `${2 * CLIENTS_PER_SERVER} clients place, complete, cancel and return orders of ${PETS} pets, with reservations that end within a second and with
Idempotency-Keys. After each round every order, transition, pet, kept answer and count is read from the database and over the
API of each server, and held against what clients were told.

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
