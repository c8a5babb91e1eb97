// What the benchmark measures and what it keeps: the runs of a row become medians with their range, which
// docs/performance/ holds as one JSON file for each machine.

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
  /** Measured in another way than by answers a second, by what it is: `resident MB`. */
  values?: Record<string, number>
}

export interface Target extends Summary {
  /** As in `≥ 0.85 × nginx`. */
  wanted: string
  met: boolean
  unit: string
}

/** One machine's file. */
export interface Results {
  machine: string
  description: string
  versions: Record<string, string>
  rows: RowResult[]
}

export interface RowResult {
  row: string
  /** When and what was measured, and how long: the rows of a file may come from several runs. */
  date: string
  commit: string
  rounds: number
  seconds: number
  remark?: string
  figures: FigureResult[]
  targets: Target[]
}

export interface FigureResult {
  name: string
  rate?: Rate
  values?: Record<string, number>
}

export interface Rate {
  perSecond: Summary
  p50Ms: number
  p99Ms: number
  busy: number
  cpuUs: number
  /** The rate of the row's first figure against this one. */
  ratio: Summary
}

/** The medians of these runs, with the ratio of `first` to each. */
export function resultsOf(figures: readonly Figure[]): FigureResult[] {
  const [first] = figures
  return figures.map(({ name, runs, values }) => ({
    name,
    ...(values ? { values } : {}),
    ...(first && runs.length > 0 ? { rate: rateOf(runs, first.runs) } : {}),
  }))
}

function rateOf(runs: readonly Run[], first: readonly Run[]): Rate {
  const rates = runs.map(({ perSecond }) => perSecond)
  return {
    perSecond: summary(rates),
    p50Ms: median(runs.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(runs.map(({ p99Ms }) => p99Ms)),
    busy: median(runs.map(({ busy }) => busy)),
    cpuUs: median(runs.map(({ cpuUs }) => cpuUs)),
    ratio: ratio(
      first.map(({ perSecond }) => perSecond),
      rates,
    ),
  }
}

/** Throws a RangeError when there is none. */
export function figureOf(figures: readonly Figure[], name: string): Figure {
  const figure = figures.find((each) => each.name === name)
  if (!figure) throw new RangeError(`no figure of ${name}`)
  return figure
}

/** The values of one kind, round by round. */
export function each(figures: readonly Figure[], name: string, kind: keyof Run): number[] {
  return figureOf(figures, name).runs.map((run) => run[kind])
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
