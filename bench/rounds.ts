// Entries that are measured together. Their servers start once and are warmed up while every answer is checked; then each
// round measures all of them in turn, so that a slow minute of the machine is slow for all.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, FLOOR, type Served } from './contenders.ts'
import { withFolder } from './folders.ts'
import { audit, type Load, measure, writeRequests } from './load.ts'
import type { Work } from './requests.ts'
import { each, type Figure } from './results.ts'
import { summary } from './statistics.ts'

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
/** A floor that moves further within a row shows that the machine was disturbed. */
export const FLOOR_MOVE_MAX = 0.15
const ATTEMPTS_MAX = 3

/** `warmUpSeconds`: 2 for each entry unless given. */
export function measureTogether(entries: readonly Entry[], pace: Pace, warmUpSeconds?: number): Promise<Figure[]> {
  const measureAll = (ready: readonly Ready[]) => untilSteady(() => measureRounds(entries, ready, pace))
  return withServers(entries, measureAll, warmUpSeconds)
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
      for (const [index, { contender, pets }] of entries.entries()) {
        const own = join(folder, String(index))
        mkdirSync(own)
        servers.push(await contender.start(pets, own))
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
  const load = { server: served.running, requests, status: work.status, connections, ...(cores ? { cores } : {}) }
  try {
    return { ...load, bytesPerAnswer: await audit(load, seconds) }
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

/** Measures again while the floor moves by more than 15 %, three times at most; the last figures count. */
export async function untilSteady(measureAll: () => Promise<Figure[]>): Promise<Figure[]> {
  for (let attempt = 1; ; attempt++) {
    const figures = await measureAll()
    if (attempt === ATTEMPTS_MAX || !figures.some(({ name }) => name === FLOOR)) return figures
    const { median, min, max } = summary(each(figures, FLOOR, 'perSecond'))
    const moved = (max - min) / median
    if (moved <= FLOOR_MOVE_MAX) return figures
    say(`  the floor moved by ${Math.round(moved * 100)} %: this row is measured again`)
  }
}

/** Progress, on standard error. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
