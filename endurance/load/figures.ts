// What Linux says of a process, and how much a line of such figures rises.

import { readdirSync, readFileSync } from 'node:fs'

/** Of a process: its memory, and how many descriptors it has open. */
export function figuresOf(pid: number): { memoryMb: number; descriptors: number } {
  const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return { memoryMb: kib / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length }
}

/** The rise of the straight line through the values (least squares), from the first to the last, as a share of their mean. */
export function rise(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const middle = (values.length - 1) / 2
  const covariance = values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0)
  const variance = values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0)
  return variance === 0 ? 0 : ((covariance / variance) * (values.length - 1)) / mean
}
