// The load beside which something happens: lists and creates at half of their common peak or at rates that are given, orders and health
// checks at a fixed pace.

import type { Running } from '../../test/support/process.ts'
import { type Figures, openLoop } from '../open-loop.ts'
import type { Store } from './stores.ts'

/** One burst alone differs by half from the next: other work of the machine, compiling, a checkpoint. */
const BURSTS = 7
const BURST_SECONDS_MAX = 2
const PEAK_CONNECTIONS = 32
const CONNECTIONS_MAX = 1_000
const HEALTH_PER_SECOND = 200
export const ORDERS_PER_SECOND = 100
/** So many pets are ordered before the first of them is again. */
const ORDERS_MAX = 30_000
const LOG_EVERY_MS = 100

const PET = '{"name":"Rex","categoryId":7}'

export type Kind = 'health' | 'lists' | 'creates' | 'orders'
/** A second. */
export interface Rates {
  lists: number
  creates: number
}

export interface Waits extends Record<Kind, Figures> {
  beside: string
  /** The most megabytes that SQLite's log had, and how many it had when the load ended. */
  log: { most: number; last: number }
  /** How many seconds it took what happened beside the load. */
  took: number
}

/** Half of what the server answers, lists and creates together: of several bursts the one in the middle, of each. */
export async function halfOfPeak(server: Running, store: Store, seconds: number): Promise<Rates & { bursts: Rates[] }> {
  const bursts: Rates[] = []
  while (bursts.length < BURSTS) bursts.push(await burst(server, store, { lists: 1e5, creates: 1e5 }, seconds))
  const half = (kind: keyof Rates) =>
    Math.round((bursts.map((rates) => rates[kind]).toSorted((one, other) => one - other)[BURSTS >> 1] as number) / 2)
  return { lists: half('lists'), creates: half('creates'), bursts }
}

/** Asks for so much. Resolves to how much was answered. */
export async function burst(server: Running, store: Store, { lists, creates }: Rates, seconds: number): Promise<Rates> {
  const answered = async (request: string, perSecond: number) => {
    const bounds = { seconds: Math.min(seconds, BURST_SECONDS_MAX), connectionsMax: PEAK_CONNECTIONS }
    const figures = await openLoop({ port: portOf(server), requests: [request], perSecond, ...bounds })
    return answers(figures) / figures.seconds
  }
  const both = await Promise.all([answered(list(store.key), lists), answered(create(store.key), creates)])
  return { lists: both[0], creates: both[1] }
}

/** Runs the load while `happen` runs, and for `marginMs` before and after it. `since`: when it began, if that was before the load. */
export async function watch(
  server: Running,
  store: Store,
  { lists, creates }: Rates,
  marginMs: number,
  { happen, since }: { happen(): Promise<unknown>; since?: number },
): Promise<Omit<Waits, 'beside'>> {
  const { promise: ends, resolve: end } = Promise.withResolvers<void>()
  const load = (requests: string[], perSecond: number): Promise<Figures> =>
    openLoop({ port: portOf(server), requests, perSecond, seconds: 3600, connectionsMax: CONNECTIONS_MAX }, ends)
  const log = { most: 0, last: 0 }
  const watching = setInterval(() => {
    log.last = store.logBytes() / 1e6
    log.most = Math.max(log.most, log.last)
  }, LOG_EVERY_MS)
  const available = `SELECT id FROM pets WHERE status = 'available' ORDER BY id DESC LIMIT ${ORDERS_MAX}`
  // Where none is available, orders are refused.
  const ids = [...(await store.query(available)).map(({ id }) => id), 1]
  const orders = ids.map((id) => order(store.key, `{"petId":${id}}`))
  const loads = Promise.all([
    load([HEALTH], HEALTH_PER_SECOND),
    load([list(store.key)], lists),
    load([create(store.key)], creates),
    load(orders, ORDERS_PER_SECOND),
  ])
  try {
    await Bun.sleep(marginMs)
    const startedAt = since ?? performance.now()
    await happen()
    const took = (performance.now() - startedAt) / 1000
    await Bun.sleep(marginMs)
    end()
    const [health, ofLists, ofCreates, ofOrders] = await loads
    return { health, lists: ofLists, creates: ofCreates, orders: ofOrders, log, took }
  } finally {
    end()
    clearInterval(watching)
  }
}

export function answers({ statuses }: Figures): number {
  return (statuses[200] ?? 0) + (statuses[201] ?? 0)
}

export function portOf({ url }: Running): number {
  return Number(new URL(url).port)
}

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
const head = (key: string) => `HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n`
export const list = (key: string, target = '/v1/pets') => `GET ${target} ${head(key)}\r\n`
const post = (target: string, key: string, body: string) =>
  `POST ${target} ${head(key)}Content-Length: ${body.length}\r\n\r\n${body}`
const create = (key: string) => post('/v1/pets', key, PET)
const order = (key: string, body: string) => post('/v1/store/orders', key, body)
