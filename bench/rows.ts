// The rows in which contenders answer as fast as they can: the work, the contenders, and the wanted ratios. The rows of the
// service alone are in rows-of-ours.ts.

import { answerOf } from './answers.ts'
import { type Contender, fastify, floor, nginx, ours, ROOT } from './contenders.ts'
import { withFolder } from './folders.ts'
import { ORDER_WORK, WORK, type Work } from './requests.ts'
import { atLeast, atMost, each, type Figure, type Measured, type Target } from './results.ts'
import { type Entry, measureTogether, type Pace } from './rounds.ts'
import { summary } from './statistics.ts'

export interface Row {
  name: string
  title: string
  run(pace: Pace): Promise<Measured>
}

export const CONNECTIONS = 64
export const US = ours(ROOT)

const ONE_ANSWER = 'The floor and nginx send the bytes of one answer to all requests.'

export const COMPARISONS: readonly Row[] = [
  row('list', 'List of 20', 1e3, (figures) => [
    atLeast(figures, 'petstore', 0.85, 'nginx'),
    atLeast(figures, 'petstore', 5, 'Fastify'),
  ]),
  row('filtered', 'List of 20 with a status, 100 different pages in rotation', 1e6, (figures) => [
    atLeast(figures, 'petstore', 0.75, 'nginx'),
  ]),
  row('pages', 'Pages not asked for before: random cursors over 10^6 pets', 1e6, (figures) => [
    atLeast(figures, 'petstore', 0.35, 'nginx'),
    atLeast(figures, 'petstore', 2, 'Fastify'),
  ]),
  row('pet', 'One pet by id, random over 10^6', 1e6, (figures) => [atLeast(figures, 'petstore', 0.5, 'nginx')]),
  row('create', 'Create, synced to disk', 1e3, (figures) => [
    atLeast(figures, 'petstore', 20, 'Fastify'),
    atMost('p99 ≤ 10 ms', summary(each(figures, 'petstore', 'p99Ms')), 10, 'ms'),
  ]),
  {
    name: 'orders',
    title: 'Orders placed and completed, beside creates',
    async run(pace) {
      const { floor } = await sendingOurAnswer(ORDER_WORK.place, 1e6, 100_001)
      const figures = await measureTogether(
        [
          entry(US, ORDER_WORK.place, 1e6, 'place'),
          entry(US, ORDER_WORK.complete, 1e6, 'complete'),
          entry(US, WORK.create, 1e6, 'create'),
          entry(floor, ORDER_WORK.place, 1e6),
        ],
        pace,
      )
      const targets = ['place', 'complete'].map((name) => atLeast(figures, name, 0.8, 'create'))
      return {
        figures,
        targets,
        remark: 'Each order is for another of 10^6 pets. The floor parses the order and stores nothing.',
      }
    },
  },
]

export function entry(contender: Contender, work: Work, pets: number, name = contender.name): Entry {
  return { name, contender, pets, work, connections: CONNECTIONS }
}

function row(
  name: keyof typeof WORK,
  title: string,
  pets: number,
  targets: (figures: readonly Figure[]) => Target[],
): Row {
  const work = WORK[name]
  return {
    name,
    title,
    async run(pace) {
      const constant = await sendingOurAnswer(work, pets)
      // nginx parses no JSON: of a create it would do too little.
      const contenders = [US, constant.floor, ...(work === WORK.create ? [] : [constant.nginx]), fastify]
      const figures = await measureTogether(
        contenders.map((contender) => entry(contender, work, pets)),
        pace,
      )
      return { figures, targets: targets(figures), ...(name === 'list' ? {} : { remark: ONE_ANSWER }) }
    },
  }
}

/** Contenders that send what the service answers to the first request of this work, with this id where it is numbered. */
function sendingOurAnswer(work: Work, pets: number, id = 1): Promise<{ floor: Contender; nginx: Contender }> {
  return withFolder(async (folder) => {
    const served = await US.start(pets, folder, work.prepare)
    try {
      const [first] = await work.requests(served, pets)
      if (!first) throw new RangeError('the work has no request')
      const body = first.body?.replace('{nnnn}', String(id))
      const answer = await answerOf(served.running.port, { ...first, ...(body && { body }) }, served.key)
      return { floor: floor(answer, served.key), nginx: nginx(answer, served.key) }
    } finally {
      await served.running.stop()
    }
  })
}
