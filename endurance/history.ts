// Recorded histories: clients of two servers on one store record every call with its beginning, end and answer,
// while servers and databases break. Then every answer has to fit its request and one order of all operations, in
// real time (history/checker.ts). With `--planted` the service is broken on purpose, one way at a time, and each
// has to be found.
//
//   npm run endurance -- history --store sqlite --pieces 40 --operations 25000
//   npm run endurance -- history --planted all

import { median } from '../bench/figures.ts'
import { pgbouncerVersion } from '../test/support/pgbouncer.ts'
import { experiment, faultsLine, type Outcome, print } from './command.ts'
import { silences } from './history/breaks.ts'
import { findAll } from './history/found.ts'
import { GROUPS, PLANTED } from './history/planted.ts'
import { recordPiece } from './history/record.ts'
import { FAULTS, type Kind, NAMES } from './history/sites.ts'
import { inWords, shortly } from './history/words.ts'

const SERVERS: Record<Kind, string> = {
  sqlite: 'two servers on one file',
  postgres: 'two servers on a primary with a synchronous standby',
  pgbouncer: 'two servers on one PostgreSQL, one of them behind a pooler',
}

/** What is told in words of one history. */
const TOLD_MAX = 3

type Asked = Record<'pieces' | 'operations' | 'seed', number> & {
  /** What breaks, by name; `undefined`: everything that can. */
  breaks: readonly string[] | undefined
}

async function record(kind: Kind, { pieces, operations, seed, breaks }: Asked): Promise<Outcome> {
  const sum = { operations: 0, unanswered: 0, commits: 0, recordedMs: 0, checkedMs: 0 }
  const silent: Record<string, number[]> = {}
  const faults: string[] = []
  for (let n = seed; n < seed + pieces; n++) {
    const piece = await recordPiece(kind, { seed: n, operations, breaks })
    sum.operations += piece.checked
    sum.unanswered += piece.operations.length - piece.checked
    sum.commits += piece.world.events.length
    sum.recordedMs += piece.recordedMs
    sum.checkedMs += piece.checkedMs
    for (const [name, times] of silences(piece.broken, piece.operations)) {
      silent[name] ??= []
      silent[name].push(...times)
    }
    for (const fault of piece.faults.slice(0, TOLD_MAX)) print(`${kind}, seed ${n}: ${inWords(fault)}`)
    faults.push(...piece.faults.map((fault) => `seed ${n}: ${shortly(fault)}`))
    print(`${kind}, seed ${n}: ${sum.operations} operations, ${sum.commits} commits, ${faults.length} faults`)
  }
  const rate = (ms: number) => Math.round((1000 * sum.operations) / ms)
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const counts = Object.entries(silent).map(
    ([name, times]) => `${name} ${times.length} times (${seconds(median(times))}, ${seconds(Math.max(...times))})`,
  )
  const text = `${NAMES[kind]}, ${SERVERS[kind]}: ${pieces} histories, of the seeds ${seed} to ${seed + pieces - 1}, in ${seconds(sum.recordedMs + sum.checkedMs)}.

- ${sum.operations} operations that were answered, ${sum.unanswered} that were not, and ${sum.commits} commits, recorded ${rate(sum.recordedMs)} and checked ${rate(sum.checkedMs)} a second.
- What broke, and for how long a server wrote nothing meanwhile (median and longest): ${counts.join(', ')}.
${faultsLine(faults)}`
  return { text, passed: faults.length === 0 }
}

export const main = experiment<keyof Omit<Asked, 'breaks'> | 'together', 'store' | 'breaks' | 'planted'>({
  name: 'history',
  title: 'Recorded histories',
  description: 'Records every call of many clients while things break, and explains every answer by one order of all.',
  options: {
    pieces: ['how many histories of each store, each on a store of its own', 4],
    operations: ['how many operations a history has', 25_000],
    seed: ['the start of the generator of the first', 1],
    together: ['of how many planted faults the histories are recorded side by side', 2],
  },
  choices: {
    store: ['the kinds of stores', Object.keys(NAMES)],
    breaks: ['what breaks', FAULTS],
    planted: [
      'breaks the servers in these ways instead, one at a time',
      ['all', ...GROUPS, ...PLANTED.map(({ name }) => name)],
    ],
  },
  async run({ store, breaks, planted, ...numbers }) {
    const all = Object.keys(NAMES).filter((name) => name !== 'pgbouncer' || pgbouncerVersion)
    const kinds = (store.length > 0 ? store : all) as Kind[]
    if (planted.length > 0) return findAll(planted, kinds, numbers)
    const outcomes: Outcome[] = []
    for (const kind of kinds)
      outcomes.push(await record(kind, { ...numbers, breaks: breaks.length > 0 ? breaks : undefined }))
    return { text: outcomes.map(({ text }) => text).join('\n\n'), passed: outcomes.every(({ passed }) => passed) }
  },
})
