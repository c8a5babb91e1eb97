// What a promise is: a row of the catalogue, with the check that shows over HTTP whether a server keeps it; and an operation with a body,
// for the rows that all of them have.

import type { OperationId } from '../../../../contract/src/contract.ts'
import type { Answer } from '../../answer.ts'
import type { Probe, RequestOptions } from '../../probe.ts'

/**
 * `interface`: what the interface document says, and nothing else. `pets`: what this project adds to its three operations. `store`: the
 * store area.
 */
export const LEVELS = ['interface', 'pets', 'store'] as const
export type Level = (typeof LEVELS)[number]

/** `write`: the check may add pets. The others: a second key. */
export type Need = 'write' | 'read-only key' | 'other key'

export interface PromiseRow {
  /** Programs rely on it: it never changes. */
  id: string
  level: Level
  /** One sentence. */
  promise: string
  /** Places that a reader has: a row of docs/interface.md, a pointer into openapi.yaml, or a section of an RFC. */
  sources: readonly string[]
  needs?: readonly Need[]
  /** The ids of promises without which this one cannot be judged: of one cause, few are reported. */
  after?: readonly string[]
  /** Runs after all others, which would disturb it: what writes with nothing beside it, then together what reads. */
  alone?: 'writes' | 'reads'
  /** Throws Broken or Unjudged. */
  check(probe: Probe): Promise<unknown>
}

export interface BodyFamily {
  level: Level
  /** The beginning of the ids: `pets.create`. */
  id: string
  operation: OperationId
  /** The code of JSON that is not what is wanted. */
  invalid: string
  /** A field of free text. */
  text: string
  /** A body that is taken once; with these fields beside those that it needs. */
  body(probe: Probe, fields?: Record<string, unknown>): Promise<string>
  send(probe: Probe, body: string | Uint8Array | undefined, options?: RequestOptions): Promise<Answer>
  /** Bodies that differ from the given one in what they say. */
  others(body: string): readonly string[]
}
