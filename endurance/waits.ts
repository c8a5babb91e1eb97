// How long requests wait at half of the peak load while something happens beside them: something large, or something that breaks. The same
// load alone shows what the machine itself makes them wait. Two runs compare only at the same rates: the report names its own.
//
//   npm run endurance -- waits --report
//   npm run endurance -- waits --store sqlite --lists 8000 --creates 5000
//   npm run endurance -- waits --store sqlite --only backup 'worker killed'

import type { Running } from '../test/support/process.ts'
import { experiment, print } from './command.ts'
import type { Figures } from './open-loop.ts'
import {
  answers,
  burst,
  halfOfPeak,
  type Kind,
  ORDERS_PER_SECOND,
  type Rates,
  type Waits,
  watch,
} from './waits/load.ts'
import * as postgres from './waits/postgres-scenes.ts'
import * as scenes from './waits/scenes.ts'
import { newStore, READERS, type Store, startServer } from './waits/stores.ts'

const WAIT_MS_MAX = 50
/** Where the machine itself makes requests wait longer: how many times the wait of the load alone. */
const ALONE_MAX = 2
/** The load runs for this part of the time before something happens, and again afterwards. */
const MARGIN = 1 / 4

const HALF = 'half of the peak'

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
}
/** The failover comes last: nothing can follow it. */
const IN_POSTGRES: Record<string, scenes.Prepare> = {
  'vacuum full': postgres.vacuumFull,
  autovacuum: postgres.autovacuum,
  'stalled standby': postgres.stalledStandby,
  failover: postgres.failover,
}
const ROWS = { sqlite: BOTH, postgres: { ...BOTH, ...IN_POSTGRES } }
/** What makes every commit wait, and nothing in the service can change that. They are measured, not judged. */
const UNJUDGED = ['slow disk', 'stalled standby', 'failover']

/** `only`: the names of rows; all when it is empty. The load alone is always measured, first. */
export async function waits(
  kind: Store['kind'],
  plan: scenes.Plan,
  only: readonly string[],
  report: (line: string) => void = () => {},
): Promise<{ rates: Rates; measured: Waits[] }> {
  const { seconds, pets } = plan
  const store = await newStore(kind, pets)
  const server = await startServer(store)
  const marginMs = MARGIN * seconds * 1000
  const measured: Waits[] = []
  try {
    const rates = await ratesOf(server, store, plan, report)
    for (const [beside, prepare] of Object.entries<scenes.Prepare>(ROWS[kind])) {
      if (beside !== ALONE && only.length > 0 && !only.includes(beside)) continue
      const scene = await prepare({ plan, store, server, marginMs })
      try {
        const { server: at = server, store: of = store } = scene
        const one = { beside, ...(await watch(at, of, rates, marginMs, scene)) }
        measured.push(one)
        report(rowOf(one))
      } finally {
        await scene.server?.stop()
        await scene.after?.()
        await scene.store?.remove()
      }
    }
    return { rates, measured }
  } finally {
    await server.stop()
    await store.remove()
  }
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
function judged({ health, lists, creates, orders }: Waits): number[] {
  return [health.max, lists.p999, creates.p999, orders.p999]
}

function describe(title: string, { lists, creates }: Rates, measured: readonly Waits[]) {
  const [alone] = measured as [Waits]
  const bounds = judged(alone).map((ms) => Math.max(WAIT_MS_MAX, ALONE_MAX * ms))
  const isShort = (one: Waits) => judged(one).every((ms, at) => ms <= (bounds[at] ?? 0))
  const tooLong = measured.filter((one) => !UNJUDGED.includes(one.beside) && !isShort(one))
  const rows = measured.map((one) => `| ${rowOf(one)} |`)
  const text = `${title}, at ${lists} lists, ${creates} creates and ${ORDERS_PER_SECOND} orders a second together, from the machine of the server.

| beside | took, s | longest /healthz | lists | creates | orders | not answered | log, MB |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

- ${tooLong.length === 0 ? 'Passed' : `FAILED (${tooLong.map(({ beside }) => beside).join(', ')})`}: the longest wait of \`/healthz\` and the p99.9 of all else are at most ${WAIT_MS_MAX} ms each, or ${ALONE_MAX} times that of the load alone; ${UNJUDGED.join(', ')} aside.`
  return { text, passed: tooLong.length === 0 }
}

function rowOf(one: Waits): string {
  const kinds: Kind[] = ['lists', 'creates', 'orders']
  const times = kinds.map((kind) => shown(one[kind]))
  const unanswered = kinds.map((kind) => one[kind].sent + one[kind].unsent - answers(one[kind])).join(' / ')
  const log = [one.log.most, one.log.last].map((megabytes) => megabytes.toFixed(0)).join(' → ')
  return [one.beside, one.took.toFixed(1), one.health.max.toFixed(0), ...times, unanswered, log].join(' | ')
}

function shown({ p50, p99, p999, max }: Figures): string {
  return [p50, p99, p999, max].map((ms) => ms.toFixed(ms < 10 ? 1 : 0)).join(' / ')
}

async function run({ store: kinds, only, ...plan }: scenes.Plan & Record<'store' | 'only', string[]>) {
  const parts: { text: string; passed: boolean }[] = []
  for (const [kind, name] of [['sqlite', 'SQLite'] as const, ['postgres', 'PostgreSQL'] as const]) {
    if (kinds.length > 0 && !kinds.includes(kind)) continue
    const { rates, measured } = await waits(kind, plan, only, (line) => print(`${kind}: ${line}`))
    parts.push(describe(`${name}, a store of ${plan.pets} pets`, rates, measured))
  }
  const rates =
    plan.lists > 0 && plan.creates > 0 ? 'The rates were given' : 'Half of the peak, unless a rate was given'
  const text = `${rates}; \`--store NAME --lists NUMBER --creates NUMBER\` gives the same load again. Milliseconds, each p50 / p99 / p99.9 / longest. A snapshot is held for ${plan.seconds} seconds and let go; the store is backed up; the backup is restored beside it;
${plan.reservations} reservations end at once; ${READERS} readers wait for events;
one of two workers is killed; each sync takes 20 ms longer. The requests that were not answered are lists / creates / orders.

${parts.map((part) => part.text).join('\n\n')}`
  return { text, passed: parts.every(({ passed }) => passed) }
}

export const main = experiment<keyof scenes.Plan, 'store' | 'only'>({
  name: 'waits',
  title: 'How long requests wait while something happens',
  description: 'Measures how long requests wait beside something large, or something that breaks.',
  options: {
    seconds: ['how long the load runs alone, and beside what has no end of its own', 40],
    pets: ['how many pets the store has', 1_000_000],
    reservations: ['how many reservations end at once', 10_000],
    lists: ['lists a second', 0, HALF],
    creates: ['creates a second', 0, HALF],
  },
  choices: {
    store: ['the kinds of stores', Object.keys(ROWS)],
    only: ['what happens beside the load, which runs alone first', Object.keys(ROWS.postgres)],
  },
  run,
})
