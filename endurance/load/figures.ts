// Reads the memory and descriptors of a process from Linux, and computes the growth of such figures.

import { readdirSync, readFileSync } from 'node:fs'

/** The first samples are ignored, because caches fill and code is compiled. */
const WARM_UP_SHARE = 0.25

/** Returns a process's memory and its number of open descriptors. */
export function figuresOf(pid: number): { memoryMb: number; descriptors: number } {
  const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return { memoryMb: kib / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length }
}

/** Returns the rows of a table, and the figures that grow by more than `most`, as a share of their mean, after the warm-up. */
export function growthOf<Name extends string>(samples: readonly Record<Name, number>[], most: Record<Name, number>) {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  const names = Object.keys(most) as Name[]
  const valuesOf = (name: Name) => samples.map((sample) => sample[name])
  const riseOf = (name: Name) => rise(valuesOf(name).slice(Math.floor(samples.length * WARM_UP_SHARE)))
  const rows = names.map((name) => {
    const range = [Math.min(...valuesOf(name)), Math.max(...valuesOf(name))].map((value) => value.toFixed(1))
    return `| ${[name, ...range, percent(riseOf(name)), percent(most[name])].join(' | ')} |`
  })
  return { rows, grown: names.filter((name) => riseOf(name) > most[name]).map((name) => `${name} grows`) }
}

/** The growth between the first and the last value on the least-squares line, as a share of the mean. */
export function rise(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const middle = (values.length - 1) / 2
  const covariance = values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0)
  const variance = values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0)
  return variance === 0 ? 0 : ((covariance / variance) * (values.length - 1)) / mean
}
