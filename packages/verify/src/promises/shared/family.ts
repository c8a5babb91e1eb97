// An operation with a body, for the rows that all of them have.

import type { OperationId } from '../../../../contract/src/contract.ts'
import type { Answer } from '../../answer.ts'
import type { Probe, RequestOptions } from '../../probe.ts'
import type { Level } from './promise.ts'

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
