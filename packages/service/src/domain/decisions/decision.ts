// A requested change of pets or orders, by a caller or by the service.

import type { KeyId } from '../keys.ts'
import type { PetstoreError } from '../petstore-error.ts'
import type { Touches } from './snapshot.ts'
import type { WorkingCopy } from './working-copy.ts'

export interface Decision<Result> {
  /** The caller's API key; `null` for the service. */
  readonly by: KeyId | null
  readonly touches: Touches
  /**
   * Returns the result or a refusal. Changes in the working copy are written in both cases, such as an expired
   * reservation.
   */
  decide(copy: WorkingCopy): Result | PetstoreError
}

export type Touched = ReturnType<typeof touchedBy>

/** Returns the rows that a batch looks at. */
export function touchedBy(batch: readonly Decision<unknown>[]) {
  const all = <Value>(of: (touches: Touches) => Value | undefined) => batch.flatMap(({ touches }) => of(touches) ?? [])
  return {
    callers: new Set(batch.flatMap(({ by }) => by ?? [])),
    petIds: new Set(all(({ petId }) => petId)),
    everOrdered: new Set(all(({ everOrdered }) => everOrdered)),
    orderIds: new Set(all(({ orderId }) => orderId)),
    keys: all(({ key }) => key),
    overdue: overdueIn(batch),
  }
}

export function overdueIn(batch: readonly Decision<unknown>[]): number {
  return batch.reduce((sum, { touches }) => sum + (touches.overdue ?? 0), 0)
}
