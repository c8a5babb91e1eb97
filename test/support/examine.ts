// Examines a server with the catalogue of promises, in this process.

import { Examination, type Result } from '../../packages/verify/src/examination.ts'
import type { Target } from '../../packages/verify/src/probe.ts'
import { PROMISES } from '../../packages/verify/src/promises/all.ts'
import type { Level, PromiseRow } from '../../packages/verify/src/promises/shared/promise.ts'
import type { Service } from './service.ts'

export interface Examined {
  keys: Target['keys']
  write?: boolean
  /** By default, all promises. */
  chosen?: readonly PromiseRow[]
}

export async function examine(url: string, { chosen = PROMISES, ...examined }: Examined): Promise<Result[]> {
  const examination = new Examination(targetOf(url, examined), PROMISES)
  await examination.begin()
  return examination.examine(chosen)
}

/** The time limits are long enough for a busy machine. */
export function targetOf(url: string, { keys, write = false }: Examined): Target {
  return { baseUrl: new URL(url), keys, write, timeoutMs: 10_000, totalMs: 300_000 }
}

export function promisesOf(level: Level): readonly PromiseRow[] {
  return PROMISES.filter((row) => row.level === level)
}

/** The broken promises with expected and actual values, for the output of a failed test. */
export function brokenOf(results: readonly Result[]): string[] {
  return results.flatMap((result) =>
    result.outcome === 'broken' ? [`${result.id}: expected ${result.expected}; actual ${result.actual}`] : [],
  )
}

/** One key of each kind. */
export async function keysOf(service: Service): Promise<Target['keys']> {
  return { full: service.key, 'read-only': await service.addKey({ readOnly: true }), other: await service.addKey() }
}
