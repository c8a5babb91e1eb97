// The rows of the service alone: reads beside writes, growth, workers, PostgreSQL.

import { join } from 'node:path'
import { Cluster } from '../test/support/postgres.ts'
import { type Contender, ours, ROOT } from './contenders.ts'
import { withFolder } from './folders.ts'
import { measure } from './load.ts'
import { CORES, stayOn } from './machine.ts'
import { WORK } from './requests.ts'
import { atLeast, atLeastPerSecond, atMost, each, type Figure, type Target } from './results.ts'
import { type Entry, measureTogether, type Ready, withServers } from './rounds.ts'
import { entry, type Row, US } from './rows.ts'
import { copyOfSeeded, type Seeded } from './seed.ts'
import { ratio } from './statistics.ts'

const MANY = 1e7
const BOTH_CORES = [CORES.server, CORES.load]

type Name = keyof typeof WORK

const mixed: Row = {
  name: 'mixed',
  title: 'Lists while creates run at full rate',
  async run({ rounds, seconds }) {
    const [alone, beside, creating] = ['lists alone', 'lists beside creates', 'creates beside lists'].map((name) => {
      return { name, runs: [] } as Figure
    }) as [Figure, Figure, Figure]
    await withServers(onOneServer(1e3, ['list', 'create']), async (ready) => {
      const [lists, creates] = ready as [Ready, Ready]
      for (let round = 0; round < rounds; round++) {
        alone.runs.push(await measure(lists, seconds))
        // The creates start before the lists and end after them.
        const atOnce = measure(creates, seconds + 2)
        await Bun.sleep(1000)
        beside.runs.push(await measure(lists, seconds))
        creating.runs.push(await atOnce)
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

/** Entries for the same server, which starts once: each kind of work has a load of its own. */
function onOneServer(pets: number, works: readonly Name[]): Entry[] {
  let served: ReturnType<Contender['start']> | undefined
  const once: Contender = {
    name: US.name,
    start(pets, folder) {
      served ??= US.start(pets, folder)
      return served
    },
  }
  return works.map((work) => entry(once, WORK[work], pets))
}

const growth: Row = {
  name: 'growth',
  title: 'Growth from 10^3 to 10^7 pets',
  async run(pace) {
    const figures: Figure[] = []
    const targets: Target[] = []
    for (const work of Object.keys(WORK) as Name[]) {
      // Random requests start at 10^5: the service would keep the answers of a smaller store in memory.
      const sizes = work === 'pages' || work === 'pet' ? [1e5, 1e6, MANY] : [1e3, 1e5, MANY]
      const entries = sizes.map((pets) => entry(US, WORK[work], pets, `${work} at ${power(pets)}`))
      figures.push(...(await measureTogether(entries, pace)))
      const [least, , most] = entries.map(({ name }) => name) as [string, string, string]
      targets.push({ ...atLeast(figures, most, 0.9, least), wanted: `${most} ≥ 0.9 × ${power(sizes[0] as number)}` })
    }
    return { figures, targets }
  },
}

function power(pets: number): string {
  return `10^${Math.round(Math.log10(pets))}`
}

const workers: Row = {
  name: 'workers',
  title: 'Two workers on two cores, one file, one port',
  async run(pace) {
    const figures: Figure[] = []
    const targets: Target[] = []
    for (const work of ['list', 'pages', 'create'] as const) {
      const [one, two] = [`${work}, one worker`, `${work}, two workers`] as const
      const entries = [entryOnBoth(one, work, { flags: [] }), entryOnBoth(two, work, { flags: ['--workers', '2'] })]
      figures.push(...(await measureTogether(entries, pace)))
      const reached = ratio(each(figures, one, 'cpuUs'), each(figures, two, 'cpuUs'))
      const wanted = `${work}: work in a second of processor time ≥ 0.85 × one worker's`
      targets.push({ wanted, ...reached, unit: '×', met: reached.median >= 0.85 })
    }
    return { figures, targets, remark: 'Server and load share both cores.' }
  },
}

function entryOnBoth(name: string, work: Name, options: { flags?: string[]; store?: Seeded }): Entry {
  return { ...entry(ours(ROOT, { ...options, cores: BOTH_CORES }), WORK[work], 1e5, name), cores: BOTH_CORES }
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
      const figures: Figure[] = []
      for (const work of ['list', 'create'] as const) {
        figures.push(...(await measureTogether([entryOnBoth(work, work, { store })], pace)))
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
function copiedTo(database: string, pets: number): Promise<Seeded> {
  return withFolder(async (folder) => {
    const store = copyOfSeeded(ROOT, pets, join(folder, 'store.db'))
    const command = [join(ROOT, 'bin/petstore'), 'copy', '--from', store.database, '--to', database]
    const { exitCode, stderr } = Bun.spawnSync(command)
    if (exitCode !== 0) throw new Error(`petstore copy: ${stderr}`)
    return { database, key: store.key }
  })
}

export const OF_OURS: readonly Row[] = [mixed, growth, workers, postgres]
