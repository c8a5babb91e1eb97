// Simulates several servers on one SQLite file or PostgreSQL database in one process. A seed controls the scheduler, so the same seed reproduces a fault. With
// `--planted`, the servers get one known fault at a time, and the simulator has to find each.
//
//   npm run simulate -- --seed 7
//   npm run simulate -- --planted all

import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { experiment, faultsLine, type Outcome, print } from './command.ts'
import { inWords, shortly } from './history/words.ts'
import { startHosts } from './simulate/bundle.ts'
import type { Host } from './simulate/host.ts'
import { editsOf, PLANTED } from './simulate/planted.ts'
import { Engine } from './simulate/postgres/engine.ts'
import type { Failure } from './simulate/postgres/failures.ts'
import { IN_POSTGRES } from './simulate/postgres/planted.ts'
import { type Run, simulate } from './simulate/run.ts'

const SERVERS = 2
/** The processor time to find a planted fault, on one core. */
const FOUND_SECONDS_MAX = 60
const SEEDS = 900_000
/** In memory if possible, because these runs never need a real disk. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

type Engines = readonly [Engine, Engine] | undefined

/** The servers, and the engines of their database hosts if the store is in PostgreSQL. */
interface Site {
  readonly hosts: readonly Host[]
  readonly engines?: Engines
  /** Only these failures, in every run. */
  readonly failures?: readonly Failure[] | undefined
}

/** Runs with odd seeds have failures. A late response is a fault in the other runs, too. */
export function runOf(seed: number, operations: number, { hosts, engines, failures }: Site): Promise<Run> {
  const breaks = failures ? failures.length > 0 : seed % 2 === 1
  return simulate({ seed, operations, breaks, folder: FOLDER, engines, failures }, hosts)
}

/** Bisects to the shortest run of the seed that fails. Describes its first fault. */
async function shortest(seed: number, operations: number, site: Site): Promise<string> {
  let [least, most] = [1, operations]
  while (least < most) {
    const middle = (least + most) >> 1
    if ((await runOf(seed, middle, site)).faults.length > 0) most = middle
    else least = middle + 1
  }
  const { faults } = await runOf(seed, most, site)
  const words = faults[0] ? inWords(faults[0]) : 'no fault in the shorter run'
  return `seed ${seed} fails with --operations ${most}: ${words}`
}

async function tryRuns(first: number, runs: number, operations: number, engines: Engines): Promise<Outcome> {
  const site = { hosts: await startHosts(SERVERS, [], !engines), engines }
  const startedAt = performance.now()
  const faults: string[] = []
  let [done, steps] = [0, 0]
  let outcome: Outcome = { text: '', passed: true }
  for (let seed = first; seed < first + runs; seed++) {
    const run = await runOf(seed, operations, site)
    done += run.operations.length
    steps += run.steps
    if (run.faults.length > 0) {
      print(await shortest(seed, operations, site))
      faults.push(...run.faults.map((fault) => `seed ${seed}: ${shortly(fault)}`))
    }
    const rate = Math.round((1000 * done) / (performance.now() - startedAt))
    const last = seed === first ? `trace ${run.trace}` : `the seeds ${first} to ${seed}`
    const text = `${done} operations in ${steps} steps, ${rate} operations a second, ${last}.\n${faultsLine(faults)}`
    outcome = { text, passed: faults.length === 0 }
  }
  return outcome
}

interface Found {
  readonly seed: number
  readonly seconds: number
  readonly words: string
}

/** Finds a run that fails with the planted fault. Resolves to `undefined` if none fails in time. */
export async function findPlanted(
  name: string,
  operations: number,
  first = 1,
  engines?: Engines,
): Promise<Found | undefined> {
  const hosts = await startHosts(SERVERS, editsOf(name), !engines)
  const before = process.cpuUsage()
  const seconds = () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1e6
  }
  try {
    for (let seed = first; seconds() < FOUND_SECONDS_MAX; seed++) {
      const { faults } = await runOf(seed, operations, { hosts, engines, failures: IN_POSTGRES[name]?.failures })
      if (faults[0]) return { seed, seconds: seconds(), words: shortly(faults[0]) }
    }
    return undefined
  } finally {
    await Promise.all(hosts.map((host) => host.end()))
  }
}

async function findAll(names: readonly string[], operations: number, engines: Engines): Promise<Outcome> {
  const rows: string[] = []
  let passed = true
  for (const name of names) {
    const found = await findPlanted(name, operations, 1, engines)
    passed &&= found !== undefined
    rows.push(
      found
        ? `| ${name} | ${found.seed} | ${found.seconds.toFixed(1)} s | ${found.words} |`
        : `| ${name} | not found | | |`,
    )
    print(rows.at(-1) as string)
  }
  return { text: ['| planted | seed | after | found as |', '|---|---|---|---|', ...rows].join('\n'), passed }
}

export const main = experiment<'seed' | 'runs' | 'operations', 'store' | 'planted'>({
  name: 'simulate',
  title: 'Simulated runs',
  description: 'Runs servers and clients in one process with a seeded scheduler, and checks every response.',
  options: {
    seed: ['the seed of the first run', 1 + Math.floor(Math.random() * SEEDS), 'random'],
    runs: ['how many runs; each uses the next seed', 1],
    operations: ['operations in each run', 1_500],
  },
  choices: {
    store: ['the kind of store', ['sqlite', 'postgres']],
    planted: [
      'plant these faults in the servers instead, one at a time',
      ['all', ...Object.keys(PLANTED), ...Object.keys(IN_POSTGRES)],
    ],
  },
  async run({ seed, runs, operations, store, planted }) {
    const engines = store.includes('postgres') ? await Engine.openTwo() : undefined
    if (planted.length === 0) return tryRuns(seed, runs, operations, engines)
    const all = Object.keys(engines ? IN_POSTGRES : PLANTED)
    return findAll(planted.includes('all') ? all : planted, operations, engines)
  },
})
