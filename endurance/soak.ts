// A mixed load of everything at a steady pace, for hours, beside backups, rotations of the key, slow clients and hostile ones. The memory and
// the open descriptors of the server, the size of the store and the latency of lists are sampled; a leak shows as a line that rises.
//
//   npm run endurance -- soak --minutes 60 --report

import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { generateKey } from '../packages/service/src/domain/keys.ts'
import { lineChart } from '../scripts/plots.ts'
import { temporaryFile } from '../test/support/files.ts'
import { Cluster } from '../test/support/postgres.ts'
import { serve } from '../test/support/process.ts'
import { experiment, faultsLine, print } from './command.ts'
import { chores, type Served } from './soak/chores.ts'
import { countPets, figuresOf, rise, sizeOf } from './soak/figures.ts'
import { type Ask, Inventory, next } from './soak/mix.ts'

const CLIENTS = 16
/** How long a client waits between its requests, on average. */
const PAUSE_MS = 30
/** The first samples do not count: caches fill and code is compiled. */
const WARM_UP_SHARE = 0.25
/** How far the line of each may rise after the warm-up, as a share of its mean. Other work of the machine shows in the latency. */
const GROWTH_MAX = { memoryMb: 0.1, descriptors: 0.1, bytesPerPet: 0.1, latencyMs: 0.5 }
const CHORES_EVERY_MS_MAX = 60_000
const PLOT = 'reliability-soak.svg'

export type Kind = 'sqlite' | 'postgres'
type Figure = keyof typeof GROWTH_MAX

interface Sample extends Record<Figure, number> {
  minute: number
  storeMb: number
}

export interface Soak {
  samples: Sample[]
  statuses: Record<number, number>
  chores: number
  /** Unexpected answers, and requests without an answer (status 0). */
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
  const cluster = kind === 'postgres' ? await Cluster.start() : undefined
  const folder = mkdtempSync(temporaryFile('soak-'))
  const database = (await cluster?.newDatabase()) ?? join(folder, 'petstore.db')
  const key = generateKey('production')
  const env = { PETSTORE_DATABASE: database, PETSTORE_BOOTSTRAP_KEY: key, PETSTORE_LOG_LEVEL: 'warn' }
  const server = await serve([], { env })
  const served: Served = { url: server.url, database, key }
  const inventory = new Inventory()
  const seen: Pick<Soak, 'samples' | 'statuses' | 'faults'> = { samples: [], statuses: {}, faults: [] }
  let latencies: number[] = []
  let rounds = 0
  const startedAt = performance.now()
  const endsAt = startedAt + minutes * 60_000
  const everyMs = Math.min(10_000, (minutes * 60_000) / 40)

  async function client(): Promise<void> {
    while (performance.now() < endsAt) {
      const [expected, request] = next(inventory)
      const sentAt = performance.now()
      const { status, text } = await send(served, request, inventory)
      if (request.path === '/pets' && status === 200) latencies.push(performance.now() - sentAt)
      seen.statuses[status] = (seen.statuses[status] ?? 0) + 1
      if (!expected.includes(status))
        seen.faults.push(`${request.method ?? 'GET'} ${request.path} got ${status} ${text}`)
      await Bun.sleep(PAUSE_MS * (0.5 + Math.random()))
    }
  }
  async function sampling(): Promise<void> {
    for (; performance.now() < endsAt; await Bun.sleep(everyMs)) {
      const sorted = latencies.sort((one, other) => one - other)
      latencies = []
      const store = await sizeOf(database, cluster)
      const sample = {
        minute: (performance.now() - startedAt) / 60_000,
        ...figuresOf(server.pid),
        storeMb: store / 1e6,
        bytesPerPet: store / (1 + (await countPets(served))),
        latencyMs: sorted[Math.floor(0.99 * (sorted.length - 1))] ?? 0,
      }
      seen.samples.push(sample)
      report(sample)
    }
  }
  async function choring(): Promise<void> {
    for (; performance.now() < endsAt; rounds++) {
      const pause = Bun.sleep(Math.min(CHORES_EVERY_MS_MAX, minutes * 15_000))
      seen.faults.push(...(await chores(served, endsAt)))
      await pause
    }
  }
  try {
    await Promise.all([sampling(), choring(), ...Array.from({ length: CLIENTS }, client)])
    const status = await server.stop()
    if (status !== 0) seen.faults.push(`the server ended with status ${status} after SIGTERM`)
  } finally {
    await cluster?.remove()
  }
  const counted = seen.samples.slice(Math.floor(seen.samples.length * WARM_UP_SHARE))
  const figures = Object.keys(GROWTH_MAX) as Figure[]
  const growth = Object.fromEntries(
    figures.map((figure) => [figure, rise(counted.map((sample) => sample[figure]))]),
  ) as Soak['growth']
  const passed = seen.faults.length === 0 && figures.every((figure) => growth[figure] <= GROWTH_MAX[figure])
  return { ...seen, chores: rounds, growth, passed }
}

/** Resolves to the answer; with status 0 and the reason if there was none. */
async function send({ url, key }: Served, { path, ...request }: Ask, inventory: Inventory) {
  try {
    const headers = { Authorization: `Bearer ${key}`, ...request.headers }
    const response = await fetch(url + path, { ...request, headers })
    const text = await response.text()
    inventory.learn(path, response, text)
    return { status: response.status, text }
  } catch (error) {
    return { status: 0, text: String(error) }
  }
}

async function run({ minutes, store }: { minutes: number; store: string[] }) {
  const kinds = (store.length > 0 ? store : ['sqlite', 'postgres']) as Kind[]
  const results = await Promise.all(
    kinds.map(async (kind) => ({
      kind,
      ...(await soak(minutes, kind, (sample) => print(`${kind}, ${shown(sample)}`))),
    })),
  )
  const memory = results.map(({ kind, samples }) => ({
    label: kind,
    points: samples.map(({ minute, memoryMb }) => ({ x: minute, y: memoryMb })),
  }))
  const parts = results.map((result) => describe(result.kind, result))
  const plot = lineChart('Resident memory', 'MiB over minutes', memory, 'linear')
  const text = `${minutes} minutes of mixed load from ${CLIENTS} clients on each store, both at the same time (lists with filters, searches, pets, orders, inventory, corrections, the feed of events, creates
with and without Idempotency-Key, malformed, unauthorised and oversized requests), beside backups of the file, rotations of the key, slow and hostile clients.

${parts.join('\n\n')}

![Resident memory over time](${PLOT})`
  return { text, passed: results.every(({ passed }) => passed), files: { [PLOT]: plot } }
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
  return `${kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}. Answers by status: ${answers.join(', ')}; ${chores} rounds of backup, rotation, slow and hostile clients. The lines are those through the last three quarters.

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
