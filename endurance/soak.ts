// A mixed load at a steady pace, for hours. The memory and the open descriptors of the server are sampled and plotted; a leak
// shows as a line that rises.
//
//   npm run endurance:soak -- --minutes 60 --report

import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { lineChart } from '../scripts/plots.ts'
import { temporaryFile } from '../test/support/files.ts'
import { type Running, serve } from '../test/support/process.ts'
import { faultsLine, print, runCommand } from './command.ts'

const CLIENTS = 16
/** How long a client waits between its requests, on average. */
const PAUSE_MS = 30
/** The first samples do not count: caches fill and code is compiled. */
const WARM_UP_SHARE = 0.25
/** How far the line may rise after the warm-up, as a share of its mean. */
const GROWTH_MAX = { memory: 0.1, descriptors: 0.1 }
const PLOT = 'reliability-soak.svg'

interface Sample {
  minute: number
  memoryMb: number
  descriptors: number
}

export interface Soak {
  samples: Sample[]
  statuses: Record<number, number>
  /** Unexpected answers, and requests without an answer (status 0). */
  faults: string[]
  /** Rise of the line after the warm-up, as a share of its mean. */
  growth: { memory: number; descriptors: number }
  passed: boolean
}

/** The requests: how many in a hundred, the statuses that are correct, and how each is made. */
const MIX: readonly [
  share: number,
  statuses: number[],
  ask: (inventory: Inventory) => RequestInit & { path: string },
][] = [
  [45, [200], () => ({ path: '/pets' })],
  [15, [200], ({ added }) => ({ path: `/pets?limit=${1 + (added % 100)}&status=sold` })],
  [10, [200, 404], ({ added }) => ({ path: `/pets/${1 + Math.floor(Math.random() * added)}` })],
  [15, [201], (inventory) => ({ path: '/pets', method: 'POST', body: inventory.pet() })],
  [
    5,
    [201],
    (inventory) => ({ path: '/pets', method: 'POST', body: inventory.pet(), headers: idempotent(crypto.randomUUID()) }),
  ],
  [3, [400], () => ({ path: '/pets', method: 'POST', body: '{"name":""' })],
  [3, [400], () => ({ path: '/pets?limit=0' })],
  [2, [401], () => ({ path: '/pets', headers: { Authorization: 'Bearer no' } })],
  [1, [404], () => ({ path: '/nothing' })],
  [1, [413], () => ({ path: '/pets', method: 'POST', body: 'x'.repeat(70_000) })],
]

/** Counts the pets that are added, so that each has its own name. */
class Inventory {
  added = 0
  pet(): string {
    return JSON.stringify({
      name: `pet ${this.added++}`,
      categoryId: this.added,
      status: this.added % 9 ? 'available' : 'sold',
    })
  }
}

export async function soak(minutes: number, report: (sample: Sample) => void = () => {}): Promise<Soak> {
  const server = await serve([], { cwd: mkdtempSync(temporaryFile('soak-')), env: { PETSTORE_LOG_LEVEL: 'warn' } })
  const inventory = new Inventory()
  const statuses: Record<number, number> = {}
  const faults: string[] = []
  const samples: Sample[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + minutes * 60_000
  const everyMs = Math.min(10_000, (minutes * 60_000) / 40)

  async function client(): Promise<void> {
    while (performance.now() < endsAt) {
      const [expected, request] = next(inventory)
      const status = await send(server, request)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (!expected.includes(status)) faults.push(`${request.method ?? 'GET'} ${request.path} answered ${status}`)
      await Bun.sleep(PAUSE_MS * (0.5 + Math.random()))
    }
  }
  async function sampling(): Promise<void> {
    while (performance.now() < endsAt) {
      const sample = { minute: (performance.now() - startedAt) / 60_000, ...figuresOf(server.pid) }
      samples.push(sample)
      report(sample)
      await Bun.sleep(everyMs)
    }
  }
  await Promise.all([sampling(), ...Array.from({ length: CLIENTS }, client)])
  const status = await server.stop()
  if (status !== 0) faults.push(`the server ended with status ${status} after SIGTERM`)
  const counted = samples.slice(Math.floor(samples.length * WARM_UP_SHARE))
  const growth = {
    memory: rise(counted.map(({ memoryMb }) => memoryMb)),
    descriptors: rise(counted.map(({ descriptors }) => descriptors)),
  }
  const passed =
    faults.length === 0 && growth.memory <= GROWTH_MAX.memory && growth.descriptors <= GROWTH_MAX.descriptors
  return { samples, statuses, faults, growth, passed }
}

function next(inventory: Inventory): [number[], RequestInit & { path: string }] {
  let left = Math.random() * 100
  for (const [share, statuses, ask] of MIX) {
    left -= share
    if (left < 0) return [statuses, ask(inventory)]
  }
  return [[200], { path: '/pets' }]
}

/** Resolves to the status of the answer; 0 if there was none. */
async function send({ url, key }: Running, { path, ...request }: RequestInit & { path: string }): Promise<number> {
  try {
    const response = await fetch(url + path, {
      ...request,
      headers: { Authorization: `Bearer ${key}`, ...request.headers },
    })
    await response.text()
    return response.status
  } catch {
    return 0
  }
}

function idempotent(key: string): Record<string, string> {
  return { 'Idempotency-Key': `"${key}"` }
}

function figuresOf(pid: number): Omit<Sample, 'minute'> {
  const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return { memoryMb: kib / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length }
}

/** The rise of the straight line through the values (least squares), from the first to the last, as a share of their mean. */
function rise(values: number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const middle = (values.length - 1) / 2
  const covariance = values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0)
  const variance = values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0)
  return variance === 0 ? 0 : ((covariance / variance) * (values.length - 1)) / mean
}

async function run({ minutes }: { minutes: number }) {
  const { samples, statuses, faults, growth, passed } = await soak(minutes, ({ minute, memoryMb, descriptors }) => {
    print(`${minute.toFixed(1)} min: ${memoryMb.toFixed(0)} MiB, ${descriptors} descriptors`)
  })
  const points = samples.map(({ minute, memoryMb }) => ({ x: minute, y: memoryMb }))
  const plot = lineChart('Resident memory', 'MiB over minutes', [{ label: 'resident', points }], 'linear')
  const answers = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  const memory = samples.map(({ memoryMb }) => memoryMb)
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
  const text = `${minutes} minutes of mixed load from ${CLIENTS} clients (lists, filtered lists, single pets, creates with and without
Idempotency-Key, malformed, unauthorised and oversized requests), answers by status: ${answers.join(', ')}.

- Memory: ${Math.min(...memory).toFixed(0)} to ${Math.max(...memory).toFixed(0)} MiB; the line through the last three quarters rises by ${percent(growth.memory)} in all.
- Descriptors: at most ${Math.max(...samples.map(({ descriptors }) => descriptors))}; their line rises by ${percent(growth.descriptors)}.
${faultsLine(faults)}
- Result: ${passed ? 'passed' : 'FAILED'} (a rise of more than ${percent(GROWTH_MAX.memory)} fails).

![Resident memory over time](${PLOT})`
  return { text, passed, files: { [PLOT]: plot } }
}

if (import.meta.main) {
  const status = await runCommand({
    name: 'soak',
    title: 'Soak',
    description: 'Runs a mixed load for a long time and watches the memory and the open descriptors of the server.',
    options: { minutes: ['how long it runs', 60] },
    run,
  })
  process.exit(status)
}
