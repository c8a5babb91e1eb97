// Figures of several rounds → one: medians, and how far the rounds lie apart.

/** Throws on an empty list: a figure without a run is none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  if (upper === undefined) throw new RangeError('no values')
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

export interface Ratio {
  median: number
  min: number
  max: number
}

/** Round by round, so that what slows the whole machine for a while slows both sides of a ratio. */
export function ratio(ours: readonly number[], theirs: readonly number[]): Ratio {
  if (ours.length !== theirs.length) throw new RangeError('a ratio needs both figures of each round')
  const each = ours.map((value, round) => value / (theirs[round] as number))
  return { median: median(each), min: Math.min(...each), max: Math.max(...each) }
}

/** A generator of 32-bit numbers that gives the same ones at every run (mulberry32), so that runs can be compared. */
export function repeatable(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}
