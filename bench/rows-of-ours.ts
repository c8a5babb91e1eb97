// The rows in which the service is held against itself: with writes beside reads, with ever more animals, at its start,
// over time, with more workers, on another store.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Cluster } from '../test/support/postgres.ts'
import { ours, ROOT, type Served } from './contenders.ts'
import { measure } from './load.ts'
import { CORES, stayOn } from './machine.ts'
import { answerOf } from './nginx.ts'
import { memoryOf } from './processes.ts'
import { type Asked, list } from './requests.ts'
import { atLeast, atLeastPerSecond, atMost, type Figure, type Measured, p99Ms, type Target } from './results.ts'
import { type Entry, measureTogether, type Ready, say, warmedUp, withFolder } from './rounds.ts'
import { CONNECTIONS, entry, type Row, US, WORK, type Work } from './rows.ts'
import { copyOfSeeded, seeded } from './seed.ts'
import { median } from './statistics.ts'

const MANY = 10_000_000
const MEGABYTE = 1e6
const WARM_UP_SECONDS = 4

const NOT_MODIFIED: Work = { asked: list, status: 304 }

const notModified: Row = {
  name: 'not-modified',
  title: '304 answers to the list of 20',
  async run(pace) {
    const entries = [entry(US, WORK.list, 1_000, 'list of 20'), notModifiedEntry(1_000, '304')]
    const figures = await measureTogether(entries, pace)
    return { figures, targets: [atLeast(figures, '304', 1, 'list of 20')] }
  },
}

function notModifiedEntry(animals: number, name: string): Entry {
  return { ...entry(US, NOT_MODIFIED, animals, name), asked: withCurrentTag }
}

async function withCurrentTag(served: Served): Promise<Asked[]> {
  const [first] = list(served) as [Asked]
  const { headers } = await answerOf(served.running.port, first.target, { Authorization: `Bearer ${served.key}` })
  return [{ ...first, headers: { 'If-None-Match': headers.etag as string } }]
}

const mixed: Row = {
  name: 'mixed',
  title: 'Lists while creates run at full rate',
  async run({ rounds, seconds }) {
    const alone: Figure = { name: 'lists alone', runs: [] }
    const beside: Figure = { name: 'lists beside creates', runs: [] }
    const creating: Figure = { name: 'creates beside lists', runs: [] }
    await withOneServer(1_000, [WORK.list, WORK.create], CONNECTIONS, async (ready) => {
      const [lists, creates] = ready as [Ready, Ready]
      for (let round = 0; round < rounds; round++) {
        alone.runs.push(await measure(lists.load, seconds, lists.bytesPerAnswer))
        // Begins before the lists and ends after them.
        const both = measure(creates.load, seconds + 2, creates.bytesPerAnswer)
        await Bun.sleep(1000)
        beside.runs.push(await measure(lists.load, seconds, lists.bytesPerAnswer))
        creating.runs.push(await both)
        say(`  p99 ${alone.runs.at(-1)?.p99Ms} ms, beside creates ${beside.runs.at(-1)?.p99Ms} ms`)
      }
    })
    const times = p99Ms(beside) / p99Ms(alone)
    return {
      figures: [alone, beside, creating],
      targets: [atMost('list p99 ≤ 3 × its idle p99', times, 3, '×')],
      remark: '64 connections list and 64 others create, both from the one core of the load.',
    }
  },
}

/** One server, asked in each of these ways by a load of its own. */
async function withOneServer(
  animals: number,
  works: readonly Work[],
  connections: number,
  use: (ready: readonly Ready[]) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const served = await US.start(animals, folder)
    try {
      const running = { name: US.name, start: async () => served }
      const entries = works.map((work) => ({ ...entry(running, work, animals), connections }))
      await use(
        await warmedUp(
          entries,
          entries.map(() => served),
          folder,
          WARM_UP_SECONDS,
        ),
      )
    } finally {
      await served.running.stop()
    }
  })
}

/** What is asked at random must be more than what the service keeps in memory, or it is other work. */
const GROWTH: Record<string, { entryAt: (animals: number, name: string) => Entry; sizes: readonly number[] }> = {
  list: { entryAt: (animals, name) => entry(US, WORK.list, animals, name), sizes: [1e3, 1e5, 1e7] },
  status: { entryAt: (animals, name) => entry(US, WORK.status, animals, name), sizes: [1e3, 1e5, 1e7] },
  pages: { entryAt: (animals, name) => entry(US, WORK.pages, animals, name), sizes: [1e5, 1e6, 1e7] },
  animal: { entryAt: (animals, name) => entry(US, WORK.animal, animals, name), sizes: [1e5, 1e6, 1e7] },
  create: { entryAt: (animals, name) => entry(US, WORK.create, animals, name), sizes: [1e3, 1e5, 1e7] },
  'not modified': { entryAt: notModifiedEntry, sizes: [1e3, 1e5, 1e7] },
}

const growth: Row = {
  name: 'growth',
  title: 'Growth from 10^3 to 10^7 animals',
  async run(pace) {
    const figures: Figure[] = []
    const targets: Target[] = []
    for (const [work, { entryAt, sizes }] of Object.entries(GROWTH)) {
      const names = sizes.map((animals) => `${work} at ${power(animals)}`)
      const measured = await measureTogether(
        sizes.map((animals, index) => entryAt(animals, names[index] as string)),
        pace,
      )
      figures.push(...measured)
      targets.push(atLeast(measured, names.at(-1) as string, 0.9, names[0] as string))
    }
    const { database } = await seeded(ROOT, MANY)
    return {
      figures,
      targets,
      remark:
        `The file of 10^7 animals has ${Math.round(statSync(database).size / MEGABYTE)} MB. Random pages and animals begin at ` +
        '10^5, so that no size fits into what the service keeps in memory.',
    }
  },
}

const starting: Row = {
  name: 'start',
  title: 'Start with 10^7 animals',
  async run({ rounds }) {
    const figures: Figure[] = []
    for (const animals of [1e3, MANY]) {
      const times = await readyAfterMs(animals, rounds * 2)
      figures.push({ name: `at ${power(animals)}`, runs: [], values: { 'ready ms': median(times) } })
      say(`  ready with ${power(animals)}: ${times.map(Math.round).join(', ')} ms`)
    }
    const reached = figures[1]?.values?.['ready ms'] as number
    return {
      figures,
      targets: [atMost('ready in ≤ 150 ms', reached, 150, 'ms')],
      remark:
        'From the start of `petstore serve` to its first page of animals, polled every millisecond; the file is in the ' +
        "system's cache.",
    }
  },
}

/** One file, started on again and again. */
function readyAfterMs(animals: number, times: number): Promise<number[]> {
  return withFolder(async (folder) => {
    const database = join(folder, 'started.db')
    const { key } = await copyOfSeeded(ROOT, animals, database)
    const contender = ours(ROOT, { store: { database, key } })
    const all: number[] = []
    while (all.length < times) {
      const { running } = await contender.start(animals, folder)
      await running.stop()
      all.push(running.readyMs)
    }
    return all
  })
}

const memory: Row = {
  name: 'memory',
  title: 'Memory at 10^7 animals under load',
  async run({ rounds, seconds }) {
    const samples: { resident: number; anonymous: number }[] = []
    const works = [WORK.list, WORK.pages, WORK.animal, WORK.create]
    await withOneServer(MANY, works, CONNECTIONS / works.length, async (ready) => {
      const long = Math.max(10, rounds * seconds)
      const loads = Promise.all(ready.map(({ load, bytesPerAnswer }) => measure(load, long, bytesPerAnswer)))
      let done = false
      const finished = loads.finally(() => {
        done = true
      })
      while (!done) {
        samples.push(memoryOf(ready[0]?.load.server.pid as number))
        await Bun.sleep(200)
      }
      await finished
    })
    const resident = samples.map((sample) => sample.resident / MEGABYTE)
    const third = Math.floor(resident.length / 3)
    const values = {
      'resident MB, most': Math.max(...resident),
      'of it anonymous MB, most': Math.max(...samples.map(({ anonymous }) => anonymous / MEGABYTE)),
      'last third to first third': median(resident.slice(-third)) / median(resident.slice(0, third)),
    }
    return {
      figures: [{ name: 'petstore', runs: [], values }],
      targets: [
        atMost('≤ 80 MB', values['resident MB, most'], 80, 'MB'),
        atMost('flat: last third ≤ 1.05 × first third', values['last third to first third'], 1.05, '×'),
      ],
      remark:
        'Lists, random pages, random animals and creates at once, 16 connections each. Resident counts what is mapped ' +
        'from files, as the runtime itself, too.',
    }
  },
}

const workers: Row = {
  name: 'workers',
  title: 'Two workers on two cores, one file, one port',
  async run(pace) {
    if (!serveKnows('--workers')) return skipped('`petstore serve` has no --workers')
    const cores = [CORES.server, CORES.load]
    const one = ours(ROOT, { name: 'one worker', cores })
    const two = ours(ROOT, { name: 'two workers', cores, flags: ['--workers', '2'] })
    const figures: Figure[] = []
    const targets: Target[] = []
    for (const [name, work] of Object.entries({ list: WORK.list, pages: WORK.pages, create: WORK.create })) {
      const both = [one, two].map((contender) => ({
        ...entry(contender, work, 1e5, `${name}, ${contender.name}`),
        cores,
      }))
      const measured = await measureTogether(both, pace)
      figures.push(...measured)
      targets.push(perCpuSecond(measured, 0.85))
    }
    return { figures, targets, remark: 'Server and load share both cores.' }
  },
}

/** The second figure's work in a second of processor time against the first's. */
function perCpuSecond([one, two]: readonly Figure[], wanted: number): Target {
  const cpuUs = (figure: Figure | undefined) => median((figure as Figure).runs.map((run) => run.cpuUs))
  const reached = cpuUs(one) / cpuUs(two)
  return { says: `${two?.name}: work per CPU second ≥ ${wanted} × one worker's`, reached, met: reached >= wanted }
}

const postgres: Row = {
  name: 'postgres',
  title: 'PostgreSQL on the same two cores',
  async run(pace) {
    const cores = [CORES.server, CORES.load]
    stayOn(...cores)
    const cluster = await Cluster.start({ shared_buffers: '256MB' })
    stayOn(CORES.load)
    try {
      const database = await cluster.newDatabase()
      const key = await filled(database, 1e5)
      const contender = ours(ROOT, { cores, store: { database, key } })
      const measured: Figure[] = []
      for (const [name, work] of Object.entries({ list: WORK.list, create: WORK.create })) {
        measured.push(...(await measureTogether([{ ...entry(contender, work, 1e5, name), cores }], pace)))
      }
      const [lists, creates] = measured as [Figure, Figure]
      return {
        figures: measured,
        targets: [
          atLeastPerSecond('list ≥ 25 000 a second', lists, 25_000),
          atLeastPerSecond('create ≥ 15 000 a second', creates, 15_000),
        ],
        remark:
          'PostgreSQL with its durability as it is shipped, the service and the load share both cores; the processor time ' +
          "is the service's alone.",
      }
    } finally {
      await cluster.remove()
    }
  },
}

/** Copies a seeded store there, as an operator would. */
function filled(address: string, animals: number): Promise<string> {
  return withFolder(async (folder) => {
    const { database, key } = await copyOfSeeded(ROOT, animals, join(folder, 'store.db'))
    const { exitCode, stderr } = Bun.spawnSync([
      join(ROOT, 'bin/petstore'),
      'copy',
      ...['--from', database, '--to', address],
    ])
    if (exitCode !== 0) throw new Error(`petstore copy: ${stderr}`)
    return key
  })
}

function skipped(reason: string): Measured {
  return { figures: [], targets: [], skipped: reason }
}

function serveKnows(flag: string): boolean {
  return Bun.spawnSync([join(ROOT, 'bin/petstore'), 'serve', '--help'])
    .stdout.toString()
    .includes(flag)
}

function power(animals: number): string {
  return `10^${Math.round(Math.log10(animals))}`
}

export const OF_OURS: readonly Row[] = [notModified, mixed, growth, starting, memory, workers, postgres]
