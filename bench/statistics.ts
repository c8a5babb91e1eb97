// The figures of several rounds become one: the median, with the lowest and the highest.

export interface Summary {
  median: number
  min: number
  max: number
}

/** Throws a RangeError for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  if (upper === undefined) throw new RangeError('a median needs a value')
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

export function summary(values: readonly number[]): Summary {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** Round by round: what slows the machine for a while slows both sides of a ratio. Throws a RangeError for other lengths. */
export function ratio(ours: readonly number[], theirs: readonly number[]): Summary {
  if (ours.length !== theirs.length) throw new RangeError('a ratio needs both figures of each round')
  return summary(ours.map((value, round) => value / (theirs[round] as number)))
}
