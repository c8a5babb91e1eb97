// Records a history with each planted fault until the checker finds it, and reports how long that took.

import { median } from '../../bench/figures.ts'
import { behaviourOf } from '../../packages/practice/src/contract-faults/shared/faults.ts'
import { type Outcome, print } from '../command.ts'
import { between } from './planted/fault.ts'
import { PLANTED, type Planted, plant } from './planted.ts'
import { recordPiece } from './record.ts'
import { type Kind, NAMES } from './sites.ts'
import { inWords, shortly } from './words.ts'

/** Enough to find most faults. For the others, this is the time for each fault. */
const FEW_OPERATIONS = 1_500
const FOUND_SECONDS_MAX = 20

/** How far the history got until the fault was found. */
interface Found {
  readonly operations: number
  readonly seconds: number
  readonly reason: string
  readonly words: string
}

/** Resolves with the first fault, or `undefined` if none is found. */
export async function findPlanted(planted: Planted, store: Kind, seed: number): Promise<Found | undefined> {
  const { fault, breaks = [], edits, isSynchronous = true } = planted
  const source = edits ? { source: plant(edits) } : {}
  let [operations, seconds] = [0, 0]
  for (const most of [FEW_OPERATIONS, 100 * FEW_OPERATIONS]) {
    const left = FOUND_SECONDS_MAX - seconds
    if (left <= 0) return undefined
    const wrong = fault ? { between: between(behaviourOf(fault)) } : {}
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

/** `names` are names of faults or of their groups, or `all`. */
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
      // A fault that prevents recording counts as not found, and the other faults are still tried.
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
  const text = `${all.length} faults, one at a time, until the checker found each. Not found: ${missed.join(', ') || 'none'}.

| group | store | found | operations, median | seconds, median | longest |
|---|---|---|---|---|---|
${lines.sort().join('\n')}`
  return { text, passed: missed.length === 0 }
}
