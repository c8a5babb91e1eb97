// The measurements of a row. Ratios are computed round by round, because a slow machine slows down both sides.

/**
 * One measurement. `cpuUs` is the server's processor time for each response, including deferred work; other work on the machine affects it
 * least. `busy` is the processor time in seconds for each second of load: if it is well below 1, something else was the limit.
 */
export type Run = Record<'perSecond' | 'p50Ms' | 'p99Ms' | 'busy' | 'cpuUs', number>

export interface Figure {
  name: string
  /** One measurement for each round. */
  runs: Run[]
}

export interface Summary {
  median: number
  min: number
  max: number
}

/** Returns the values of one kind, round by round. Throws a RangeError if there are none. */
export function each(figures: readonly Figure[], name: string, kind: keyof Run): number[] {
  const values = figures.filter((one) => one.name === name).flatMap(({ runs }) => runs.map((run) => run[kind]))
  if (values.length === 0) throw new RangeError(`no ${kind} of ${name}`)
  return values
}

/** Throws a RangeError for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  if (upper === undefined) throw new RangeError('a median needs a value')
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2
}

/** Throws a RangeError for lists of different lengths. */
export function ratios(ours: readonly number[], theirs: readonly number[]): Summary {
  if (ours.length !== theirs.length) throw new RangeError('a ratio needs both figures of each round')
  const values = ours.map((value, round) => value / (theirs[round] as number))
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** Formats a number with three significant digits, or all digits of a larger whole number. */
export function number(value: number): string {
  if (value < 100) return value.toFixed(value >= 10 ? 1 : 2)
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ')
}
