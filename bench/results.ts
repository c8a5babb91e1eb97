// What running a row gives: the runs of each contender, and which targets they reach.

import type { Run } from './load.ts'
import { ratio, type Summary, summary } from './statistics.ts'

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

/** The values of one kind, round by round. Throws a RangeError when there is no such figure. */
export function each(figures: readonly Figure[], name: string, kind: keyof Run): number[] {
  const figure = figures.find((one) => one.name === name)
  if (!figure) throw new RangeError(`no figure of ${name}`)
  return figure.runs.map((run) => run[kind])
}

/** At least `factor` times as many answers a second as `theirs`. */
export function atLeast(figures: readonly Figure[], ours: string, factor: number, theirs: string): Target {
  const reached = ratio(each(figures, ours, 'perSecond'), each(figures, theirs, 'perSecond'))
  return { wanted: `${ours} ≥ ${factor} × ${theirs}`, ...reached, unit: '×', met: reached.median >= factor }
}

export function atLeastPerSecond(figures: readonly Figure[], name: string, rate: number): Target {
  const reached = summary(each(figures, name, 'perSecond'))
  return { wanted: `${name} ≥ ${rate}`, ...reached, unit: 'a second', met: reached.median >= rate }
}

export function atMost(wanted: string, reached: Summary, most: number, unit: string): Target {
  return { wanted, ...reached, unit, met: reached.median <= most }
}
