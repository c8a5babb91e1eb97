// Measures a load during an event: how long requests wait, and how long SQLite's log gets.

import { median } from '../../bench/figures.ts'
import type { Running } from '../../test/support/process.ts'
import { type Figures, type Load, runLoad } from './generator.ts'
import { creates, HEALTH, list, orders } from './requests.ts'
import { portOf, type Store } from './stores.ts'

/** Single bursts differ by up to a half, because of other work, compilation or a checkpoint. */
const BURSTS = 7
const BURST_SECONDS_MAX = 2
const PEAK_CONNECTIONS = 64
const CONNECTIONS_MAX = 1_000
const HEALTH_PER_SECOND = 200
export const ORDERS_PER_SECOND = 100
/** How many pets are ordered before the first one is ordered again. */
const ORDERS_MAX = 30_000
const LOG_EVERY_MS = 100
/** More than any server answers. */
const UNLIMITED = 1e5

export const WAIT_MS_MAX = 50
/** On a slow machine, the limit is this multiple of the wait of the load alone. */
export const ALONE_MAX = 2

export const STREAMS = ['health', 'lists', 'creates', 'orders'] as const
export type Stream = (typeof STREAMS)[number]
/** The load of each kind. */
export type Streams = Partial<Record<Stream, Omit<Load, 'port'>>>
/** Requests a second. */
export type Rates = Record<'lists' | 'creates', number>

export interface Waits {
  figures: Partial<Record<Stream, Figures>>
  /** The size of SQLite's log in megabytes: the maximum, and the size at the end of the load. */
  log: { most: number; last: number }
  /** The duration of the event in seconds. */
  took: number
}

export interface Row extends Waits {
  beside: string
  faults: string[]
}

/** Lists and creates at the given rates, and orders and health checks at a fixed rate. */
export async function steady({ key, query }: Store, { lists, creates: added }: Rates): Promise<Streams> {
  const available = `SELECT id FROM pets WHERE status = 'available' ORDER BY id DESC LIMIT ${ORDERS_MAX}`
  const ids = (await query(available)).map(({ id }) => id as number)
  const stream = (requests: Load['requests'], perSecond: number) => {
    return { requests, perSecond, connectionsMax: CONNECTIONS_MAX }
  }
  return {
    health: stream([HEALTH], HEALTH_PER_SECOND),
    lists: stream([list(key)], lists),
    creates: stream(creates(key), added),
    orders: stream(orders(key, ids), ORDERS_PER_SECOND),
  }
}

/** As many creates as the server answers on this number of connections. */
export function fullCreates({ key }: Store, connectionsMax: number): Streams {
  return {
    health: { requests: [HEALTH], perSecond: HEALTH_PER_SECOND, connectionsMax: CONNECTIONS_MAX },
    creates: { requests: creates(key), perSecond: UNLIMITED, connectionsMax },
  }
}

/** Measures how many of these requests the server answers a second. */
export async function peakOf(server: Running, requests: Load['requests'], seconds: number, most = UNLIMITED) {
  const load = { port: portOf(server), requests, perSecond: most, connectionsMax: PEAK_CONNECTIONS, seconds }
  return rateOf(await runLoad(load))
}

/** Runs lists and creates together for a short time. */
export async function burst(server: Running, { key }: Store, { lists, creates: added }: Rates, seconds: number) {
  const time = Math.min(seconds, BURST_SECONDS_MAX)
  const both = [peakOf(server, [list(key)], time, lists), peakOf(server, creates(key), time, added)]
  const [ofLists = 0, ofCreates = 0] = await Promise.all(both)
  return { lists: ofLists, creates: ofCreates }
}

/** Returns half of the rates that the server answers for lists and creates together: the medians of several bursts. */
export async function halfOfPeak(server: Running, store: Store, seconds: number): Promise<Rates> {
  const bursts: Rates[] = []
  const most = { lists: UNLIMITED, creates: UNLIMITED }
  while (bursts.length < BURSTS) bursts.push(await burst(server, store, most, seconds))
  const half = (kind: keyof Rates) => Math.round(median(bursts.map((rates) => rates[kind])) / 2)
  return { lists: half('lists'), creates: half('creates') }
}

/** Runs the load during `happen`, and for `marginMs` before and after it. */
export async function watch(
  server: Running,
  store: Store,
  streams: Streams,
  marginMs: number,
  happen: () => Promise<unknown>,
): Promise<Waits> {
  const { promise: ends, resolve: end } = Promise.withResolvers<void>()
  const log = { most: 0, last: 0 }
  const watching = setInterval(() => {
    log.last = store.logBytes() / 1e6
    log.most = Math.max(log.most, log.last)
  }, LOG_EVERY_MS)
  const port = portOf(server)
  const sent = Object.entries(streams).map(async ([name, stream]) => [name, await runLoad({ port, ...stream }, ends)])
  try {
    await Bun.sleep(marginMs)
    const startedAt = performance.now()
    await happen()
    const took = (performance.now() - startedAt) / 1000
    await Bun.sleep(marginMs)
    end()
    return { figures: Object.fromEntries(await Promise.all(sent)), log, took }
  } finally {
    end()
    clearInterval(watching)
  }
}

/** Checks the longest wait of the health check and the p99.9 of the other streams. `alone` is the load without the event. */
export function longWaits({ figures }: Waits, alone: Waits): string[] {
  return STREAMS.flatMap((stream) => {
    const ms = longestOf(stream, figures)
    return ms > Math.max(WAIT_MS_MAX, ALONE_MAX * longestOf(stream, alone.figures))
      ? [`${stream} waited ${ms.toFixed(0)} ms`]
      : []
  })
}

function longestOf(stream: Stream, figures: Waits['figures']): number {
  return (stream === 'health' ? figures.health?.max : figures[stream]?.p999) ?? 0
}

export function answers({ statuses }: Figures): number {
  return (statuses[200] ?? 0) + (statuses[201] ?? 0)
}

export function rateOf(figures: Figures): number {
  return answers(figures) / figures.seconds
}
