// A promise: a row of the catalogue with a check over HTTP. Also an operation with a body, as input for the shared
// rows.

import type { Answer } from '../../answer.ts'
import type { Probe, RequestOptions } from '../../probe.ts'

/**
 * `interface`: the interface document alone. `pets`: what this project adds to its three operations. `store`: the
 * store area.
 */
export const LEVELS = ['interface', 'pets', 'store'] as const
export type Level = (typeof LEVELS)[number]

/** `write`: the check adds pets. The others need a second key. */
export type Need = 'write' | 'read-only key' | 'other key'

export interface PromiseRow {
  /** Never changes, because programs rely on it. */
  id: string
  level: Level
  /** One sentence. */
  promise: string
  /** Each is an item of docs/interface.md, a pointer into openapi.yaml or a section of an RFC. */
  sources: readonly string[]
  needs?: readonly Need[]
  /** Ids of promises that must hold before this one is judged, so that one cause breaks few promises. */
  premises?: readonly string[]
  /** Runs after all other checks: first the writing ones, one at a time, then the reading ones together. */
  alone?: 'writes' | 'reads'
  /** Throws Broken or Unjudged. */
  check(probe: Probe): Promise<unknown>
}

export interface BodyFamily {
  /** The start of the ids: `pets.create`. */
  id: string
  /** The error code for JSON that does not match the schema. */
  invalid: string
  /** The name of a free text field. */
  text: string
  /** Resolves with a body that is valid once, with the required fields and `fields`. */
  body(probe: Probe, fields?: Record<string, unknown>): Promise<string>
  send(probe: Probe, body: string | Uint8Array | undefined, options?: RequestOptions): Promise<Answer>
  /** Returns bodies with a different meaning than the given one. */
  others(body: string): readonly string[]
}
