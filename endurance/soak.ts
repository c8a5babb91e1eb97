// For hours: a mixed load at a steady pace, the memory and the descriptors of the server sampled, a plot, and a verdict by
// slope: what leaks shows as a line that rises.
//
//   npm run endurance:soak -- --minutes 60 --report

import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { temporaryFile } from '../test/support/files.ts'
import { type Running, root, serve } from '../test/support/process.ts'
import { linePlot } from './plot.ts'
import { writeSection } from './report.ts'

const CLIENTS = 16
/** Of each client, from one request to the next. */
const PAUSE_MS = 30
/** The start is not judged: caches fill, code is compiled. */
const WARM_UP_SHARE = 0.25
/** By how much the line may rise over the judged time. */
const GROWTH_MAX = { memory: 0.1, descriptors: 0.1 }
const PLOT = 'docs/reliability-soak.svg'

interface Sample {
  minute: number
  memoryMb: number
  descriptors: number
}

export interface Soak {
  samples: Sample[]
  statuses: Record<number, number>
  /** Answers that the request should not have got, and requests without an answer. */
  faults: string[]
  /** Rise over the judged time, as a share of the mean. */
  growth: { memory: number; descriptors: number }
  passed: boolean
}

/** What is asked, how often in a hundred, and which answers are right. */
const MIX: readonly [share: number, statuses: number[], ask: (shop: Shop) => RequestInit & { path: string }][] = [
  [45, [200], () => ({ path: '/pets' })],
  [15, [200], ({ added }) => ({ path: `/pets?limit=${1 + (added % 100)}&status=sold` })],
  [10, [200, 404], ({ added }) => ({ path: `/pets/${1 + Math.floor(Math.random() * added)}` })],
  [15, [201], (shop) => ({ path: '/pets', method: 'POST', body: shop.pet() })],
  [5, [201], (shop) => ({ path: '/pets', method: 'POST', body: shop.pet(), headers: idempotent(crypto.randomUUID()) })],
  [3, [400], () => ({ path: '/pets', method: 'POST', body: '{"name":""' })],
  [3, [400], () => ({ path: '/pets?limit=0' })],
  [2, [401], () => ({ path: '/pets', headers: { Authorization: 'Bearer no' } })],
  [1, [404], () => ({ path: '/nothing' })],
  [1, [413], () => ({ path: '/pets', method: 'POST', body: 'x'.repeat(70_000) })],
]

class Shop {
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
  const shop = new Shop()
  const statuses: Record<number, number> = {}
  const faults: string[] = []
  const samples: Sample[] = []
  const begun = performance.now()
  const endsAt = begun + minutes * 60_000
  const everyMs = Math.min(10_000, (minutes * 60_000) / 40)

  async function client(): Promise<void> {
    while (performance.now() < endsAt) {
      const [right, request] = next(shop)
      const status = await send(server, request)
      statuses[status] = (statuses[status] ?? 0) + 1
      if (!right.includes(status)) faults.push(`${request.method ?? 'GET'} ${request.path} answered ${status}`)
      await Bun.sleep(PAUSE_MS * (0.5 + Math.random()))
    }
  }
  async function sampling(): Promise<void> {
    while (performance.now() < endsAt) {
      const sample = { minute: (performance.now() - begun) / 60_000, ...figuresOf(server.pid) }
      samples.push(sample)
      report(sample)
      await Bun.sleep(everyMs)
    }
  }
  await Promise.all([sampling(), ...Array.from({ length: CLIENTS }, client)])
  const status = await server.stop()
  if (status !== 0) faults.push(`SIGTERM ended with ${status}`)
  const judged = samples.slice(Math.floor(samples.length * WARM_UP_SHARE))
  const growth = {
    memory: rise(judged.map(({ memoryMb }) => memoryMb)),
    descriptors: rise(judged.map(({ descriptors }) => descriptors)),
  }
  const passed =
    faults.length === 0 && growth.memory <= GROWTH_MAX.memory && growth.descriptors <= GROWTH_MAX.descriptors
  return { samples, statuses, faults, growth, passed }
}

function next(shop: Shop): [number[], RequestInit & { path: string }] {
  let left = Math.random() * 100
  for (const [share, statuses, ask] of MIX) {
    left -= share
    if (left < 0) return [statuses, ask(shop)]
  }
  return [[200], { path: '/pets' }]
}

/** 0: there was no answer. */
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

if (import.meta.main) {
  const { values } = parseArgs({
    options: { minutes: { type: 'string', default: '60' }, report: { type: 'boolean', default: false } },
  })
  const { samples, statuses, faults, growth, passed } = await soak(Number(values.minutes), (sample) => {
    const { minute, memoryMb, descriptors } = sample
    process.stdout.write(`${minute.toFixed(1)} min: ${memoryMb.toFixed(0)} MiB, ${descriptors} descriptors\n`)
  })
  const answers = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  const memory = samples.map(({ memoryMb }) => memoryMb)
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
  const text = `${values.minutes} minutes of mixed load from ${CLIENTS} clients (lists, filtered lists, single animals, creates with and without
Idempotency-Key, malformed, unauthorised and oversized requests), answers by status: ${answers.join(', ')}.

- Memory: ${Math.min(...memory).toFixed(0)} to ${Math.max(...memory).toFixed(0)} MiB; the line through the last three quarters rises by ${percent(growth.memory)} in all.
- Descriptors: ${Math.max(...samples.map(({ descriptors }) => descriptors))} at most; their line rises by ${percent(growth.descriptors)}.
- Wrong or missing answers: ${faults.length === 0 ? 'none' : faults.slice(0, 20).join('; ')}.
- Verdict: ${passed ? 'passed' : 'FAILED'} (a rise of more than ${percent(GROWTH_MAX.memory)} fails).

![Resident memory over time](reliability-soak.svg)`
  process.stdout.write(`${text}\n`)
  if (values.report) {
    const points = samples.map(({ minute, memoryMb }): [number, number] => [minute, memoryMb])
    writeFileSync(join(root, PLOT), linePlot(points, 'minutes', 'MiB resident'))
    const command = `npm run endurance:soak -- --minutes ${values.minutes}`
    writeSection({ title: 'For long', command, text })
  }
  process.exit(passed ? 0 : 1)
}
