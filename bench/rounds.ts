// Entries measured together: their servers are started once and warmed up while every answer is looked at; then all
// are measured in turn, round after round, so that a slow minute of the machine is a slow minute for all of them.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Contender, Served } from './contenders.ts'
import { audit, type Load, measure, type Run, writeRequests } from './load.ts'
import type { Asked } from './requests.ts'
import type { Figure } from './results.ts'

export interface Pace {
  rounds: number
  /** Whole seconds of each run. */
  seconds: number
  /** For all of them at once. */
  warmUpSeconds?: number
}

export interface Entry {
  name: string
  contender: Contender
  animals: number
  asked: (served: Served) => Asked[] | Promise<Asked[]>
  status: number
  connections: number
  cores?: readonly number[]
}

/** An entry whose server runs, and whose answers have been found to be right. */
export interface Ready {
  load: Load
  bytesPerAnswer: number
}

const WARM_UP_SECONDS = 2

export async function measureTogether(entries: readonly Entry[], pace: Pace): Promise<Figure[]> {
  const { rounds, seconds, warmUpSeconds = WARM_UP_SECONDS * entries.length } = pace
  const figures: Figure[] = entries.map(({ name }) => ({ name, runs: [] }))
  await withFolder(async (folder) => {
    const servers: Served[] = []
    try {
      for (const [index, { contender, animals }] of entries.entries()) {
        servers.push(await contender.start(animals, made(join(folder, String(index)))))
      }
      const ready = await warmedUp(entries, servers, folder, warmUpSeconds)
      for (let round = 0; round < rounds; round++) {
        const inTurn = [...ready.entries()]
        // There and back again: who comes first gains nothing by it.
        for (const [index, { load, bytesPerAnswer }] of round % 2 === 0 ? inTurn : inTurn.reverse()) {
          const run = await measure(load, seconds, bytesPerAnswer)
          figures[index]?.runs.push(run)
          say(`  ${entries[index]?.name}: ${summary(run)}`)
        }
      }
    } finally {
      await Promise.all(servers.map(({ running }) => running.stop()))
    }
  })
  return figures
}

/** Each entry's server under its load, all at once; throws when one has given another answer than wanted. */
export function warmedUp(
  entries: readonly Entry[],
  servers: readonly Served[],
  folder: string,
  seconds: number,
): Promise<Ready[]> {
  const warming = entries.map(async ({ name, asked, status, connections, cores }, index) => {
    const served = servers[index] as Served
    const requests = join(folder, `requests-${index}`)
    writeRequests(requests, await asked(served), served.key)
    const load = { server: served.running, requests, status, connections, ...(cores ? { cores } : {}) }
    try {
      return { load, bytesPerAnswer: await audit(load, seconds) }
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
    }
  })
  return Promise.all(warming)
}

function made(folder: string): string {
  mkdirSync(folder)
  return folder
}

const folders = new Set<string>()
process.on('exit', () => folders.forEach(remove))

/** A folder that is gone when `use` is done, or when the process ends. */
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

export function summary({ perSecond, p99Ms, serverBusy, cpuUs }: Run): string {
  const rate = `${Math.round(perSecond)}/s, p99 ${p99Ms.toFixed(2)} ms`
  return `${rate}, busy ${Math.round(serverBusy * 100)} %, ${cpuUs.toFixed(1)} µs of processor time each`
}

/** Progress, for who waits. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
