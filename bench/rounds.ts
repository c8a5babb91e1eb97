// Entries that are measured together. Their servers start once and are warmed up while every answer is checked; then each
// round measures all of them in turn, so that a slow minute of the machine is slow for all.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Contender, FLOOR, requestsTo } from './contenders.ts'
import { type Figure, median, number, type Run } from './figures.ts'
import { audit, type Load, measure, writeRequests } from './load.ts'
import { temporaryFolder } from './machine.ts'
import type { Work } from './requests.ts'
import { type Running, residentMB, start, untilIdle } from './servers.ts'

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
  /** Where the server and its load run; a core for each unless given. */
  cores?: readonly number[]
  /** How many requests are in progress, CONNECTIONS unless given. */
  connections?: number
  /** Runs at full rate while this entry is measured, a second longer at both ends. */
  beside?: Entry
  /** Events are read at another server of the same store. */
  elsewhere?: true
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

/** `oneServer`: entries of the same contender share one. Throws an Error for a wrong answer. */
export async function measureTogether(asked: readonly Entry[], pace: Pace, oneServer?: boolean): Promise<Measured> {
  const entries = asked.flatMap((entry) => (entry.beside ? [entry, entry.beside] : [entry]))
  using root = temporaryFolder()
  await using stack = new AsyncDisposableStack()
  const servers = new Map<Contender | Entry, Running>()
  const loads: Loads = new Map()
  for (const entry of entries) {
    const { name, contender, work, pets, cores, connections } = entry
    const folder = join(root.path, name)
    mkdirSync(folder)
    const owner = oneServer ? contender : entry
    let server = servers.get(owner)
    if (!server) {
      const works = entries.filter((other) => other === entry || other.contender === owner).map(({ work }) => work)
      server = stack.use(await start(await contender.prepare(folder, pets, works), folder, cores))
      servers.set(owner, server)
    }
    const requests = join(folder, 'requests')
    writeRequests(requests, await requestsTo(server, contender, work, pets), server.key)
    loads.set(entry, { name, server, requests, status: work.status, sent: 0, cores, connections, runs: [] })
  }
  await Promise.all([...loads.values()].map((load) => audit(load, WARM_UP_SECONDS * entries.length)))
  // Otherwise the work that one has put off would be done on the core on which the first of them is measured.
  await Promise.all([...loads.values()].map(({ server }) => untilIdle(server.pid, PUT_OFF_MS)))
  return await measureRounds(asked, loads, pace)
}

/** How long the servers take until the first answer. */
export async function measureStarts(entries: readonly Entry[], { rounds }: Pace): Promise<Measured> {
  const figures: Figure[] = []
  for (const { name, contender, work, pets } of entries) {
    using folder = temporaryFolder()
    const starting = await contender.prepare(folder.path, pets, [work])
    const runs: Run[] = []
    // The first start reads the program from the disk and does not count.
    for (let round = 0; round <= rounds; round++) {
      await using server = await start(starting, folder.path)
      runs.push(said(name, { startMs: server.startMs, residentMB: residentMB(server.pid) }))
    }
    figures.push({ name, runs: runs.slice(1) })
  }
  return { figures }
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

export function said(name: string, run: Run): Run {
  const values = Object.entries(run).map(([kind, value]) => `${kind} ${number(value)}`)
  say(`  ${name}: ${values.join(', ')}`)
  return run
}

async function measureRounds(entries: readonly Entry[], loads: Loads, { rounds, seconds }: Pace): Promise<Measured> {
  const run = async (entry: Entry, round: number, length: number) => {
    const load = loads.get(entry) as Load & Figure
    load.runs[round] = said(entry.name, await measure(load, length))
  }
  const measureRound = async (round: number) => {
    // Every other round runs in reverse, so that the order favours no entry.
    for (const entry of round % 2 === 0 ? entries : entries.toReversed()) {
      const beside = entry.beside && run(entry.beside, round, seconds + 2)
      if (beside) await Bun.sleep(1000)
      await Promise.all([run(entry, round, seconds), beside])
    }
  }
  const floor = [...loads].find(([{ contender }]) => contender === FLOOR)?.[1]
  const moved = () => movedRound(floor?.runs.map(({ perSecond = 0 }) => perSecond) ?? [])
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
