// What the benchmark measures and what it keeps: the runs of a row become medians with their range, which docs/performance/
// holds as one JSON file for each machine.

import type { Run } from './load.ts'
import { median, ratio, type Summary, summary } from './statistics.ts'

/** What running a row gives. */
export interface Measured {
  figures: Figure[]
  targets: Target[]
  /** What a reader must know about the row. */
  remark?: string
}

export interface Figure {
  name: string
  runs: Run[]
}

export interface Target extends Summary {
  /** As in `≥ 0.85 × nginx`. */
  wanted: string
  unit: string
  met: boolean
}

/** One machine's file. */
export interface Results {
  machine: string
  description: string
  versions: Record<string, string>
  rows: RowResult[]
}

/** The rows of a file may come from several runs. */
export interface RowResult extends Omit<Measured, 'figures'> {
  row: string
  date: string
  commit: string
  rounds: number
  seconds: number
  figures: FigureResult[]
}

/** The medians of the runs. */
export interface FigureResult extends Omit<Run, 'perSecond'> {
  name: string
  perSecond: Summary
  /** The rate of the row's first figure against this one. */
  ratio: Summary
}

export function resultsOf(figures: readonly Figure[]): FigureResult[] {
  return figures.map(({ name }) => {
    const values = (kind: keyof Run) => each(figures, name, kind)
    return {
      name,
      perSecond: summary(values('perSecond')),
      p50Ms: median(values('p50Ms')),
      p99Ms: median(values('p99Ms')),
      busy: median(values('busy')),
      cpuUs: median(values('cpuUs')),
      ratio: ratio(each(figures, (figures[0] as Figure).name, 'perSecond'), values('perSecond')),
    }
  })
}

/** The values of one kind, round by round. Throws a RangeError when there is no such figure. */
export function each(figures: readonly Figure[], name: string, kind: keyof Run): number[] {
  const figure = figures.find((one) => one.name === name)
  if (!figure) throw new RangeError(`no figure of ${name}`)
  return figure.runs.map((run) => run[kind])
}

/** At least `factor` times as many answers a second as `theirs`. */
export function atLeast(figures: readonly Figure[], ours: string, factor: number, theirs: string): Target {
  const reached = ratio(each(figures, ours, 'perSecond'), each(figures, theirs, 'perSecond'))
  return { wanted: `≥ ${factor} × ${theirs}`, ...reached, unit: '×', met: reached.median >= factor }
}

export function atLeastPerSecond(figures: readonly Figure[], name: string, rate: number): Target {
  const reached = summary(each(figures, name, 'perSecond'))
  return { wanted: `${name} ≥ ${rate}`, ...reached, unit: 'a second', met: reached.median >= rate }
}

export function atMost(wanted: string, reached: Summary, most: number, unit: string): Target {
  return { wanted, ...reached, unit, met: reached.median <= most }
}
