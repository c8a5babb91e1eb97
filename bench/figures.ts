// Figures: what the rounds of a row measured. Ratios are taken round by round: what slows the machine for a while slows both sides.

/**
 * One measurement. `cpuUs` is the server's processor time for one answer, with what it did after the load because of it; other work on
 * the machine disturbs it least. `busy` is that during a second of load, in seconds: well under 1, something else was the limit.
 */
export type Run = Record<'perSecond' | 'p50Ms' | 'p99Ms' | 'busy' | 'cpuUs', number>

export interface Figure {
  name: string
  /** One for each round. */
  runs: Run[]
}

export interface Summary {
  median: number
  min: number
  max: number
}

/** The values of one kind, round by round. Throws a RangeError when there are none. */
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

/** Three significant digits, or all that a whole number has. */
export function number(value: number): string {
  if (value < 100) return value.toFixed(value >= 10 ? 1 : 2)
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ')
}
