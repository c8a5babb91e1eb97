// The rows of the benchmark: what is measured together, and the targets, in the words that figures.ts reads. They are ratios
// to the floor wherever the runtime sets the limit.

import {
  ALL,
  AWAITED,
  type Contender,
  EXECUTABLE,
  FASTIFY,
  FLOOR,
  ON_POSTGRES,
  ONE_AND_TWO,
  STORES,
  US,
} from './contenders.ts'
import { measureDelivery } from './delivery.ts'
import { type Figure, type Reached, reach } from './figures.ts'
import { CONNECTIONS } from './load.ts'
import { CORES } from './machine.ts'
import { WAITING, WORK, type WorkName } from './requests.ts'
import { type Entry, type Measured, measureStarts, measureTogether, type Pace } from './rounds.ts'

export interface Row {
  name: string
  title: string
  /** What a reader must know about the row. */
  remark?: string
  /** The most for a run: longer ones would order each of 900 000 pets, or take too long in all. */
  secondsMax?: number
  /** Entries of the same contender share one server. */
  oneServer?: true
  /** How long the servers take to start is measured, instead of the work. */
  starts?: true
  /** How long after a commit a waiting reader has its event is measured, instead of the work. */
  delivery?: true
  /** What is measured in the same rounds, one group after another. */
  groups: readonly (readonly Entry[])[]
  targets: readonly string[]
  /** The figures that docs/performance.md shows, with what it calls them. */
  headlines?: Readonly<Record<string, string>>
}

export interface Result extends Pick<Row, 'title' | 'headlines'> {
  remark: string
  figures: readonly Figure[]
  targets: readonly (Reached & { target: string })[]
}

const BOTH_CORES = [CORES.server, CORES.load]
const ORDERS = ['place', 'complete', 'create'] as const
const MEMORY = ['pages', 'pet', 'list', 'create'] as const
const WORKERS = ['list', 'pages', 'create'] as const
/** The milliseconds of the slowest in a hundred, with 10^6 and with 10^7 pets. */
export const SEARCHES = { few: [5, 10], tenth: [50, 50], none: [50, 50] } as const
const POSTGRES = { list: 45_000, create: 22_000, place: 15_000 }
/** From how many pets on each work is measured: random requests to a smaller store would be answered from memory. */
const GROWTH = {
  ...{ list: 1e3, filtered: 1e3, 'not-modified': 1e3, pages: 1e5, 'status-pages': 1e5, pet: 1e5 },
  ...{ create: 1e3, place: 1e6, complete: 1e6, events: 1e5 },
} satisfies Partial<Record<WorkName, number>>

export const ROWS: readonly Row[] = [
  {
    ...versus('list', 'List of 20', 1e3, ALL, 'petstore ≥ 0.95 × floor'),
    headlines: { petstore: 'a list of 20 that everybody asks for' },
  },
  {
    ...versus('filtered', 'List of 20 with a status, 100 pages in rotation', 1e6, ALL, 'petstore ≥ 0.95 × floor'),
    headlines: { petstore: '… with a status, 100 pages in rotation' },
  },
  {
    name: 'not-modified',
    title: 'List of 20 that has not changed: 304',
    remark: 'The floor sends the whole list; beside it stands one that sends the 304.',
    groups: [[entry('not-modified', 1e3), entry('list', 1e3, FLOOR), entry('not-modified', 1e3, FLOOR, '304 floor')]],
    targets: ['petstore ≥ 1 × floor'],
    headlines: { petstore: '… that has not changed: 304' },
  },
  {
    ...versus(
      'pages',
      'Pages not asked for yet, 10^6 pets',
      1e6,
      ALL,
      'petstore ≥ 0.55 × floor',
      'petstore ≥ 3 × Fastify',
    ),
    headlines: { petstore: 'a page of 20 that nobody has asked for, of 10^6 pets' },
  },
  {
    name: 'status-pages',
    title: 'Pages not asked for yet, with a status',
    groups: [[entry('status-pages', 1e6, US, 'with a status'), entry('pages', 1e6, US, 'without')]],
    targets: ['with a status ≥ 0.9 × without'],
    headlines: { 'with a status': '… with a status' },
  },
  {
    ...versus('pet', 'One pet by id, random over 10^6', 1e6, ALL, 'petstore ≥ 0.75 × floor'),
    headlines: { petstore: 'one pet by id, of 10^6' },
  },
  {
    ...versus(
      'create',
      'Create, synced',
      1e3,
      [US, FLOOR, FASTIFY],
      'petstore ≥ 0.6 × floor',
      'p99 of petstore ≤ 10 ms',
    ),
    headlines: { petstore: 'a pet added, on disk before its 201' },
  },
  {
    name: 'orders',
    title: 'Orders placed and completed, beside creates',
    remark: 'Each order is for another of 10^6 pets. The floor parses the order and stores nothing.',
    secondsMax: 2,
    groups: [[...ORDERS.map((work) => entry(work, 1e6, US, work)), entry('place', 1e6, FLOOR)]],
    targets: ['place', 'complete'].flatMap((work) => [`${work} ≥ 0.5 × floor`, `${work} ≥ 0.8 × create`]),
    headlines: { place: 'an order placed', complete: 'an order completed' },
  },
  {
    name: 'beside',
    title: 'Lists while creates run at full rate, and while orders are placed',
    remark: `${CONNECTIONS} connections list and as many others create or place, all from one core. Processor time is that of both.`,
    oneServer: true,
    groups: [
      [
        entry('list', 1e6, US, 'lists alone'),
        { ...entry('list', 1e6, US, 'lists beside creates'), beside: entry('create', 1e6, US, 'creates') },
        { ...entry('list', 1e6, US, 'lists beside placing'), beside: entry('place', 1e6, US, 'placing') },
      ],
    ],
    targets: ['creates', 'placing'].map((work) => `p99 of lists beside ${work} ≤ 2 × lists alone`),
    headlines: {
      'lists beside creates': `lists, while ${CONNECTIONS} other clients add pets`,
      creates: `pets added, while ${CONNECTIONS} other clients list`,
    },
  },
  versus('events', 'Pages of 100 events not asked for yet, 10^6 events', 1e6, [US, FLOOR], 'petstore ÷ floor'),
  {
    name: 'readers',
    title: 'Creates beside 1 000 readers who wait for events',
    remark: 'Each reader has every next event that it can: all are woken once a second.',
    secondsMax: 3,
    oneServer: true,
    groups: [
      [
        entry('create', 1e6, AWAITED, 'creates alone'),
        {
          ...entry('create', 1e6, AWAITED, 'creates beside readers'),
          beside: { ...entry('events', 1e6, AWAITED, 'readers'), work: WAITING, connections: 1000 },
        },
      ],
    ],
    targets: ['creates beside readers ≥ 0.7 × creates alone'],
  },
  {
    name: 'delivery',
    title: 'From the answer to a create until a waiting reader has its event',
    delivery: true,
    groups: [
      [
        entry('create', 1e5, US, 'same server'),
        { ...entry('create', 1e5, US, 'another process'), elsewhere: true },
        entry('create', 1e5, ON_POSTGRES, 'PostgreSQL'),
        { ...entry('create', 1e5, ON_POSTGRES, 'PostgreSQL, another server'), elsewhere: true },
      ],
    ],
    targets: ['same server', 'another process', 'PostgreSQL', 'PostgreSQL, another server'].map(
      (name) => `p99 of ${name} ≤ 100 ms`,
    ),
  },
  {
    name: 'search',
    title: 'Search: of few, of a twelfth with a status and the newest first, of many words that no pet has together',
    remark: 'One connection. Fastify asks SQLite for `name LIKE`, with each word between `%`.',
    secondsMax: 3,
    groups: keys(SEARCHES).flatMap((work) => [
      [alone(work, 1e6), alone(work, 1e6, FASTIFY, `${work}, Fastify`)],
      [alone(work, 1e7)],
    ]),
    targets: keys(SEARCHES).flatMap((work) => [
      ...SEARCHES[work].map((ms, place) => `p99 of ${at(work, [1e6, 1e7][place] as number)} ≤ ${ms} ms`),
      `${at(work, 1e6)} ÷ ${work}, Fastify`,
    ]),
  },
  {
    name: 'beside-search',
    title: 'Lists and creates while searches run',
    remark: `One connection searches for few, and again at once; ${CONNECTIONS} others list or create. Processor time is that of both.`,
    oneServer: true,
    groups: [
      (['list', 'create'] as const).flatMap((work) => [
        entry(work, 1e6, US, `${work} alone`),
        { ...entry(work, 1e6, US, `${work} beside`), beside: alone('few', 1e6, US, `searches beside ${work}`) },
      ]),
    ],
    targets: ['list', 'create'].flatMap((work) => [
      `${work} beside ÷ ${work} alone`,
      `p99 of ${work} beside ≤ 2 × ${work} alone`,
    ]),
  },
  {
    name: 'growth',
    title: 'Growth to 10^7 pets',
    secondsMax: 3,
    groups: keys(GROWTH).map((work) => [GROWTH[work], 1e7].map((pets) => entry(work, pets, US, at(work, pets)))),
    targets: keys(GROWTH).map((work) => `${at(work, 1e7)} ≥ 0.95 × ${at(work, GROWTH[work])}`),
  },
  {
    name: 'workers',
    title: 'Two workers on two cores, one file, one port',
    remark: 'Servers and load share both cores. The floor, too, is one process or two on one port.',
    secondsMax: 3,
    groups: WORKERS.map((work) => onBothCores(work, 1e5, ONE_AND_TWO)),
    targets: WORKERS.map((work) => {
      return `work of (${work}, two workers ÷ ${work}, petstore) ≥ 0.95 × (${work}, two floors ÷ ${work}, floor)`
    }),
    headlines: {
      'list, two workers': 'two workers on both cores, beside the load: lists',
      'pages, two workers': '… pages',
      'create, two workers': '… creates',
    },
  },
  {
    name: 'start',
    title: 'Start with 10^7 pets, until the first answer',
    starts: true,
    groups: [[entry('list', 1e7, US, 'clone'), entry('list', 1e7, EXECUTABLE)]],
    targets: ['start of clone ≤ 100 ms', 'start of one file ≤ 60 ms'],
  },
  {
    name: 'memory',
    title: 'Memory under load, one server with 10^7 pets',
    remark: 'Here the target is for the highest of all.',
    oneServer: true,
    groups: [MEMORY.map((work) => entry(work, 1e7, US, work))],
    targets: MEMORY.map((work) => `memory of ${work} ≤ 90 MB`),
  },
  {
    name: 'postgres',
    title: 'PostgreSQL on the same two cores',
    remark:
      'The database with its default durability, the service and the load share both cores. "CPU" is the service alone.',
    secondsMax: 3,
    oneServer: true,
    groups: [keys(POSTGRES).flatMap((work) => onBothCores(work, 1e6, STORES))],
    targets: keys(POSTGRES).flatMap((work) => {
      return [`${work}, PostgreSQL ≥ ${POSTGRES[work]} a second`, `${work}, PostgreSQL ÷ ${work}, SQLite`]
    }),
    headlines: {
      'list, PostgreSQL': 'PostgreSQL on the same two cores: lists',
      'create, PostgreSQL': '… creates',
      'place, PostgreSQL': '… orders placed',
    },
  },
]

/** Throws an Error for a wrong answer. */
export async function measureRow(row: Row, { rounds, seconds }: Pace): Promise<Result> {
  const pace = { rounds, seconds: Math.min(seconds, row.secondsMax ?? seconds) }
  const figures: Figure[] = []
  const remarks = [row.remark]
  for (const group of row.groups) {
    const measured = await measureGroup(row, group, pace)
    figures.push(...measured.figures)
    remarks.push(measured.remark)
  }
  const targets = row.targets.map((target) => ({ target, ...reach(target, figures) }))
  const { title, headlines } = row
  return { title, ...(headlines && { headlines }), remark: remarks.filter(Boolean).join(' '), figures, targets }
}

function measureGroup({ starts, delivery, oneServer }: Row, group: readonly Entry[], pace: Pace): Promise<Measured> {
  if (starts) return measureStarts(group, pace)
  return delivery ? measureDelivery(group, pace) : measureTogether(group, pace, oneServer)
}

export function entry(work: WorkName, pets: number, contender: Contender = US, name = contender.name): Entry {
  return { name, contender, work: WORK[work], pets }
}

function alone(work: WorkName, pets: number, contender = US, name = at(work, pets)): Entry {
  return { ...entry(work, pets, contender, name), connections: 1 }
}

function versus(work: WorkName, title: string, pets: number, contenders: Contender[], ...targets: string[]): Row {
  const remark = work === 'list' ? '' : 'A server without a store sends the bytes of one answer to all requests.'
  return { name: work, title, remark, groups: [contenders.map((contender) => entry(work, pets, contender))], targets }
}

function onBothCores(work: WorkName, pets: number, contenders: readonly Contender[]): Entry[] {
  return contenders.map((one) => ({ ...entry(work, pets, one, `${work}, ${one.name}`), cores: BOTH_CORES }))
}

function at(work: WorkName, pets: number): string {
  return `${work} at 10^${Math.log10(pets)}`
}

function keys<Name extends WorkName>(record: Record<Name, unknown>): Name[] {
  return Object.keys(record) as Name[]
}
