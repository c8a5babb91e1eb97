// Recorded histories: clients of two servers on one store record every call with its beginning, end and answer, while servers and databases
// break. Then every answer has to fit into one order of all operations, in real time (history/checker.ts). With `--planted` the servers
// are broken on purpose, one way at a time, and each has to be found.
//
//   npm run endurance:history -- --store sqlite --pieces 40 --operations 25000 --report
//   npm run endurance:history -- --planted all

import { faultsLine, type Outcome, print, runCommand } from './command.ts'
import { writePage } from './history/page.ts'
import { PLANTED, type Planted, plant } from './history/planted.ts'
import { type Piece, recordPiece } from './history/record.ts'
import type { Kind } from './history/sites.ts'

const STORES: Record<Kind, { name: string; servers: string }> = {
  sqlite: { name: 'SQLite', servers: 'two servers on one file' },
  postgres: { name: 'PostgreSQL', servers: 'two servers on a primary with a synchronous standby' },
}

/** Without a fault nothing may be found. */
const SOUND = (Object.keys(STORES) as Kind[]).map((store): Planted => ({ name: 'nothing', store, edits: [] }))
/** How many histories a planted fault may need. */
const TRIES = 4

interface Numbers {
  pieces: number
  operations: number
  seed: number
}

/** Each store has a section of its own. */
async function recordAll(kinds: readonly Kind[], numbers: Numbers, keep: (outcome: Outcome) => void): Promise<Outcome> {
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
    tally.commits += piece.versions.events.length
    tally.recordedMs += piece.recordedMs
    tally.checkedMs += piece.checkedMs
    for (const [name, count] of Object.entries(piece.broken)) broken[name] = (broken[name] ?? 0) + count
    if (piece.faults.length > 0) print(`${kind}: ${shown(kind, piece)}`)
    faults.push(...piece.faults.map(({ reason }) => `seed ${piece.seed}: ${reason}`))
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

function shown(kind: Kind, piece: Piece): string {
  return `seed ${piece.seed}: ${piece.faults.length} faults, such as: ${piece.faults[0]?.reason}; ${writePage(kind, piece)}`
}

/** One row for each way to break the servers. */
async function findPlanted(names: readonly string[], { operations, seed }: Numbers, keep: (outcome: Outcome) => void) {
  const rows: string[] = []
  let passed = true
  let outcome: Outcome = { text: '', passed }
  for (const fault of [...SOUND, ...PLANTED]) {
    const isPlanted = fault.edits.length > 0
    if (isPlanted && !names.includes('all') && !names.includes(fault.name)) continue
    const source = plant(fault)
    let piece: Piece
    let tries = 0
    do piece = await recordPiece(fault.store, { seed: seed + tries, operations, breaks: fault.breaks ?? [], source })
    while (isPlanted && piece.faults.length === 0 && ++tries < TRIES)
    const [first] = piece.faults
    passed &&= isPlanted === (first !== undefined)
    rows.push(`| ${fault.name} | ${fault.store} | ${first?.reason ?? 'nothing'} | ${piece.faults.length} |`)
    print(rows.at(-1) as string)
    const text = `| planted | store | the first of what was found | found |\n|---|---|---|---|\n${rows.join('\n')}`
    outcome = { title: 'Recorded histories: what was planted', text, passed }
    keep(outcome)
  }
  return outcome
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
    },
    choices: {
      store: ['the kinds of stores', Object.keys(STORES)],
      planted: ['breaks the servers in these ways instead, one at a time', ['all', ...PLANTED.map(({ name }) => name)]],
    },
    async run({ store, planted, ...numbers }, keep) {
      if (planted.length > 0) return findPlanted(planted, numbers, keep)
      return recordAll((store.length > 0 ? store : Object.keys(STORES)) as Kind[], numbers, keep)
    },
  })
  process.exit(status)
}
