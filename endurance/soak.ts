// A mixed load of everything at a steady pace, for hours, beside backups, rotations of the key, slow clients and hostile ones. The memory and
// the open descriptors of the server, the size of the store and the latency of lists are sampled; a leak shows as a line that rises.
//
//   npm run endurance -- soak --minutes 60 --report

import { experiment, faultsLine, print } from './command.ts'
import { chores } from './load/chores.ts'
import { figuresOf, rise } from './load/figures.ts'
import { runLoad } from './load/generator.ts'
import { list, mixed } from './load/requests.ts'
import { wrongAnswers } from './load/scenes.ts'
import { type Kind, NAMES, newStore, portOf, startServer } from './load/stores.ts'

const PETS = 1_000
const PER_SECOND = 400
const LISTS_PER_SECOND = 50
const CONNECTIONS_MAX = 32
/** The load is made anew so often, with the key and the ids that there are then. */
const SLICE_SECONDS_MAX = 10
const SLICES_MIN = 40
/** The first samples do not count: caches fill and code is compiled. */
const WARM_UP_SHARE = 0.25
/** How far the line of each may rise after the warm-up, as a share of its mean. Other work of the machine shows in the latency. */
const GROWTH_MAX = { memoryMb: 0.1, descriptors: 0.1, bytesPerPet: 0.1, latencyMs: 0.5 }
const CHORES_EVERY_MS_MAX = 60_000

type Figure = keyof typeof GROWTH_MAX

interface Sample extends Record<Figure, number> {
  minute: number
  storeMb: number
}

export interface Soak {
  samples: Sample[]
  statuses: Record<number, number>
  chores: number
  /** Unexpected answers, and requests without an answer. */
  faults: string[]
  /** Rise of the line after the warm-up, as a share of its mean. */
  growth: Record<Figure, number>
  passed: boolean
}

export async function soak(
  minutes: number,
  kind: Kind = 'sqlite',
  report: (sample: Sample) => void = () => {},
): Promise<Soak> {
  const store = await newStore(kind, PETS)
  const server = await startServer(store)
  const served = { url: server.url, database: store.database, key: store.key }
  const seen: Pick<Soak, 'samples' | 'statuses' | 'faults'> = { samples: [], statuses: {}, faults: [] }
  let rounds = 0
  const startedAt = performance.now()
  const endsAt = startedAt + minutes * 60_000
  const seconds = Math.min(SLICE_SECONDS_MAX, (minutes * 60) / SLICES_MIN)

  async function slice(): Promise<void> {
    const [row] = await store.query('SELECT (SELECT max(id) FROM pets) AS pet, (SELECT max(id) FROM orders) AS "order"')
    const last = { pet: Number(row?.pet), order: Number(row?.order ?? 1) }
    const load = { port: portOf(server), seconds, connectionsMax: CONNECTIONS_MAX }
    const [mix, lists] = await Promise.all([
      runLoad({ ...load, requests: mixed(served.key, last, PER_SECOND * seconds), perSecond: PER_SECOND }),
      runLoad({ ...load, requests: [list(served.key)], perSecond: LISTS_PER_SECOND }),
    ])
    for (const [status, count] of Object.entries(mix.statuses))
      seen.statuses[Number(status)] = (seen.statuses[Number(status)] ?? 0) + count
    seen.faults.push(...wrongAnswers(mix), ...wrongAnswers(lists))
    const bytes = await store.bytes()
    const [pets] = await store.query('SELECT count(*) AS count FROM pets')
    const sample = {
      minute: (performance.now() - startedAt) / 60_000,
      ...figuresOf(server.pid),
      storeMb: bytes / 1e6,
      bytesPerPet: bytes / Number(pets?.count),
      latencyMs: lists.p99,
    }
    seen.samples.push(sample)
    report(sample)
  }
  async function choring(): Promise<void> {
    for (; performance.now() < endsAt; rounds++) {
      const pause = Bun.sleep(Math.min(CHORES_EVERY_MS_MAX, minutes * 15_000))
      seen.faults.push(...(await chores(served, endsAt)))
      await pause
    }
  }
  async function sampling(): Promise<void> {
    while (performance.now() < endsAt) await slice()
  }
  try {
    await Promise.all([sampling(), choring()])
    const status = await server.stop()
    if (status !== 0) seen.faults.push(`the server ended with status ${status} after SIGTERM`)
  } finally {
    await server.stop('SIGKILL')
    await store.remove()
  }
  const counted = seen.samples.slice(Math.floor(seen.samples.length * WARM_UP_SHARE))
  const figures = Object.keys(GROWTH_MAX) as Figure[]
  const rises = figures.map((figure) => [figure, rise(counted.map((sample) => sample[figure]))])
  const growth = Object.fromEntries(rises) as Soak['growth']
  const passed = seen.faults.length === 0 && figures.every((figure) => growth[figure] <= GROWTH_MAX[figure])
  return { ...seen, chores: rounds, growth, passed }
}

async function run({ minutes, store }: { minutes: number; store: string[] }) {
  const kinds = (store.length > 0 ? store : ['sqlite', 'postgres']) as Kind[]
  const results = await Promise.all(
    kinds.map(async (kind) => ({
      kind,
      ...(await soak(minutes, kind, (sample) => print(`${kind}, ${shown(sample)}`))),
    })),
  )
  const text = `${minutes} minutes of ${PER_SECOND} requests a second on each store, both at the same time (lists with filters, searches, pets, orders, inventory, corrections, the feed of events, creates
with and without Idempotency-Key, malformed, unauthorised and oversized requests), beside backups of the file, rotations of the key, slow and hostile clients.

${results.map((result) => describe(result.kind, result)).join('\n\n')}`
  return { text, passed: results.every(({ passed }) => passed) }
}

function shown({ minute, memoryMb, descriptors, storeMb, latencyMs }: Sample): string {
  const figures = `${memoryMb.toFixed(0)} MiB, ${descriptors} descriptors, a store of ${storeMb.toFixed(1)} MB`
  return `${minute.toFixed(1)} min: ${figures}, p99 of lists ${latencyMs.toFixed(1)} ms`
}

function describe(kind: Kind, { samples, statuses, chores, faults, growth, passed }: Soak): string {
  const answers = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  const memory = samples.map(({ memoryMb }) => memoryMb)
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
  const last = samples.at(-1)
  return `${NAMES[kind]}. Answers by status: ${answers.join(', ')}; ${chores} rounds of backup, rotation, slow and hostile clients. The lines are those through the last three quarters.

- Memory: ${Math.min(...memory).toFixed(0)} to ${Math.max(...memory).toFixed(0)} MiB; its line rises by ${percent(growth.memoryMb)} in all.
- Descriptors: at most ${Math.max(...samples.map(({ descriptors }) => descriptors))}; their line rises by ${percent(growth.descriptors)}.
- The store: ${last?.storeMb.toFixed(1)} MB at the end, ${last?.bytesPerPet.toFixed(0)} bytes for each pet with all that happened to it; the line of these rises by ${percent(growth.bytesPerPet)}.
- Lists: p99 ${last?.latencyMs.toFixed(1)} ms at the end; its line rises by ${percent(growth.latencyMs)}.
${faultsLine(faults)}
- Result: ${passed ? 'passed' : 'FAILED'} (a rise of more than ${percent(GROWTH_MAX.memoryMb)} fails, of the latency one of more than ${percent(GROWTH_MAX.latencyMs)}).`
}

export const main = experiment<'minutes', 'store'>({
  name: 'soak',
  title: 'Soak',
  description:
    'Runs a mixed load for a long time and watches memory, descriptors, the size of the store and the latency.',
  options: { minutes: ['how long it runs on each store', 60] },
  choices: { store: ['the kinds of stores', ['sqlite', 'postgres']] },
  run,
})
