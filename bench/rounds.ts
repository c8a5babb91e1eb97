// Entries that are measured together. Their servers start once and are warmed up while every answer is checked; then each
// round measures all of them in turn, so that a slow minute of the machine is slow for all.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, FLOOR, requestsTo } from './contenders.ts'
import { type Figure, median, number, type Run } from './figures.ts'
import { audit, type Load, measure, writeRequests } from './load.ts'
import { temporaryFolder } from './machine.ts'
import type { Work } from './requests.ts'
import { start, untilIdle } from './servers.ts'

export interface Pace {
  rounds: number
  /** Whole seconds of each run. */
  seconds: number
}

export interface Entry {
  name: string
  contender: Contender
  work: Work
  pets: number
  /** How many requests are in progress, CONNECTIONS unless given. */
  connections?: number | undefined
}

export interface Measured {
  figures: Figure[]
  remark?: string
}

type Loads = Map<Entry, Load & Figure>

/** For each entry; all are warmed up at once. */
const WARM_UP_SECONDS = 2
/** After so long without a request, an older commit begins the work that it has put off. */
const PUT_OFF_MS = 3000
/** A round in which the floor's rate is farther from its median is measured again. */
const FLOOR_MOVES_MAX = 0.15
const EXTRA_ROUNDS_MAX = 3

/** Throws an Error for a wrong answer. */
export async function measureTogether(entries: readonly Entry[], pace: Pace): Promise<Measured> {
  using root = temporaryFolder()
  await using stack = new AsyncDisposableStack()
  const loads: Loads = new Map()
  for (const entry of entries) {
    const { name, contender, work, pets, connections } = entry
    const folder = join(root.path, name)
    mkdirSync(folder)
    const server = stack.use(await start(await contender.prepare(folder, pets, work), folder))
    const requests = join(folder, 'requests')
    writeRequests(requests, await requestsTo(server, contender, work, pets), server.key)
    loads.set(entry, { name, server, requests, status: work.status, sent: 0, connections, runs: [] })
  }
  await Promise.all([...loads.values()].map((load) => audit(load, WARM_UP_SECONDS * entries.length)))
  // Otherwise the work that one has put off would be done on the core on which the first of them is measured.
  await Promise.all([...loads.values()].map(({ server }) => untilIdle(server.pid, PUT_OFF_MS)))
  return await measureRounds(entries, loads, pace)
}

/** The round to measure again, given the floor's rate in each: the one that is farthest from the median, if it is too far. */
export function movedRound(rates: readonly number[]): number | undefined {
  const moves = rates.map((rate) => Math.abs(rate / median(rates) - 1))
  const most = Math.max(...moves)
  return most > FLOOR_MOVES_MAX ? moves.indexOf(most) : undefined
}

/** Progress, on standard error. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

function said(name: string, run: Run): Run {
  const values = Object.entries(run).map(([kind, value]) => `${kind} ${number(value)}`)
  say(`  ${name}: ${values.join(', ')}`)
  return run
}

async function measureRounds(entries: readonly Entry[], loads: Loads, { rounds, seconds }: Pace): Promise<Measured> {
  const measureRound = async (round: number) => {
    // Every other round runs in reverse, so that the order favours no entry.
    for (const entry of round % 2 === 0 ? entries : entries.toReversed()) {
      const load = loads.get(entry) as Load & Figure
      load.runs[round] = said(entry.name, await measure(load, seconds))
    }
  }
  const floor = [...loads].find(([{ contender }]) => contender === FLOOR)?.[1]
  const moved = () => movedRound(floor?.runs.map(({ perSecond }) => perSecond) ?? [])
  for (let round = 0; round < rounds; round++) await measureRound(round)
  let extra = 0
  for (let again = moved(); again !== undefined && extra < EXTRA_ROUNDS_MAX; again = moved()) {
    say(`  The floor moved: round ${again + 1} is measured again.`)
    await measureRound(again)
    extra++
  }
  const figures = [...loads.values()].map(({ name, runs }) => ({ name, runs }))
  if (extra === 0) return { figures }
  const settled = moved() === undefined ? '' : ' It still moved after that.'
  return { figures, remark: `The floor moved by more than 15 %; rounds measured again: ${extra}.${settled}` }
}
