// Records a history for each planted fault until something cannot be explained, and sums up how long that took.

import { median } from '../../bench/figures.ts'
import { type Outcome, print } from '../command.ts'
import { between } from './planted/fault.ts'
import { PLANTED, type Planted, plant } from './planted.ts'
import { recordPiece } from './record.ts'
import { type Kind, NAMES } from './sites.ts'
import { inWords, shortly } from './words.ts'

/** So many operations show most faults. Where they do not, a planted fault has this time in all. */
const FEW_OPERATIONS = 1_500
const FOUND_SECONDS_MAX = 20

/** Until the answer that could not be explained; `undefined`: nothing was found. */
interface Found {
  readonly operations: number
  readonly seconds: number
  readonly reason: string
  readonly words: string
}

interface Row {
  readonly planted: Planted
  readonly store: Kind
  readonly found?: Found | undefined
  readonly failed?: string
}

/** Resolves with the first thing that is found. */
export async function findPlanted(planted: Planted, store: Kind, seed: number): Promise<Found | undefined> {
  const { fault, breaks = [], edits, isSynchronous = true } = planted
  const source = edits ? { source: plant(edits) } : {}
  let [operations, seconds] = [0, 0]
  for (const most of [FEW_OPERATIONS, 100 * FEW_OPERATIONS]) {
    const left = FOUND_SECONDS_MAX - seconds
    if (left <= 0) return undefined
    const wrong = fault ? { between: between(fault()) } : {}
    const plan = { seed: seed++, operations: most, seconds: left, breaks, isSynchronous, ...source, ...wrong }
    const piece = await recordPiece(store, plan)
    const [first] = piece.faults
    if (first) {
      operations += piece.operations.filter(({ endedAt }) => endedAt <= first.at).length
      seconds += (first.at - piece.startedAt) / 1000
      return { operations, seconds, reason: shortly(first), words: inWords(first) }
    }
    operations += piece.checked
    seconds += piece.recordedMs / 1000
  }
  return undefined
}

/** `names`: of faults, of their classes, or `all`. */
export async function findAll(
  names: readonly string[],
  kinds: readonly Kind[],
  { seed, together }: { seed: number; together: number },
  keep: (outcome: Outcome) => void,
): Promise<Outcome> {
  const chosen = PLANTED.filter(({ group, name }) => names.some((one) => ['all', group, name].includes(one)))
  const queue = kinds.flatMap((store) =>
    chosen.filter(({ stores }) => stores.includes(store)).map((planted) => ({ planted, store })),
  )
  const rows: Row[] = []
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { planted, store } = next
      // What cannot be recorded at all is not found, and the others are still tried.
      const result = await findPlanted(planted, store, seed).then(
        (found) => ({ found }),
        (error: unknown) => ({ failed: `${error}` }),
      )
      const row: Row = { planted, store, ...result }
      rows.push(row)
      print(`${store}, ${planted.group}: ${planted.name}: ${cellOf(row)}; ${row.found?.reason ?? row.failed ?? ''}`)
      keep(tableOf(chosen, kinds, rows))
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  return tableOf(chosen, kinds, rows)
}

/** A line for each class. */
function tableOf(chosen: readonly Planted[], kinds: readonly Kind[], rows: readonly Row[]): Outcome {
  const lineOf = (group: string) => {
    const cells = kinds.map((kind) =>
      sumOf(rows.flatMap(({ planted, store, found }) => (planted.group === group && store === kind && found) || [])),
    )
    return `| ${[group, ...cells].join(' | ')} |`
  }
  const missed = rows.filter(({ found }) => !found).map(({ planted, store }) => `${planted.name} (${NAMES[store]})`)
  const text = `${chosen.length} faults, one at a time: how many of each class were found, after how many operations and seconds at the median, and
after how many seconds at the longest. Not found: ${missed.join(', ') || 'none'}.

| class | ${kinds.map((kind) => NAMES[kind]).join(' | ')} |
|---|${kinds.map(() => '---|').join('')}
${[...new Set(chosen.map(({ group }) => group))].map(lineOf).join('\n')}`
  return { title: 'Recorded histories: what was planted', text, passed: missed.length === 0 }
}

function sumOf(found: readonly Found[]): string {
  if (found.length === 0) return ''
  const [operations, seconds] = [found.map((one) => one.operations), found.map((one) => one.seconds)]
  const longest = Math.max(...seconds).toFixed(1)
  return `${found.length}: ${median(operations).toFixed(0)}, ${median(seconds).toFixed(1)} s; ${longest} s`
}

function cellOf(row: Row): string {
  return row.found ? `${row.found.operations}, ${row.found.seconds.toFixed(1)} s` : 'not found'
}
