// Recorded histories: clients of two servers on one store record every call with its beginning, end and answer,
// while servers and databases break. Then every answer has to fit its request and one order of all operations, in
// real time (history/checker.ts). With `--planted` the service is broken on purpose, one way at a time, and each
// has to be found.
//
//   npm run endurance -- history --store sqlite --pieces 40 --operations 25000 --report
//   npm run endurance -- history --planted all

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

interface Numbers {
  together: number
  pieces: number
  operations: number
  seed: number
}

interface Asked extends Numbers {
  /** What breaks, by name; `undefined`: everything that can. */
  readonly breaks: readonly string[] | undefined
}

/** Each store has a section of its own. */
async function recordAll(kinds: readonly Kind[], asked: Asked, keep: (outcome: Outcome) => void): Promise<Outcome> {
  const outcomes = new Map<Kind, Outcome>()
  for (const kind of kinds) {
    for await (const outcome of recordPieces(kind, asked)) {
      keep(outcome)
      outcomes.set(kind, outcome)
    }
  }
  const all = [...outcomes.values()]
  return { text: all.map(({ text }) => text).join('\n\n'), passed: all.every(({ passed }) => passed) }
}

/** After each piece, the outcome of those so far. */
async function* recordPieces(kind: Kind, { pieces, operations, seed, breaks }: Asked): AsyncGenerator<Outcome> {
  const tally = { pieces: 0, operations: 0, unanswered: 0, commits: 0, recordedMs: 0, checkedMs: 0 }
  const silent = new Map<string, number[]>()
  const faults: string[] = []
  while (tally.pieces < pieces) {
    const piece = await recordPiece(kind, { seed: seed + tally.pieces, operations, breaks })
    tally.pieces++
    tally.operations += piece.checked
    tally.unanswered += piece.operations.length - piece.checked
    tally.commits += piece.world.events.length
    tally.recordedMs += piece.recordedMs
    tally.checkedMs += piece.checkedMs
    for (const [name, times] of silences(piece.broken, piece.operations))
      silent.set(name, [...(silent.get(name) ?? []), ...times])
    for (const fault of piece.faults.slice(0, TOLD_MAX)) print(`${kind}, seed ${piece.seed}: ${inWords(fault)}`)
    faults.push(...piece.faults.map((fault) => `seed ${piece.seed}: ${shortly(fault)}`))
    print(
      `${kind}, seed ${piece.seed}: ${tally.operations} operations, ${tally.commits} commits, ${faults.length} faults`,
    )
    const text = describe(kind, seed, tally, silent, faults)
    yield { title: `Recorded histories: ${NAMES[kind]}`, text, passed: faults.length === 0 }
  }
}

type Tally = Record<'pieces' | 'operations' | 'unanswered' | 'commits' | 'recordedMs' | 'checkedMs', number>

function describe(
  kind: Kind,
  seed: number,
  { pieces, operations, unanswered, commits, recordedMs, checkedMs }: Tally,
  silent: ReadonlyMap<string, readonly number[]>,
  faults: readonly string[],
): string {
  const rate = (ms: number) => Math.round((1000 * operations) / ms)
  const counts = Array.from(silent, ([name, times]) => {
    const sorted = times.toSorted((one, other) => one - other)
    return `${name} ${times.length} times (${seconds(sorted[times.length >> 1])}, ${seconds(sorted.at(-1))})`
  })
  const seeds = `${seed} to ${seed + pieces - 1}`
  const rates = `recorded ${rate(recordedMs)} and checked ${rate(checkedMs)} a second`
  return `${NAMES[kind]}, ${SERVERS[kind]}: ${pieces} histories, of the seeds ${seeds}, in ${minutes(recordedMs + checkedMs)} minutes.

- ${operations} operations that were answered, ${unanswered} that were not, and ${commits} commits, ${rates}.
- What broke, and for how long a server wrote nothing meanwhile (median and longest): ${counts.join(', ')}.
${faultsLine(faults)}`
}

function seconds(ms = 0): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function minutes(ms: number): string {
  return (ms / 60_000).toFixed(1)
}

export const main = experiment<keyof Numbers, 'store' | 'breaks' | 'planted'>({
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
  async run({ store, breaks, planted, ...numbers }, keep) {
    const all = Object.keys(NAMES).filter((name) => name !== 'pgbouncer' || pgbouncerVersion)
    const kinds = (store.length > 0 ? store : all) as Kind[]
    if (planted.length > 0) return findAll(planted, kinds, numbers, keep)
    return recordAll(kinds, { ...numbers, breaks: breaks.length > 0 ? breaks : undefined }, keep)
  },
})
