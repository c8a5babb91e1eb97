// Entries that are measured together. Their servers start once and are warmed up while every answer is checked; then each
// round measures all of them in turn, so that a slow minute of the machine is slow for all.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Contender, Served } from './contenders.ts'
import { withFolder } from './folders.ts'
import { audit, type Load, measure, writeRequests } from './load.ts'
import type { Work } from './requests.ts'
import type { Figure } from './results.ts'

export interface Pace {
  rounds: number
  /** Whole seconds of each run. */
  seconds: number
}

export interface Entry {
  name: string
  contender: Contender
  pets: number
  work: Work
  connections: number
  cores?: readonly number[]
}

/** A load whose server runs and gives the right answers. */
export type Ready = Load & { bytesPerAnswer: number }

/** For each entry; all are warmed up at once. */
const WARM_UP_SECONDS = 2
/** `warmUpSeconds`: 2 for each entry unless given. */
export function measureTogether(entries: readonly Entry[], pace: Pace, warmUpSeconds?: number): Promise<Figure[]> {
  return withServers(entries, (ready) => measureRounds(entries, ready, pace), warmUpSeconds)
}

/** Starts the servers of the entries, warms them up, and stops them after `use`. Throws an Error for a wrong answer. */
export function withServers<Result>(
  entries: readonly Entry[],
  use: (ready: readonly Ready[]) => Promise<Result>,
  warmUpSeconds = WARM_UP_SECONDS * entries.length,
): Promise<Result> {
  return withFolder(async (folder) => {
    const servers: Served[] = []
    try {
      for (const [index, { contender, pets, work }] of entries.entries()) {
        const own = join(folder, String(index))
        mkdirSync(own)
        servers.push(await contender.start(pets, own, work.prepare))
      }
      const warm = (one: Entry, n: number) =>
        warmUp(one, servers[n] as Served, join(folder, `requests-${n}`), warmUpSeconds)
      return await use(await Promise.all(entries.map(warm)))
    } finally {
      await Promise.all(servers.map(({ running }) => running.stop()))
    }
  })
}

async function warmUp(one: Entry, served: Served, requests: string, seconds: number): Promise<Ready> {
  const { name, pets, work, connections, cores } = one
  writeRequests(requests, await work.requests(served, pets), served.key)
  const load = {
    server: served.running,
    requests,
    status: work.status,
    connections,
    sent: 0,
    ...(cores ? { cores } : {}),
  }
  try {
    const bytesPerAnswer = await audit(load, seconds)
    return { ...load, bytesPerAnswer }
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
}

async function measureRounds(entries: readonly Entry[], ready: readonly Ready[], pace: Pace): Promise<Figure[]> {
  const figures: Figure[] = entries.map(({ name }) => ({ name, runs: [] }))
  for (let round = 0; round < pace.rounds; round++) {
    // Every other round runs in reverse, so that the order favours no entry.
    const order = round % 2 === 0 ? [...ready.entries()] : [...ready.entries()].reverse()
    for (const [index, load] of order) {
      const run = await measure(load, pace.seconds)
      figures[index]?.runs.push(run)
      const { perSecond, p99Ms, busy, cpuUs } = run
      const rate = `${Math.round(perSecond)} a second, p99 ${p99Ms.toFixed(2)} ms`
      say(`  ${entries[index]?.name}: ${rate}, busy ${Math.round(busy * 100)} %, CPU ${cpuUs.toFixed(1)} µs`)
    }
  }
  return figures
}

/** Progress, on standard error. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
