// The rows of the service alone: conditional requests, reads beside writes, growth, start, memory, workers, PostgreSQL.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Cluster } from '../test/support/postgres.ts'
import { ours, ROOT } from './contenders.ts'
import { measure } from './load.ts'
import { CORES, stayOn } from './machine.ts'
import { WORK, type Work } from './requests.ts'
import { atLeast, atLeastPerSecond, atMost, each, type Figure, type Target } from './results.ts'
import { measureTogether, type Ready, say, warmUp, withFolder } from './rounds.ts'
import { CONNECTIONS, entry, type Row, US } from './rows.ts'
import { copyOfSeeded, seeded } from './seed.ts'
import { memoryOf } from './servers.ts'
import { median, ratio, summary } from './statistics.ts'

const MANY = 1e7
const MEGABYTE = 1e6
const BOTH_CORES = [CORES.server, CORES.load]

const notModified: Row = {
  name: 'not-modified',
  title: '304 answers to the list of 20',
  async run(pace) {
    const entries = [entry(US, WORK.list, 1e3, 'list of 20'), entry(US, WORK['not-modified'], 1e3, '304')]
    const figures = await measureTogether(entries, pace)
    return { figures, targets: [atLeast(figures, '304', 1, 'list of 20')] }
  },
}

const mixed: Row = {
  name: 'mixed',
  title: 'Lists while creates run at full rate',
  async run({ rounds, seconds }) {
    const alone: Figure = { name: 'lists alone', runs: [] }
    const beside: Figure = { name: 'lists beside creates', runs: [] }
    const creating: Figure = { name: 'creates beside lists', runs: [] }
    await withOneServer(1e3, [WORK.list, WORK.create], CONNECTIONS, async (ready) => {
      const [lists, creates] = ready as [Ready, Ready]
      for (let round = 0; round < rounds; round++) {
        alone.runs.push(await measure(lists.load, seconds, lists.bytesPerAnswer))
        // The creates start before the lists and end after them.
        const atOnce = measure(creates.load, seconds + 2, creates.bytesPerAnswer)
        await Bun.sleep(1000)
        beside.runs.push(await measure(lists.load, seconds, lists.bytesPerAnswer))
        creating.runs.push(await atOnce)
        say(`  p99 ${alone.runs.at(-1)?.p99Ms} ms, beside creates ${beside.runs.at(-1)?.p99Ms} ms`)
      }
    })
    const figures = [alone, beside, creating]
    const times = ratio(each(figures, beside.name, 'p99Ms'), each(figures, alone.name, 'p99Ms'))
    return {
      figures,
      targets: [atMost('list p99 ≤ 3 × its idle p99', times, 3, '×')],
      remark: '64 connections list and 64 others create, both from the one core of the load.',
    }
  },
}

/** One server under a load for each kind of work. */
async function withOneServer(
  pets: number,
  works: readonly Work[],
  connections: number,
  use: (ready: readonly Ready[]) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const served = await US.start(pets, folder)
    try {
      const entries = works.map((work) => ({ ...entry(US, work, pets), connections }))
      const servers = works.map(() => served)
      await use(await warmUp(entries, servers, folder))
    } finally {
      await served.running.stop()
    }
  })
}

/** Random requests start at 10^5: in a smaller store, the service would keep all of them in memory. */
const GROWTH: Partial<Record<keyof typeof WORK, readonly number[]>> = {
  list: [1e3, 1e5, MANY],
  filtered: [1e3, 1e5, MANY],
  pages: [1e5, 1e6, MANY],
  pet: [1e5, 1e6, MANY],
  create: [1e3, 1e5, MANY],
  'not-modified': [1e3, 1e5, MANY],
}

const growth: Row = {
  name: 'growth',
  title: 'Growth from 10^3 to 10^7 pets',
  async run(pace) {
    const figures: Figure[] = []
    const targets: Target[] = []
    for (const [work, sizes] of Object.entries(GROWTH) as [keyof typeof WORK, readonly number[]][]) {
      const nameAt = (pets = 0) => `${work} at ${power(pets)}`
      const entries = sizes.map((pets) => entry(US, WORK[work], pets, nameAt(pets)))
      figures.push(...(await measureTogether(entries, pace)))
      targets.push({
        ...atLeast(figures, nameAt(sizes.at(-1)), 0.9, nameAt(sizes[0])),
        wanted: `${nameAt(sizes.at(-1))} ≥ 0.9 × ${power(sizes[0] as number)}`,
      })
    }
    const megabytes = Math.round(statSync(seeded(ROOT, MANY).database).size / MEGABYTE)
    return { figures, targets, remark: `The file of 10^7 pets has ${megabytes} MB.` }
  },
}

const starting: Row = {
  name: 'start',
  title: 'Start with 10^7 pets',
  async run({ rounds }) {
    const figures: Figure[] = []
    const targets: Target[] = []
    for (const pets of [1e3, MANY]) {
      const times = summary(await startMs(pets, rounds * 2))
      figures.push({ name: `at ${power(pets)}`, runs: [], values: { 'ready ms': times.median } })
      if (pets === MANY) targets.push(atMost('ready in ≤ 150 ms', times, 150, 'ms'))
      say(`  ready with ${power(pets)}: ${times.median.toFixed(0)} ms`)
    }
    const remark = "From the start of `petstore serve` to its first page of pets; the file is in the system's cache."
    return { figures, targets, remark }
  },
}

/** How long each of several starts on the same file takes, in milliseconds. */
function startMs(pets: number, times: number): Promise<number[]> {
  return withFolder(async (folder) => {
    const contender = ours(ROOT, { store: copyOfSeeded(ROOT, pets, join(folder, 'started.db')) })
    const all: number[] = []
    while (all.length < times) {
      const { running } = await contender.start(pets, folder)
      await running.stop()
      all.push(running.readyMs)
    }
    return all
  })
}

const memory: Row = {
  name: 'memory',
  title: 'Memory at 10^7 pets under load',
  async run({ rounds, seconds }) {
    const samples: { resident: number; anonymous: number }[] = []
    const works = [WORK.list, WORK.pages, WORK.pet, WORK.create]
    await withOneServer(MANY, works, CONNECTIONS / works.length, async (ready) => {
      let running = true
      const loads = ready.map(({ load, bytesPerAnswer }) =>
        measure(load, Math.max(10, rounds * seconds), bytesPerAnswer),
      )
      const ended = Promise.all(loads).finally(() => {
        running = false
      })
      while (running) {
        samples.push(memoryOf(ready[0]?.load.server.pid as number))
        await Bun.sleep(200)
      }
      await ended
    })
    const resident = samples.map((sample) => sample.resident / MEGABYTE)
    const third = Math.floor(resident.length / 3)
    const most = Math.max(...resident)
    const rise = median(resident.slice(-third)) / median(resident.slice(0, third))
    const values = {
      'resident MB, most': most,
      'anonymous MB, most': Math.max(...samples.map(({ anonymous }) => anonymous / MEGABYTE)),
      'last third ÷ first third': rise,
    }
    return {
      figures: [{ name: 'petstore', runs: [], values }],
      targets: [
        atMost('≤ 80 MB', summary([most]), 80, 'MB'),
        atMost('last third ≤ 1.05 × first third', summary([rise]), 1.05, '×'),
      ],
      remark:
        'Lists, random pages, random pets and creates at once, 16 connections each. Resident memory includes what is ' +
        'mapped from files, such as the runtime itself.',
    }
  },
}

const workers: Row = {
  name: 'workers',
  title: 'Two workers on two cores, one file, one port',
  async run(pace) {
    const contenders = {
      'one worker': ours(ROOT, { cores: BOTH_CORES }),
      'two workers': ours(ROOT, { cores: BOTH_CORES, flags: ['--workers', '2'] }),
    }
    const figures: Figure[] = []
    const targets: Target[] = []
    for (const work of ['list', 'pages', 'create'] as const) {
      const entries = Object.entries(contenders).map(([name, contender]) => {
        return { ...entry(contender, WORK[work], 1e5, `${work}, ${name}`), cores: BOTH_CORES }
      })
      figures.push(...(await measureTogether(entries, pace)))
      const [one, two] = entries.map(({ name }) => each(figures, name, 'cpuUs')) as [number[], number[]]
      const reached = ratio(one, two)
      const wanted = `${work}: work in a second of processor time ≥ 0.85 × one worker's`
      targets.push({ wanted, ...reached, unit: '×', met: reached.median >= 0.85 })
    }
    return { figures, targets, remark: 'Server and load share both cores.' }
  },
}

const postgres: Row = {
  name: 'postgres',
  title: 'PostgreSQL on the same two cores',
  async run(pace) {
    stayOn(...BOTH_CORES)
    const cluster = await Cluster.start({ shared_buffers: '256MB' })
    stayOn(CORES.load)
    try {
      const store = await copiedTo(await cluster.newDatabase(), 1e5)
      const contender = ours(ROOT, { cores: BOTH_CORES, store })
      const figures: Figure[] = []
      for (const work of ['list', 'create'] as const) {
        figures.push(
          ...(await measureTogether([{ ...entry(contender, WORK[work], 1e5, work), cores: BOTH_CORES }], pace)),
        )
      }
      return {
        figures,
        targets: [atLeastPerSecond(figures, 'list', 25_000), atLeastPerSecond(figures, 'create', 15_000)],
        remark:
          'PostgreSQL with its default durability, the service and the load share both cores. The processor time is that of ' +
          'the service.',
      }
    } finally {
      await cluster.remove()
    }
  },
}

/** Copies a seeded store into the database at this address. */
function copiedTo(database: string, pets: number): Promise<{ database: string; key: string }> {
  return withFolder(async (folder) => {
    const store = copyOfSeeded(ROOT, pets, join(folder, 'store.db'))
    const command = [join(ROOT, 'bin/petstore'), 'copy', '--from', store.database, '--to', database]
    const { exitCode, stderr } = Bun.spawnSync(command)
    if (exitCode !== 0) throw new Error(`petstore copy: ${stderr}`)
    return { database, key: store.key }
  })
}

function power(pets: number): string {
  return `10^${Math.round(Math.log10(pets))}`
}

export const OF_OURS: readonly Row[] = [notModified, mixed, growth, starting, memory, workers, postgres]
