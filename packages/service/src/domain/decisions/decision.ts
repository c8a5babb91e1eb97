// A change of pets or orders that a caller, or the service itself, requests.

import type { KeyId } from '../keys.ts'
import type { PetstoreError } from '../petstore-error.ts'
import type { Touches, UsedKey } from './snapshot.ts'
import type { WorkingCopy } from './working-copy.ts'

export interface Decision<Result> {
  /** The API key of the request; `null`: the service itself. */
  readonly by: KeyId | null
  readonly touches: Touches
  /** Gives the result or a refusal. What the working copy has then is written in either case: a reservation that was found overdue. */
  decide(copy: WorkingCopy): Result | PetstoreError
}

/** What a batch looks at. */
export interface Touched {
  readonly callers: ReadonlySet<KeyId>
  readonly petIds: ReadonlySet<bigint>
  readonly everOrdered: ReadonlySet<bigint>
  readonly orderIds: ReadonlySet<bigint>
  readonly keys: readonly UsedKey[]
  readonly overdue: number
}

export function touchedBy(batch: readonly Decision<unknown>[]): Touched {
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

/** How many overdue reservations a batch reads. */
export function overdueIn(batch: readonly Decision<unknown>[]): number {
  return batch.reduce((sum, { touches }) => sum + (touches.overdue ?? 0), 0)
}
