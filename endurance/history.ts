// Recorded histories: clients of two servers on one store record every call with its beginning, end and answer, while servers and databases
// break. Then every answer has to fit into one order of all operations, in real time (history/checker.ts). With `--planted` the servers
// are broken on purpose, one way at a time, and each has to be found.
//
//   npm run endurance:history -- --pieces 40 --operations 25000 --report
//   npm run endurance:history -- --planted all

import { faultsLine, print, runCommand } from './command.ts'
import { writePage } from './history/page.ts'
import { PLANTED, type Planted, plant } from './history/planted.ts'
import { type Piece, recordPiece } from './history/record.ts'
import type { Kind } from './history/sites.ts'

const STORES: Record<Kind, string> = {
  sqlite: 'SQLite, two servers on one file',
  postgres: 'PostgreSQL, two servers on a primary with a synchronous standby',
}

/** Without a fault nothing may be found. */
const SOUND = (Object.keys(STORES) as Kind[]).map((store): Planted => ({ name: 'nothing', store, edits: [] }))
/** How many histories a planted fault may need. */
const TRIES = 4

type Tally = Record<'operations' | 'unanswered' | 'commits' | 'recordedMs' | 'checkedMs', number>

interface Numbers {
  pieces: number
  operations: number
  seed: number
}

async function recordAll(kinds: readonly Kind[], { pieces, operations, seed }: Numbers) {
  const parts: string[] = []
  let passed = true
  for (const kind of kinds) {
    const tally = { operations: 0, unanswered: 0, commits: 0, recordedMs: 0, checkedMs: 0 }
    const broken: Record<string, number> = {}
    const faults: string[] = []
    for (let n = 0; n < pieces; n++) {
      const piece = await recordPiece(kind, { seed: seed + n, operations, breaks: true })
      tally.operations += piece.checked
      tally.unanswered += piece.operations.length - piece.checked
      tally.commits += piece.versions.events.length
      tally.recordedMs += piece.recordedMs
      tally.checkedMs += piece.checkedMs
      for (const [name, count] of Object.entries(piece.broken)) broken[name] = (broken[name] ?? 0) + count
      if (piece.faults.length > 0) print(`${kind}: ${shown(kind, piece)}`)
      faults.push(...piece.faults.map(({ reason }) => `seed ${piece.seed}: ${reason}`))
      print(`${kind}: ${tally.operations} operations, ${tally.commits} commits, ${faults.length} faults`)
    }
    passed &&= faults.length === 0
    parts.push(describe(kind, tally, broken, faults))
  }
  return { text: parts.join('\n\n'), passed }
}

function describe(
  kind: Kind,
  { operations, unanswered, commits, recordedMs, checkedMs }: Tally,
  broken: Readonly<Record<string, number>>,
  faults: readonly string[],
): string {
  const rate = (ms: number) => Math.round((1000 * operations) / ms)
  const counts = Object.entries(broken).map(([name, count]) => `${name} ${count} times`)
  return `${STORES[kind]}. ${operations} operations that were answered, ${unanswered} that were not, and ${commits} commits, recorded ${rate(recordedMs)} and checked ${rate(checkedMs)} a second.

- What broke: ${counts.join(', ')}.
${faultsLine(faults)}`
}

function shown(kind: Kind, piece: Piece): string {
  return `seed ${piece.seed}: ${piece.faults.length} faults, such as: ${piece.faults[0]?.reason}; ${writePage(kind, piece)}`
}

/** One row for each way to break the servers. */
async function findPlanted(names: readonly string[], { operations, seed }: Numbers) {
  const rows: string[] = []
  let passed = true
  for (const fault of [...SOUND, ...PLANTED]) {
    const isPlanted = fault.edits.length > 0
    if (isPlanted && !names.includes('all') && !names.includes(fault.name)) continue
    const source = plant(fault)
    let piece: Piece
    let tries = 0
    do piece = await recordPiece(fault.store, { seed: seed + tries, operations, breaks: false, source })
    while (isPlanted && piece.faults.length === 0 && ++tries < TRIES)
    const [first] = piece.faults
    passed &&= isPlanted === (first !== undefined)
    rows.push(`| ${fault.name} | ${fault.store} | ${first?.reason ?? 'nothing'} | ${piece.faults.length} |`)
    print(rows.at(-1) as string)
  }
  const text = `| planted | store | the first of what was found | found |\n|---|---|---|---|\n${rows.join('\n')}`
  return { text, passed }
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
    async run({ store, planted, ...numbers }) {
      if (planted.length > 0) return findPlanted(planted, numbers)
      return recordAll((store.length > 0 ? store : Object.keys(STORES)) as Kind[], numbers)
    },
  })
  process.exit(status)
}
