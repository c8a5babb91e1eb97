// Records histories: clients of two servers on one PostgreSQL record every call with its start, end and response, while servers and databases
// fail. The checker then looks for one order of all operations that explains every response and respects real time (history/checker.ts).
//
//   npm run endurance -- history --store postgres --pieces 40 --operations 25000

import { median } from '../bench/figures.ts'
import { pgbouncerVersion } from '../test/support/pgbouncer.ts'
import { experiment, faultsLine, type Outcome, print } from './command.ts'
import { silences } from './history/breaks.ts'
import { recordPiece } from './history/record.ts'
import { FAULTS, type Kind, NAMES } from './history/sites.ts'
import { inWords, shortly } from './history/words.ts'

const SERVERS: Record<Kind, string> = {
  postgres: 'two servers on a primary with a synchronous standby',
  pgbouncer: 'two servers on one PostgreSQL, one of them behind a pooler',
}

/** How many faults of one history are printed in full. */
const EXPLAINED_MAX = 3

type Asked = Record<'pieces' | 'operations' | 'seed', number> & {
  /** Names of failures; `undefined` means all. */
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
    for (const fault of piece.faults.slice(0, EXPLAINED_MAX)) print(`${kind}, seed ${n}: ${inWords(fault)}`)
    faults.push(...piece.faults.map((fault) => `seed ${n}: ${shortly(fault)}`))
    print(`${kind}, seed ${n}: ${sum.operations} operations, ${sum.commits} commits, ${faults.length} faults`)
  }
  const rate = (ms: number) => Math.round((1000 * sum.operations) / ms)
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const counts = Object.entries(silent).map(
    ([name, times]) => `${name} ${times.length} times (${seconds(median(times))}, ${seconds(Math.max(...times))})`,
  )
  const text = `${NAMES[kind]}, ${SERVERS[kind]}: ${pieces} histories, seeds ${seed} to ${seed + pieces - 1}, in ${seconds(sum.recordedMs + sum.checkedMs)}.

- ${sum.operations} operations with a response, ${sum.unanswered} without, and ${sum.commits} commits. Recorded ${rate(sum.recordedMs)} operations a second, checked ${rate(sum.checkedMs)} a second.
- Failures, and how long a server could not write (median and longest): ${counts.join(', ')}.
${faultsLine(faults)}`
  return { text, passed: faults.length === 0 }
}

export const main = experiment<keyof Omit<Asked, 'breaks'>, 'store' | 'breaks'>({
  name: 'history',
  title: 'Recorded histories',
  description:
    'Records the calls of many clients during failures, and checks that one order of all calls explains every response.',
  options: {
    pieces: ['histories for each kind of store; each gets a new store', 4],
    operations: ['operations in each history', 25_000],
    seed: ['the seed of the first history', 1],
  },
  choices: {
    store: ['the kinds of stores', Object.keys(NAMES)],
    breaks: ['the failures', FAULTS],
  },
  async run({ store, breaks, ...numbers }) {
    const all = Object.keys(NAMES).filter((name) => name !== 'pgbouncer' || pgbouncerVersion)
    const kinds = (store.length > 0 ? store : all) as Kind[]
    const outcomes: Outcome[] = []
    for (const kind of kinds)
      outcomes.push(await record(kind, { ...numbers, breaks: breaks.length > 0 ? breaks : undefined }))
    return { text: outcomes.map(({ text }) => text).join('\n\n'), passed: outcomes.every(({ passed }) => passed) }
  },
})
