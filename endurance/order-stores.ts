// The stores of the experiment with orders: the totals of its rounds, and the end of each round. Unanswered requests are sent again,
// reservations end, and the whole store is audited, in the database and over the API of each server.

import type { Cluster } from '../test/support/postgres.ts'
import { ask } from '../test/support/process.ts'
import { auditCorrections } from './correction-audit.ts'
import { auditFeed } from './event-audit.ts'
import { readFeed } from './event-readers.ts'
import { audit, type OrderRow, TABLES, type Tables } from './order-audit.ts'
import type { Clients } from './order-clients.ts'
import type { Counts } from './order-journal.ts'
import { listed, listedPets } from './pages.ts'
import { pick } from './random.ts'

const PETS = 8
const REST_MS_MAX = 20_000

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

/** A few pets to order, all available; their ids. */
export async function addPets({ key, urls }: Site): Promise<number[]> {
  const add = () => ask('POST', `${urls[0]}/pets`, key, JSON.stringify({ name: 'Rex', categoryId: 1 }))
  const answers = await Promise.all(Array.from({ length: PETS }, add))
  return answers.map(({ text }) => (JSON.parse(text) as { id: number }).id)
}

/** Call it while no client is active. Sends unanswered requests again, waits until all reservations have ended, and audits everything. */
export async function settle(site: Site, clients: Clients, tally: Tally): Promise<void> {
  await clients.sendAgain(pick(site.urls))
  const tables = await atRest(site)
  const faults = audit(tables, clients.journal)
  const events = await readFeed(site)
  faults.push(...auditFeed(events, tables), ...auditCorrections(tables, events, clients.journal))
  for (const url of site.urls) faults.push(...(await compareWithApi(url, site.key, tables)))
  tally.rounds++
  tally.faults.push(...clients.journal.newFaults(faults).map((fault) => `round ${tally.rounds}: ${fault}`))
}

/** The tables, read once every reservation with an end has ended. */
async function atRest(site: Site): Promise<Tables> {
  const until = performance.now() + REST_MS_MAX
  for (;;) {
    const { orders } = await site.tables()
    const ending = orders.some(({ status, expiresAt }) => status === 'pending' && expiresAt !== null)
    if (!ending || performance.now() > until) return site.tables()
    await Bun.sleep(50)
  }
}

/** Compares the lists and counts of a server with the tables. */
async function compareWithApi(url: string, key: string, { pets, orders, inventory }: Tables): Promise<string[]> {
  const faults: string[] = []
  const listedOrders: OrderRow[] = []
  const names = new Map(pets.map(({ id, name }) => [id, name]))
  for await (const order of listed<ListedOrder>(url, key, '/v1/store/orders?limit=100')) {
    const { id, petId, status, reference, expiresAt } = order
    const [placedAt, changedAt] = [Date.parse(order.placedAt), Date.parse(order.changedAt)]
    const endsAt = expiresAt === undefined ? null : Date.parse(expiresAt)
    listedOrders.push({ id, petId, status, reference, expiresAt: endsAt, placedAt, changedAt })
    if (names.get(petId) !== order.petName) faults.push(`order ${id} shows ${order.petName} for ${names.get(petId)}`)
  }
  for (const [n, order] of orders.entries()) {
    if (!Bun.deepEquals(order, listedOrders[n])) {
      faults.push(`${JSON.stringify(order)} is listed as ${JSON.stringify(listedOrders[n])}`)
    }
  }
  if (listedOrders.length !== orders.length) faults.push(`${listedOrders.length} of ${orders.length} orders are listed`)
  const shown = await Array.fromAsync(listedPets(url, key), ({ json }) => JSON.parse(json) as Tables['pets'][number])
  const line = ({ id, name, status }: Tables['pets'][number]) => `${id} ${name} ${status}`
  if (shown.map(line).join() !== pets.map(line).join()) faults.push('the listed pets differ from the table')
  const counts = JSON.parse((await ask('GET', `${url}/store/inventory`, key)).text) as Record<string, number>
  if (inventory.some(({ status, pets: count }) => counts[status] !== count))
    faults.push(`the inventory is answered with ${JSON.stringify(counts)}`)
  return faults
}

type ListedOrder = Record<'petName' | 'status' | 'reference' | 'placedAt' | 'changedAt', string> & {
  petId: number
  expiresAt?: string
}

/** Adds a store that has been through all its rounds to the tally. */
export async function addToTally(site: Site, { journal }: Clients, tally: Tally): Promise<void> {
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
export type Read = (sql: string) => Promise<Row[]>

export function reader(cluster: Cluster, database: string): Read {
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
