// How long requests wait while something happens beside them: something large, something that breaks, Litestream, or too
// many requests. The same load alone shows what the machine itself makes them wait. Two runs compare only at the same
// rates: the report names its own.
//
//   npm run endurance -- waits --report
//   npm run endurance -- waits --store sqlite --lists 8000 --creates 5000
//   npm run endurance -- waits --store sqlite --only backup 'worker killed' Litestream

import type { Running } from '../test/support/process.ts'
import { experiment, print } from './command.ts'
import type { Figures } from './load/generator.ts'
import { fullLoad, LITESTREAM } from './load/litestream-scenes.ts'
import { machinesLost } from './load/lost-machines.ts'
import * as postgres from './load/postgres-scenes.ts'
import * as scenes from './load/scenes.ts'
import { type Kind, NAMES, newStore, type Store, startServer } from './load/stores.ts'
import {
  answers,
  burst,
  halfOfPeak,
  ORDERS_PER_SECOND,
  type Rates,
  rateOf,
  STREAMS,
  steady,
  type Waits,
  watch,
} from './load/watch.ts'

const WAIT_MS_MAX = 50
/** Where the machine itself makes requests wait longer: how many times the wait of the load alone. */
const ALONE_MAX = 2
/** Of the creates, beside Litestream. */
const SHARE_MIN = 0.6
/** The load runs for this part of the time before something happens, and again afterwards. */
const MARGIN = 1 / 4

const HALF = 'half of the peak'
const ALONE = 'nothing'
const FULL = 'full load'

const BOTH: Record<string, scenes.Prepare> = {
  [ALONE]: scenes.nothing,
  snapshot: scenes.snapshot,
  backup: scenes.backup,
  'restore elsewhere': scenes.restore,
  reservations: scenes.reservations,
  'waiting readers': scenes.readers,
  'worker killed': scenes.worker,
  'slow disk': scenes.slowDisk,
  restarted: scenes.restarted,
  'too many lists': scenes.overload('lists'),
  'too many creates': scenes.overload('creates'),
}
/** The failover comes last: nothing can follow it. */
const IN_POSTGRES: Record<string, scenes.Prepare> = {
  'vacuum full': postgres.vacuumFull,
  autovacuum: postgres.autovacuum,
  'stalled standby': postgres.stalledStandby,
  failover: postgres.failover,
}
const ROWS = {
  sqlite: { ...BOTH, ...LITESTREAM, 'machines lost': machinesLost },
  postgres: { ...BOTH, ...IN_POSTGRES },
}
/** What makes every commit wait, and nothing in the service can change that. They are measured, not judged. */
const UNJUDGED = ['slow disk', 'stalled standby', 'failover']

export interface Row extends Waits {
  beside: string
  faults: string[]
}

/** `only`: the names of rows; all when it is empty. The load alone is always measured, first. */
export async function waits(
  kind: Kind,
  plan: scenes.Plan,
  only: readonly string[],
  report: (line: string) => void = () => {},
): Promise<{ rates: Rates; rows: Row[] }> {
  const store = await newStore(kind, plan.pets)
  const server = await startServer(store)
  const stage = { plan, store, server, marginMs: MARGIN * plan.seconds * 1000, report }
  const rows: Row[] = []
  try {
    const rates = await ratesOf(server, store, plan, report)
    for (const [beside, prepare] of sequenceOf(kind, plan.pairs, only)) {
      const scene = await prepare(stage)
      try {
        const { server: at = server, store: of = store } = scene
        const measured = await watch(at, of, scene.streams ?? (await steady(of, rates)), stage.marginMs, scene)
        const faults = scene.judge ? await scene.judge(measured) : longWaits(beside, measured, rows[0] ?? measured)
        const row = { beside, ...measured, faults }
        rows.push(row)
        report([rowOf(row), ...faults].join('; '))
      } finally {
        await scene.server?.stop()
        await scene.after?.()
        await scene.store?.remove()
      }
    }
    return { rates, rows }
  } finally {
    await server.stop()
    await store.remove()
  }
}

/** Litestream and the same load without it are measured in pairs, every other one the other way round. */
function sequenceOf(kind: Kind, pairs: number, only: readonly string[]): [string, scenes.Prepare][] {
  const all = Object.entries<scenes.Prepare>(ROWS[kind])
  const chosen = all.filter(([name]) => name === ALONE || only.length === 0 || only.includes(name))
  return chosen.flatMap((row): [string, scenes.Prepare][] => {
    if (row[0] !== 'Litestream') return [row]
    const pair: [string, scenes.Prepare][] = [[FULL, fullLoad], row]
    return Array.from({ length: pairs }, (_, n) => (n % 2 === 0 ? pair : pair.toReversed())).flat()
  })
}

/** Those that are given, or half of the peak. Either way the server has warmed up. */
async function ratesOf(server: Running, store: Store, plan: scenes.Plan, report: (line: string) => void) {
  const { lists, creates, seconds } = plan
  if (lists > 0 && creates > 0) {
    await burst(server, store, { lists, creates }, seconds)
    return { lists, creates }
  }
  const { bursts, ...half } = await halfOfPeak(server, store, seconds)
  const shown = bursts.map((one) => `${one.lists.toFixed(0)} + ${one.creates.toFixed(0)}`).join(', ')
  report(`the peak, lists + creates a second: ${shown}`)
  return { lists: lists || half.lists, creates: creates || half.creates }
}

/** What must stay short: the longest wait of the health check, and the p99.9 of all else. */
function longWaits(beside: string, measured: Waits, alone: Waits): string[] {
  if (UNJUDGED.includes(beside)) return []
  const timeOf = ({ figures }: Waits, stream: (typeof STREAMS)[number]) =>
    (stream === 'health' ? figures.health?.max : figures[stream]?.p999) ?? 0
  return STREAMS.flatMap((stream) => {
    const ms = timeOf(measured, stream)
    return ms > Math.max(WAIT_MS_MAX, ALONE_MAX * timeOf(alone, stream)) ? [`${stream} waited ${ms.toFixed(0)} ms`] : []
  })
}

/** Of the creates, beside Litestream: the median of all pairs. `undefined`: there is none. */
function shareLeft(rows: readonly Row[]): number | undefined {
  const rates = (name: string) =>
    rows.flatMap(({ beside, figures }) => (beside === name && figures.creates ? rateOf(figures.creates) : []))
  const alone = rates(FULL)
  const shares = rates('Litestream').map((rate, n) => rate / (alone[n] as number))
  return shares.sort((one, other) => one - other)[shares.length >> 1]
}

function describe(kind: Kind, { pets }: scenes.Plan, { lists, creates }: Rates, rows: readonly Row[]) {
  const share = shareLeft(rows)
  const faults = rows.flatMap((row) => row.faults.map((fault) => `${row.beside}: ${fault}`))
  if (share !== undefined && share < SHARE_MIN) faults.push('too few creates are left beside Litestream')
  const left = share === undefined ? '' : `\n- ${(100 * share).toFixed(0)} % of the creates are left beside Litestream.`
  const text = `${NAMES[kind]}, a store of ${pets} pets, at ${lists} lists, ${creates} creates and ${ORDERS_PER_SECOND} orders a second together, from the machine of the server.

| beside | took, s | longest /healthz | lists | creates | orders | answered a second | not answered | longest: whole / disk / lock / core / own | own | log, MB |
|---|---|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${rowOf(row)} |`).join('\n')}
${left}
- ${faults.length === 0 ? 'Passed' : `FAILED (${faults.join('; ')})`}.`
  return { text, passed: faults.length === 0 }
}

function rowOf({ beside, took, figures, longest, own, log }: Row): string {
  const [health, ...others] = STREAMS.map((stream) => figures[stream])
  const each = (of: (one: Figures) => number) => others.map((one) => (one ? of(one).toFixed(0) : '–')).join(' / ')
  return [
    beside,
    took.toFixed(1),
    health?.max.toFixed(0) ?? '–',
    ...others.map((one) => (one ? shown([one.p50, one.p99, one.p999, one.max]) : '–')),
    each(rateOf),
    each((one) => one.sent + one.unsent - answers(one)),
    shown([longest.ms, longest.disk, longest.lock, longest.core, longest.own]),
    own.own.toFixed(0),
    [log.most, log.last].map((megabytes) => megabytes.toFixed(0)).join(' → '),
  ].join(' | ')
}

function shown(times: readonly number[]): string {
  return times.map((ms) => ms.toFixed(ms < 10 ? 1 : 0)).join(' / ')
}

async function run({ store, only, ...plan }: scenes.Plan & Record<'store' | 'only', string[]>) {
  const parts: { text: string; passed: boolean }[] = []
  for (const kind of ['sqlite', 'postgres'] as const) {
    if (store.length > 0 && !store.includes(kind)) continue
    const { rates, rows } = await waits(kind, plan, only, (line) => print(`${kind}: ${line}`))
    parts.push(describe(kind, plan, rates, rows))
  }
  const text = `\`--store NAME --lists NUMBER --creates NUMBER\` gives the same load again. Milliseconds, each p50 / p99 / p99.9 / longest; answered and not answered are lists / creates / orders. Of the longest wait the time is taken apart: in a sync of the disk; for the write lock; for a core that others use; the rest is the service's own.

The longest wait of \`/healthz\` and the p99.9 of all else are at most ${WAIT_MS_MAX} ms, or ${ALONE_MAX} times that of the load alone; ${UNJUDGED.join(', ')} aside. Beside Litestream the load is as many creates as are answered: each is answered, none waits ${WAIT_MS_MAX} ms for the service itself, at least ${100 * SHARE_MIN} % are left, and in the end the copy is the store. A server that is replaced loses no request and no pet. Of too many requests 80 % of the peak are answered, within 5 s at the p99, and the others get 503.

${parts.map((part) => part.text).join('\n\n')}`
  return { text, passed: parts.every(({ passed }) => passed) }
}

export const main = experiment<keyof scenes.Plan, 'store' | 'only'>({
  name: 'waits',
  title: 'How long requests wait while something happens',
  description: 'Measures how long requests wait beside something large, something that breaks, or too many of them.',
  options: {
    seconds: ['how long the load runs alone, and beside an event that does not end', 40],
    pets: ['how many pets the store has', 1_000_000],
    reservations: ['how many reservations end at once', 10_000],
    lists: ['lists a second', 0, HALF],
    creates: ['creates a second', 0, HALF],
    restarts: ['how often the server is replaced', 50],
    connections: ['how many connections too many requests have', 2_000],
    machines: ['how many machines are lost', 10],
    bound: ['what a machine had kept so many milliseconds before it is lost must be there', 5_000],
    pairs: ['how often the load with and without Litestream is compared', 3],
    frozen: ['how many megabytes the log has until a frozen Litestream goes on', 500],
    behind: ["how many pets are created while Litestream's disk is full: 50 a second for an hour", 180_000],
  },
  choices: {
    store: ['the kinds of stores', Object.keys(ROWS)],
    only: ['what happens beside the load, which runs alone first', Object.keys({ ...ROWS.sqlite, ...ROWS.postgres })],
  },
  run,
})
