// Records a history with each planted fault until the checker finds it, and reports how long that took.

import { median } from '../../bench/figures.ts'
import { type Outcome, print } from '../command.ts'
import { PLANTED, type Planted, plant } from './planted.ts'
import { recordPiece } from './record.ts'
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
export async function findPlanted(planted: Planted, seed: number): Promise<Found | undefined> {
  const { breaks = [], edits, isSynchronous = true } = planted
  const source = edits ? { source: plant(edits) } : {}
  let [operations, seconds] = [0, 0]
  for (const most of [FEW_OPERATIONS, 100 * FEW_OPERATIONS]) {
    const left = FOUND_SECONDS_MAX - seconds
    if (left <= 0) return undefined
    const plan = { seed: seed++, operations: most, seconds: left, breaks, isSynchronous, ...source }
    const piece = await recordPiece('postgres', plan)
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

/** `names` are names of faults, or `all`. */
export async function findAll(
  names: readonly string[],
  { seed, together }: { seed: number; together: number },
): Promise<Outcome> {
  const chosen = PLANTED.filter(({ name }) => names.includes('all') || names.includes(name))
  const found: Found[] = []
  const missed: string[] = []
  const queue = chosen.values()
  const work = async () => {
    for (const planted of queue) {
      const { name } = planted
      // A fault that prevents recording counts as not found, and the other faults are still tried.
      const one = await findPlanted(planted, seed).catch((error: unknown) => void print(`${error}`))
      if (one) found.push(one)
      else missed.push(name)
      print(`${name}: ${one ? `${one.operations}, ${one.seconds.toFixed(1)} s; ${one.reason}` : 'not found'}`)
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  const seconds = found.map((one) => one.seconds)
  const [middle, longest] = [median(seconds), Math.max(...seconds)].map((time) => time.toFixed(1))
  const text = `${chosen.length} faults, one at a time, until the checker found each: after ${middle} s (median), at the latest after ${longest} s. Not found: ${missed.join(', ') || 'none'}.`
  return { text, passed: missed.length === 0 }
}
