// What a run of the benchmark gives, as it stands in docs/performance/results.json: every single run, and the targets
// that were asked of them.

import type { Run } from './load.ts'
import { median, type Ratio, ratio } from './statistics.ts'

export interface Results {
  machine: string
  versions: Record<string, string>
  rows: RowResult[]
}

export interface RowResult extends Measured {
  row: string
  title: string
  /** When, of what and how thoroughly: rows may come from several runs. */
  date: string
  commit: string
  rounds: number
  seconds: number
}

/** What running a row gives. */
export interface Measured {
  figures: Figure[]
  targets: Target[]
  /** Why it was not measured. */
  skipped?: string
  /** What a reader needs to know to believe the figures. */
  remark?: string
}

export interface Figure {
  name: string
  runs: Run[]
  /** Measured otherwise than by answers a second: value by what it is, as `resident MB`. */
  values?: Record<string, number>
}

export interface Target {
  /** As in `≥ 0.85 × nginx`. */
  says: string
  reached: number
  min?: number
  max?: number
  met: boolean
  unit?: string
}

export function perSecond(figure: Figure): number {
  return median(figure.runs.map((run) => run.perSecond))
}

export function p50Ms(figure: Figure): number {
  return median(figure.runs.map((run) => run.p50Ms))
}

export function p99Ms(figure: Figure): number {
  return median(figure.runs.map((run) => run.p99Ms))
}

export function figureOf(figures: readonly Figure[], name: string): Figure {
  const figure = figures.find((each) => each.name === name)
  if (!figure) throw new RangeError(`no figure of ${name}`)
  return figure
}

/** `ours` against `theirs`, answers a second in each round: at least `wanted` times. */
export function atLeast(figures: readonly Figure[], ours: string, wanted: number, theirs: string): Target {
  const reached = rateRatio(figures, ours, theirs)
  return {
    says: `≥ ${wanted} × ${theirs}`,
    reached: reached.median,
    min: reached.min,
    max: reached.max,
    met: reached.median >= wanted,
  }
}

export function atLeastPerSecond(says: string, figure: Figure, wanted: number): Target {
  const reached = perSecond(figure)
  return { says, reached, met: reached >= wanted, unit: 'a second' }
}

export function rateRatio(figures: readonly Figure[], ours: string, theirs: string): Ratio {
  const rates = (name: string) => figureOf(figures, name).runs.map((run) => run.perSecond)
  return ratio(rates(ours), rates(theirs))
}

export function atMost(says: string, reached: number, wanted: number, unit: string): Target {
  return { says, reached, met: reached <= wanted, unit }
}
