// Recorded histories: clients of two servers on one store record every call with its beginning, end and answer, while servers and databases
// break. Then every answer has to fit its request and one order of all operations, in real time (history/checker.ts). With `--planted` the
// service is broken on purpose, one way at a time, and each has to be found.
//
//   npm run endurance:history -- --store sqlite --pieces 40 --operations 25000 --report
//   npm run endurance:history -- --planted all

import { pgbouncerVersion } from '../test/support/pgbouncer.ts'
import { faultsLine, type Outcome, print, runCommand } from './command.ts'
import { conditional } from './history/planted/lie.ts'
import { PLANTED, type Planted, plant } from './history/planted.ts'
import { recordPiece } from './history/record.ts'
import type { Kind } from './history/sites.ts'
import { inWords, shortly } from './history/words.ts'

const STORES: Record<Kind, { name: string; servers: string }> = {
  sqlite: { name: 'SQLite', servers: 'two servers on one file' },
  postgres: { name: 'PostgreSQL', servers: 'two servers on a primary with a synchronous standby' },
  pgbouncer: { name: 'PgBouncer', servers: 'two servers on one PostgreSQL, one of them behind a pooler' },
}

/** So many operations show most faults. Where they do not, a planted fault has this time in all. */
const FEW_OPERATIONS = 1_500
const FOUND_SECONDS_MAX = 20
/** What is told in words of one history. */
const TOLD_MAX = 3

type Keep = (outcome: Outcome) => void

interface Numbers {
  together: number
  pieces: number
  operations: number
  seed: number
}

/** Each store has a section of its own. */
async function recordAll(kinds: readonly Kind[], numbers: Numbers, keep: Keep): Promise<Outcome> {
  const outcomes = new Map<Kind, Outcome>()
  for (const kind of kinds) {
    for await (const outcome of recordPieces(kind, numbers)) {
      keep(outcome)
      outcomes.set(kind, outcome)
    }
  }
  const all = [...outcomes.values()]
  return { text: all.map(({ text }) => text).join('\n\n'), passed: all.every(({ passed }) => passed) }
}

/** After each piece, the outcome of those so far. */
async function* recordPieces(kind: Kind, { pieces, operations, seed }: Numbers): AsyncGenerator<Outcome> {
  const tally = { pieces: 0, operations: 0, unanswered: 0, commits: 0, recordedMs: 0, checkedMs: 0 }
  const broken: Record<string, number> = {}
  const faults: string[] = []
  while (tally.pieces < pieces) {
    const piece = await recordPiece(kind, { seed: seed + tally.pieces, operations })
    tally.pieces++
    tally.operations += piece.checked
    tally.unanswered += piece.operations.length - piece.checked
    tally.commits += piece.world.events.length
    tally.recordedMs += piece.recordedMs
    tally.checkedMs += piece.checkedMs
    for (const [name, count] of Object.entries(piece.broken)) broken[name] = (broken[name] ?? 0) + count
    for (const fault of piece.faults.slice(0, TOLD_MAX)) print(`${kind}, seed ${piece.seed}: ${inWords(fault)}`)
    faults.push(...piece.faults.map((fault) => `seed ${piece.seed}: ${shortly(fault)}`))
    print(
      `${kind}, seed ${piece.seed}: ${tally.operations} operations, ${tally.commits} commits, ${faults.length} faults`,
    )
    const text = describe(kind, seed, tally, broken, faults)
    yield { title: `Recorded histories: ${STORES[kind].name}`, text, passed: faults.length === 0 }
  }
}

type Tally = Record<'pieces' | 'operations' | 'unanswered' | 'commits' | 'recordedMs' | 'checkedMs', number>

function describe(
  kind: Kind,
  seed: number,
  { pieces, operations, unanswered, commits, recordedMs, checkedMs }: Tally,
  broken: Readonly<Record<string, number>>,
  faults: readonly string[],
): string {
  const rate = (ms: number) => Math.round((1000 * operations) / ms)
  const counts = Object.entries(broken).map(([name, count]) => `${name} ${count} times`)
  const { name, servers } = STORES[kind]
  return `${name}, ${servers}: ${pieces} histories, of the seeds ${seed} to ${seed + pieces - 1}, in ${minutes(recordedMs + checkedMs)} minutes.

- ${operations} operations that were answered, ${unanswered} that were not, and ${commits} commits, recorded ${rate(recordedMs)} and checked ${rate(checkedMs)} a second.
- What broke: ${counts.join(', ')}.
${faultsLine(faults)}`
}

function minutes(ms: number): string {
  return (ms / 60_000).toFixed(1)
}

interface Row {
  readonly planted: Planted
  readonly store: Kind
  readonly failed?: string
  /** Until the answer that could not be explained; `undefined`: nothing was found. */
  readonly found?: {
    readonly operations: number
    readonly seconds: number
    readonly reason: string
    readonly words: string
  }
}

/** Resolves with the first thing that is found. */
export async function findPlanted(planted: Planted, store: Kind, seed: number): Promise<Row> {
  const { lie, breaks = [], edits, isSynchronous = true } = planted
  const source = edits ? { source: plant(edits) } : {}
  let [operations, seconds] = [0, 0]
  for (const most of [FEW_OPERATIONS, 100 * FEW_OPERATIONS]) {
    const between = lie ? { between: conditional(lie()) } : {}
    const left = FOUND_SECONDS_MAX - seconds
    const piece = await recordPiece(store, {
      seed: seed++,
      operations: most,
      seconds: left,
      breaks,
      isSynchronous,
      ...source,
      ...between,
    })
    const [first] = piece.faults
    if (first) {
      operations += piece.operations.filter(({ endedAt }) => endedAt <= first.at).length
      seconds += (first.at - piece.startedAt) / 1000
      return { planted, store, found: { operations, seconds, reason: shortly(first), words: inWords(first) } }
    }
    operations += piece.checked
    seconds += piece.recordedMs / 1000
  }
  return { planted, store }
}

/** One row for each way to break the service. */
async function findAll(
  names: readonly string[],
  kinds: readonly Kind[],
  { seed, together }: Numbers,
  keep: Keep,
): Promise<Outcome> {
  const chosen = PLANTED.filter(({ name }) => names.includes('all') || names.includes(name))
  const queue = chosen.flatMap((planted) =>
    planted.stores.filter((store) => kinds.includes(store)).map((store) => ({ planted, store })),
  )
  const rows: Row[] = []
  const outcome = (): Outcome => {
    const missed = rows.filter(({ found }) => !found).length
    const text = `${rows.length} histories with a planted fault each; ${missed} were not found.

| class | planted | store | operations | seconds | the first of what was found |
|---|---|---|---|---|---|
${rows.map(rowOf).join('\n')}`
    return { title: 'Recorded histories: what was planted', text, passed: missed === 0 }
  }
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { planted, store } = next
      // What cannot be recorded at all is not found, and the others are still tried.
      const failed = (error: unknown): Row => ({ planted, store, failed: `${error}` })
      const row = await findPlanted(planted, store, seed).catch(failed)
      rows.push(row)
      print(rowOf(row))
      keep(outcome())
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  return outcome()
}

function rowOf({ planted: { group, name }, store, found, failed = 'nothing' }: Row): string {
  const { operations, seconds, reason } = found ?? {}
  return `| ${group} | ${name} | ${store} | ${operations ?? ''} | ${seconds?.toFixed(1) ?? ''} | ${(reason ?? failed).replaceAll('|', '')} |`
}

if (import.meta.main) {
  const status = await runCommand<keyof Numbers, 'store' | 'planted'>({
    name: 'history',
    title: 'Recorded histories',
    description:
      'Records every call of many clients while things break, and explains every answer by one order of all.',
    options: {
      pieces: ['how many histories of each store, each on a store of its own', 4],
      operations: ['how many operations a history has', 25_000],
      seed: ['the start of the generator of the first', 1],
      together: ['of how many planted faults the histories are recorded side by side', 2],
    },
    choices: {
      store: ['the kinds of stores', Object.keys(STORES)],
      planted: ['breaks the servers in these ways instead, one at a time', ['all', ...PLANTED.map(({ name }) => name)]],
    },
    async run({ store, planted, ...numbers }, keep) {
      const all = Object.keys(STORES).filter((name) => name !== 'pgbouncer' || pgbouncerVersion)
      const kinds = (store.length > 0 ? store : all) as Kind[]
      return planted.length > 0 ? findAll(planted, kinds, numbers, keep) : recordAll(kinds, numbers, keep)
    },
  })
  process.exit(status)
}
