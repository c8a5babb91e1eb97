// The rows of the table in which contenders answer as fast as they can: what is asked, of whom, and which ratio is
// wanted. Rows of another kind are in rows-of-ours.ts.

import { type Contender, express, fastify, jsonServer, nginx, ours, prism, ROOT } from './contenders.ts'
import { type Answer, answerOf } from './nginx.ts'
import { type Asked, type Asking, creates, list, randomAnimals, randomPages, statusPages } from './requests.ts'
import { atLeast, atMost, type Figure, figureOf, type Measured, p99Ms, type Target } from './results.ts'
import { type Entry, measureTogether, type Pace, say, withFolder } from './rounds.ts'

export interface Row {
  name: string
  title: string
  run(pace: Pace): Promise<Measured>
}

/** One kind of work, the same for every contender. */
export interface Work {
  asked: (asking: Asking, animals: number) => Asked[]
  status: number
}

export const WORK = {
  list: { asked: list, status: 200 },
  status: { asked: statusPages, status: 200 },
  pages: { asked: randomPages, status: 200 },
  animal: { asked: randomAnimals, status: 200 },
  create: { asked: creates, status: 201 },
} satisfies Record<string, Work>

export const CONNECTIONS = 64
export const US = ours(ROOT)

const KEPT_IN_NGINX_MAX = 100

export function entry(contender: Contender, work: Work, animals: number, name = contender.name): Entry {
  return {
    name,
    contender,
    animals,
    asked: (served) => {
      return served.list && work === WORK.list ? [{ method: 'GET', target: served.list }] : work.asked(served, animals)
    },
    status: work.status,
    connections: CONNECTIONS,
  }
}

export const THROUGHPUT: readonly Row[] = [
  row('list', 'List of 20, 64 connections', {
    work: WORK.list,
    animals: 1_000,
    peers: [fastify, express, prism, jsonServer],
    targets: (figures) => [atLeast(figures, 'petstore', 0.85, 'nginx'), atLeast(figures, 'petstore', 5, 'Fastify')],
    remark:
      'json-server checks no key; Prism makes its answer up. nginx answers from its configuration, so this is also what ' +
      'a static file server does at best.',
  }),
  row('status', 'List of 20 with status, 100 different pages in rotation', {
    work: WORK.status,
    animals: 1_000_000,
    peers: [fastify],
    targets: (figures) => [atLeast(figures, 'petstore', 0.75, 'nginx')],
  }),
  row('pages', 'Uncached pages: random cursors over 10^6 animals', {
    work: WORK.pages,
    animals: 1_000_000,
    peers: [fastify],
    targets: (figures) => [atLeast(figures, 'petstore', 0.35, 'nginx'), atLeast(figures, 'petstore', 2, 'Fastify')],
    remark: 'nginx answers each with the bytes of one page: it keeps no million of them.',
  }),
  row('animal', 'One animal by id, random over 10^6', {
    work: WORK.animal,
    animals: 1_000_000,
    peers: [fastify, express],
    targets: (figures) => [atLeast(figures, 'petstore', 0.5, 'nginx')],
    remark: 'nginx answers each with the bytes of one animal.',
  }),
  row('create', 'Create, synced to disk, 64 connections', {
    work: WORK.create,
    animals: 1_000,
    peers: [fastify, express],
    limit: false,
    targets: (figures) => [
      atLeast(figures, 'petstore', 20, 'Fastify'),
      atMost('p99 ≤ 10 ms', p99Ms(figureOf(figures, 'petstore')), 10, 'ms'),
    ],
  }),
]

interface Throughput {
  work: Work
  animals: number
  peers: readonly Contender[]
  /** Whether nginx is asked, too. */
  limit?: boolean
  targets: (figures: readonly Figure[]) => Target[]
  remark?: string
}

function row(name: string, title: string, { work, animals, peers, limit = true, targets, remark }: Throughput): Row {
  return {
    name,
    title,
    async run(pace) {
      const nginxes = limit ? [await nginxAnswering(work, animals)] : []
      const contenders = [US, ...nginxes, ...peers]
      const figures = await measureTogether(
        contenders.map((contender) => entry(contender, work, animals)),
        pace,
      )
      return { figures, targets: targets(figures), ...(remark ? { remark } : {}) }
    },
  }
}

/** Few different targets: the bytes of each. Many: the bytes of the first for all. */
async function nginxAnswering(work: Work, animals: number): Promise<Contender> {
  say('  asking for what nginx is to answer')
  return withFolder(async (folder) => {
    const served = await US.start(animals, folder)
    try {
      const asked = work.asked(served, animals)
      const answers: Answer[] = []
      for (const { target } of asked.length > KEPT_IN_NGINX_MAX ? asked.slice(0, 1) : asked) {
        answers.push(await answerOf(served.running.port, target, { Authorization: `Bearer ${served.key}` }))
      }
      return nginx(answers, served.key)
    } finally {
      await served.running.stop()
    }
  })
}
