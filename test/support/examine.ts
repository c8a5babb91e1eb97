// What the catalogue says of a server, without a process: the ids of the promises that it finds broken.

import { Examination, type Result } from '../../packages/verify/src/examination.ts'
import type { Target } from '../../packages/verify/src/probe.ts'
import { PROMISES } from '../../packages/verify/src/promises/all.ts'
import type { Level, PromiseRow } from '../../packages/verify/src/promises/shared/promise.ts'
import type { Service } from './service.ts'

export interface Examined {
  keys: Target['keys']
  write?: boolean
  /** All, unless they are named. */
  chosen?: readonly PromiseRow[]
}

export async function examine(url: string, { chosen = PROMISES, ...examined }: Examined): Promise<Result[]> {
  const examination = new Examination(targetOf(url, examined), PROMISES)
  await examination.begin()
  return examination.examine(chosen)
}

/** With more time than a busy machine takes. */
export function targetOf(url: string, { keys, write = false }: Examined): Target {
  return { baseUrl: new URL(url), keys, write, timeoutMs: 10_000, totalMs: 300_000 }
}

export function promisesOf(level: Level): readonly PromiseRow[] {
  return PROMISES.filter((row) => row.level === level)
}

/** Each with what was expected and what came, to be shown by a test that fails. */
export function brokenOf(results: readonly Result[]): string[] {
  return results.flatMap((result) =>
    result.outcome === 'broken' ? [`${result.id}: expected ${result.expected}; actual ${result.actual}`] : [],
  )
}

/** One of each kind. */
export async function keysOf(service: Service): Promise<Target['keys']> {
  return { full: service.key, 'read-only': await service.addKey({ readOnly: true }), other: await service.addKey() }
}
