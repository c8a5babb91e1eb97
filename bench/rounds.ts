// Entries that are measured together. Their servers start once and are warmed up while every answer is checked; then each
// round measures all of them in turn, so that a slow minute of the machine is slow for all.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Contender, FLOOR, type Served } from './contenders.ts'
import { audit, type Load, measure, type Run, writeRequests } from './load.ts'
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

/** An entry whose server runs, and whose answers are right. */
export interface Ready {
  load: Load
  bytesPerAnswer: number
}

/** For each entry; all are warmed up at once. */
const WARM_UP_SECONDS = 2
/** A floor that moves further within a row shows that the machine was disturbed. */
export const FLOOR_MOVE_MAX = 0.15
const ATTEMPTS_MAX = 3

export function measureTogether(entries: readonly Entry[], pace: Pace, warmUpSeconds?: number): Promise<Figure[]> {
  return withFolder(async (folder) => {
    const servers: Served[] = []
    try {
      for (const [index, { contender, pets }] of entries.entries()) {
        const own = join(folder, String(index))
        mkdirSync(own)
        servers.push(await contender.start(pets, own))
      }
      const ready = await warmUp(entries, servers, folder, warmUpSeconds)
      return await untilSteady(() => measureRounds(entries, ready, pace))
    } finally {
      await Promise.all(servers.map(({ running }) => running.stop()))
    }
  })
}

async function measureRounds(entries: readonly Entry[], ready: readonly Ready[], pace: Pace): Promise<Figure[]> {
  const figures: Figure[] = entries.map(({ name }) => ({ name, runs: [] }))
  for (let round = 0; round < pace.rounds; round++) {
    // There and back, so that nobody gains by the order.
    const order = round % 2 === 0 ? [...ready.entries()] : [...ready.entries()].reverse()
    for (const [index, { load, bytesPerAnswer }] of order) {
      const run = await measure(load, pace.seconds, bytesPerAnswer)
      figures[index]?.runs.push(run)
      say(`  ${entries[index]?.name}: ${described(run)}`)
    }
  }
  return figures
}

/** Measures again while the floor moves by more than 15 %, three times at most; the last figures count. */
export async function untilSteady(measureAll: () => Promise<Figure[]>): Promise<Figure[]> {
  for (let attempt = 1; ; attempt++) {
    const figures = await measureAll()
    const moved = floorMove(figures)
    if (moved <= FLOOR_MOVE_MAX || attempt === ATTEMPTS_MAX) return figures
    say(`  the floor moved by ${Math.round(moved * 100)} %: this row is measured again`)
  }
}

/** From its lowest to its highest rate, as a share of the median; 0 without a floor. */
function floorMove(figures: readonly Figure[]): number {
  if (!figures.some(({ name }) => name === FLOOR)) return 0
  const { median, min, max } = summary(each(figures, FLOOR, 'perSecond'))
  return (max - min) / median
}

/** Puts each server under its load, all at once. Throws an Error when one gives a wrong answer. */
export function warmUp(
  entries: readonly Entry[],
  servers: readonly Served[],
  folder: string,
  seconds = WARM_UP_SECONDS * entries.length,
): Promise<Ready[]> {
  const warming = entries.map(async ({ name, pets, work, connections, cores }, index) => {
    const served = servers[index] as Served
    const requests = join(folder, `requests-${index}`)
    writeRequests(requests, await work.requests(served, pets), served.key)
    const load = { server: served.running, requests, status: work.status, connections, ...(cores ? { cores } : {}) }
    try {
      return { load, bytesPerAnswer: await audit(load, seconds) }
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
    }
  })
  return Promise.all(warming)
}

const folders = new Set<string>()
process.on('exit', () => folders.forEach(remove))

/** The folder is removed when `use` has ended, or with the process. */
export async function withFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-run-'))
  folders.add(folder)
  try {
    return await use(folder)
  } finally {
    remove(folder)
  }
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  folders.delete(folder)
}

function described({ perSecond, p99Ms, busy, cpuUs }: Run): string {
  const rate = `${Math.round(perSecond)} a second, p99 ${p99Ms.toFixed(2)} ms`
  return `${rate}, busy ${Math.round(busy * 100)} %, ${cpuUs.toFixed(1)} µs of processor time each`
}

/** Progress, on standard error. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
