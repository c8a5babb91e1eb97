// Figures: what the rounds of a row measured, and which targets that reaches. Ratios are taken round by round: what slows the
// machine for a while slows both sides.

/**
 * One measurement; a row gives the values that it is about. `cpuUs` is the server's processor time for one answer, with what it did
 * after the load because of it; other work on the machine disturbs it least. `busy` is that during a second of load, in seconds: well under 1,
 * something else was the limit. `startMs` is the time from the start of the process to its first answer, and MB are 10^6 bytes.
 */
export type Run = Partial<Record<'perSecond' | 'p50Ms' | 'p99Ms' | 'busy' | 'cpuUs' | 'startMs' | 'residentMB', number>>

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

export interface Reached extends Summary {
  unit: string
  met: boolean
  /** The same ratio, of answers in a second of processor time. */
  byProcessorTime?: number
}

const TARGET = /^(?:(p99|start|work|memory) of )?(.+?)(?: ([≥≤]) ([0-9.]+) (?:× (.+)|([A-Za-z ]+)))?$/
const KINDS = { rate: 'perSecond', p99: 'p99Ms', start: 'startMs', work: 'cpuUs', memory: 'residentMB' } as const
type Kind = keyof typeof KINDS

/**
 * Compares figures with a target, which is a text: `petstore ≥ 0.95 × floor`, `p99 of petstore ≤ 10 ms`. Without a word before
 * it, a figure is its rate; `work` is answers in a second of processor time. `a ÷ b` may stand for a figure; alone it wants
 * nothing. The median counts, but of memory the highest. Throws a RangeError when a figure is missing.
 */
export function reach(target: string, figures: readonly Figure[]): Reached {
  const [, word = 'rate', of = '', sign, bound, base, unit = '×'] = TARGET.exec(target.replace(/[()]/g, '')) ?? []
  const values = (kind: Kind) =>
    [of, base ?? []]
      .flat()
      .map((names) => quotient(figures, names, kind))
      .reduce(ratios)
  const reached = summary(values(word as Kind))
  const value = word === 'memory' ? reached.max : reached.median
  const met = sign === '≥' ? value >= Number(bound) : sign !== '≤' || value <= Number(bound)
  return { ...reached, unit, met, ...(word === 'rate' && unit === '×' && { byProcessorTime: median(values('work')) }) }
}

function quotient(figures: readonly Figure[], names: string, kind: Kind): number[] {
  const power = kind === 'work' ? -1 : 1
  const values = (name: string) => each(figures, name, KINDS[kind]).map((value) => value ** power)
  return names.split(' ÷ ').map(values).reduce(ratios)
}

/** The values of one kind, round by round. Throws a RangeError when there are none. */
export function each(figures: readonly Figure[], name: string, kind: keyof Run): number[] {
  const runs = figures.filter((one) => one.name === name).flatMap((one) => one.runs)
  const values = runs.flatMap((run) => run[kind] ?? [])
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

export function summary(values: readonly number[]): Summary {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** Throws a RangeError for lists of different lengths. */
export function ratios(ours: readonly number[], theirs: readonly number[]): number[] {
  if (ours.length !== theirs.length) throw new RangeError('a ratio needs both figures of each round')
  return ours.map((value, round) => value / (theirs[round] as number))
}

/** Three significant digits, or all that a whole number has. */
export function number(value: number): string {
  if (value < 100) return value.toFixed(value >= 10 ? 1 : 2)
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ')
}
