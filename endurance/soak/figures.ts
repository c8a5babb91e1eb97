// What the soak samples of a server and its store, and how much a line of such figures rises.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import type { Cluster } from '../../test/support/postgres.ts'
import { ask } from '../../test/support/process.ts'
import type { Served } from './chores.ts'

/** The file with its log, or the database. */
export async function sizeOf(database: string, cluster: Cluster | undefined): Promise<number> {
  if (!cluster) {
    const files = [database, `${database}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
    return files.reduce((sum, size) => sum + size, 0)
  }
  const name = new URL(database).pathname.slice(1)
  const [row] = await cluster.asAdmin((sql) => sql<{ size: string }[]>`SELECT pg_database_size(${name}) AS size`)
  return Number(row?.size)
}

export async function countPets({ url, key }: Served): Promise<number> {
  const { text } = await ask('GET', `${url}/store/inventory`, key)
  return Object.values(JSON.parse(text) as Record<string, number>).reduce((sum, count) => sum + count, 0)
}

export function figuresOf(pid: number): { memoryMb: number; descriptors: number } {
  const kib = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  return { memoryMb: kib / 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length }
}

/** The rise of the straight line through the values (least squares), from the first to the last, as a share of their mean. */
export function rise(values: number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const middle = (values.length - 1) / 2
  const covariance = values.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0)
  const variance = values.reduce((sum, _, n) => sum + (n - middle) ** 2, 0)
  return variance === 0 ? 0 : ((covariance / variance) * (values.length - 1)) / mean
}
