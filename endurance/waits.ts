// Measures how long requests wait during an event: a large operation, a failure, Litestream, or an overload. The same load without an event
// is the baseline. Two runs are comparable only at the same rates, so the report names them.
//
//   npm run endurance -- waits --store sqlite --lists 8000 --creates 5000
//   npm run endurance -- waits --store sqlite --only backup 'worker killed' Litestream

import type { Running } from '../test/support/process.ts'
import { experiment, faultsLine, type Outcome, print } from './command.ts'
import type { Figures } from './load/generator.ts'
import { FULL, LITESTREAM, SHARE_MIN } from './load/litestream-scenes.ts'
import { machinesLost } from './load/lost-machines.ts'
import * as postgres from './load/postgres-scenes.ts'
import * as scenes from './load/scenes.ts'
import { type Kind, NAMES, newStore, type Store, startServer } from './load/stores.ts'
import * as load from './load/watch.ts'

/** The load runs for this share of the time before the event, and again after it. */
const MARGIN = 1 / 4

const ALONE = 'nothing'

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
/** The failover comes last, because the primary is gone afterwards. */
const IN_POSTGRES: Record<string, scenes.Prepare> = {
  'vacuum full': postgres.vacuumFull,
  autovacuum: postgres.autovacuum,
  'stalled standby': postgres.stalledStandby,
  failover: postgres.failover,
}
const ROWS: Record<Kind, Record<string, scenes.Prepare>> = {
  sqlite: { ...BOTH, ...LITESTREAM, 'machines lost': machinesLost },
  postgres: { ...BOTH, ...IN_POSTGRES },
}
/** Every commit has to wait in these scenes, whatever the service does. They are measured without a bound. */
const UNJUDGED = ['slow disk', 'stalled standby', 'failover']

/** Measures the scenes that `only` names, or all if it is empty. Always measures the load alone first. */
export async function waits(
  kind: Kind,
  plan: scenes.Plan,
  only: readonly string[],
  report: (line: string) => void = () => {},
): Promise<{ rates: load.Rates; rows: load.Row[] }> {
  const store = await newStore(kind, plan.pets)
  const server = await startServer(store)
  const stage = { plan, store, server, marginMs: MARGIN * plan.seconds * 1000, report }
  const rows: load.Row[] = []
  const isChosen = (name: string) =>
    only.length === 0 || only.some((one) => one === name || (name === FULL && one.startsWith('Litestream')))
  try {
    const rates = await ratesOf(server, store, plan, report)
    for (const [beside, prepare] of Object.entries(ROWS[kind])) {
      if (beside !== ALONE && !isChosen(beside)) continue
      const scene = await prepare(stage)
      try {
        const streams = scene.streams ?? (await load.steady(store, rates))
        const measured = await load.watch(scene.server ?? server, store, streams, stage.marginMs, scene.happen)
        const waited = UNJUDGED.includes(beside) ? [] : load.longWaits(measured, rows[0] ?? measured)
        const faults = scene.judge ? await scene.judge(measured, rows) : waited
        const row = { beside, ...measured, faults }
        rows.push(row)
        report([rowOf(row), ...faults].join('; '))
      } finally {
        await scene.server?.stop()
        await scene.after?.()
      }
    }
    return { rates, rows }
  } finally {
    await server.stop()
    await store.remove()
  }
}

/** Returns the given rates, or half of the peak, and warms up the server. */
async function ratesOf(server: Running, store: Store, plan: scenes.Plan, report: (line: string) => void) {
  const { lists, creates, seconds } = plan
  if (lists > 0 && creates > 0) {
    await load.burst(server, store, { lists, creates }, seconds)
    return { lists, creates }
  }
  const half = await load.halfOfPeak(server, store, seconds)
  report(`half of the peak is ${half.lists} lists and ${half.creates} creates a second`)
  return { lists: lists || half.lists, creates: creates || half.creates }
}

function describe(kind: Kind, { pets }: scenes.Plan, { lists, creates }: load.Rates, rows: readonly load.Row[]) {
  const faults = rows.flatMap((row) => row.faults.map((fault) => `${row.beside}: ${fault}`))
  const text = `${NAMES[kind]}, a store of ${pets} pets, with ${lists} lists, ${creates} creates and ${load.ORDERS_PER_SECOND} orders a second, sent from the server's machine.

| event | took, s | longest /healthz | lists | creates | orders | responses a second | no response | log, MB |
|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${rowOf(row)} |`).join('\n')}

${faultsLine(faults)}`
  return { text, passed: faults.length === 0 }
}

function rowOf({ beside, took, figures, log }: load.Row): string {
  const [health, ...others] = load.STREAMS.map((stream) => figures[stream])
  const each = (of: (one: Figures) => number) => others.map((one) => (one ? of(one).toFixed(0) : '–')).join(' / ')
  return [
    beside,
    took.toFixed(1),
    health?.max.toFixed(0) ?? '–',
    ...others.map((one) => (one ? shown([one.p50, one.p99, one.p999, one.max]) : '–')),
    each(load.rateOf),
    each((one) => one.sent + one.unsent - load.answers(one)),
    [log.most, log.last].map((megabytes) => megabytes.toFixed(0)).join(' → '),
  ].join(' | ')
}

function shown(times: readonly number[]): string {
  return times.map((ms) => ms.toFixed(ms < 10 ? 1 : 0)).join(' / ')
}

async function run({ store, only, ...plan }: scenes.Plan & Record<'store' | 'only', string[]>) {
  const parts: Outcome[] = []
  for (const kind of (store.length > 0 ? store : Object.keys(ROWS)) as Kind[]) {
    const { rates, rows } = await waits(kind, plan, only, (line) => print(`${kind}: ${line}`))
    parts.push(describe(kind, plan, rates, rows))
  }
  const text = `To repeat the load, pass \`--store NAME --lists NUMBER --creates NUMBER\`. Waits are in milliseconds: p50 / p99 / p99.9 / longest. Responses are lists / creates / orders.

The limit for the longest wait of \`/healthz\` and the p99.9 of the other requests is ${load.WAIT_MS_MAX} ms, or ${load.ALONE_MAX} times that of the load alone. There is no limit for ${UNJUDGED.join(', ')}. With Litestream, the load is as many creates as the server answers: at least ${100 * SHARE_MIN} % of the rate without Litestream, and the copy equals the store at the end. Replacing a server loses no request and no pet. In an overload, the server answers 80 % of the peak with a p99 below 5 s, and the rest with 503.

${parts.map((part) => part.text).join('\n\n')}`
  return { text, passed: parts.every(({ passed }) => passed) }
}

export const main = experiment<keyof scenes.Plan, 'store' | 'only'>({
  name: 'waits',
  title: 'How long requests wait while something happens',
  description: 'Measures how long requests wait during large operations, failures and overload.',
  options: scenes.OPTIONS,
  choices: {
    store: ['the kinds of stores', Object.keys(ROWS)],
    only: ['the events; the load always runs alone first', Object.keys({ ...ROWS.sqlite, ...ROWS.postgres })],
  },
  run,
})
