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
): Promise<Outcome> {
  const chosen = PLANTED.filter(({ group, name }) => names.some((one) => ['all', group, name].includes(one)))
  const all = kinds.flatMap((store) =>
    chosen.filter(({ stores }) => stores.includes(store)).map((planted) => ({ planted, store })),
  )
  const found = new Map<string, Found[]>()
  const missed: string[] = []
  const queue = all.values()
  const work = async () => {
    for (const { planted, store } of queue) {
      const { group, name } = planted
      // What cannot be recorded at all is not found, and the others are still tried.
      const one = await findPlanted(planted, store, seed).catch((error: unknown) => void print(`${error}`))
      const row = `${group} | ${NAMES[store]}`
      if (one) found.set(row, [...(found.get(row) ?? []), one])
      else missed.push(`${name} (${NAMES[store]})`)
      print(`${row}: ${name}: ${one ? `${one.operations}, ${one.seconds.toFixed(1)} s; ${one.reason}` : 'not found'}`)
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  const lines = [...found].map(([row, of]) => {
    const seconds = of.map((one) => one.seconds)
    const times = [median(seconds), Math.max(...seconds)].map((time) => time.toFixed(1))
    return `| ${[row, of.length, median(of.map((one) => one.operations)).toFixed(0), ...times].join(' | ')} |`
  })
  const text = `${all.length} faults, one at a time, until an answer could not be explained. Not found: ${missed.join(', ') || 'none'}.

| class | store | found | operations, median | seconds, median | longest |
|---|---|---|---|---|---|
${lines.sort().join('\n')}`
  return { text, passed: missed.length === 0 }
}
