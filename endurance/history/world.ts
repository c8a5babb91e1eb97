// A whole history with its derived data, which the rules use.

import { type Commit, commitsOf } from './commits.ts'
import { identityOf, mayHaveDone, type Operation, type Seen } from './operations.ts'
import { Versions } from './versions.ts'
import { type Allowance, Windows } from './windows.ts'

/** API keys by name. */
export interface Keys {
  /** Read-only keys. */
  readonly readOnly: readonly string[]
  /** Keys that the store does not know. */
  readonly wrong: readonly string[]
  /** Start and end of the request that revoked a key, on the clock of the operations. */
  readonly revoked: Readonly<Record<string, readonly [from: number, to: number]>>
}

/** The circumstances in which a history was recorded. */
export interface Circumstances extends Allowance {
  readonly keys: Keys
  /** Whether the servers have a rate limit. */
  readonly isLimited?: boolean
  /** Start and end of each stop of a server, which does not let readers wait. On the clock of the operations. */
  readonly stops?: readonly (readonly [from: number, to: number])[]
}

export const KEYS: Keys = { readOnly: [], wrong: ['wrong'], revoked: {} }

export class World {
  readonly commits: readonly Commit[]
  readonly versions: Versions
  readonly windows: Windows
  /** Operations with the same Idempotency-Key and API key, which together take effect at most once. */
  readonly alike: ReadonlyMap<string, readonly Operation[]>
  /** The commits that each operation may have caused. */
  private readonly made = new Map<Operation, Commit[]>()

  constructor(
    readonly events: readonly Seen[],
    readonly operations: readonly Operation[],
    readonly circumstances: Circumstances,
  ) {
    this.commits = commitsOf(events, operations)
    this.versions = new Versions(this.commits)
    this.windows = new Windows(this.commits, this.versions, operations, circumstances)
    this.alike = Map.groupBy(
      operations.filter(({ idempotencyKey }) => idempotencyKey !== undefined),
      identityOf,
    )
    for (const commit of this.commits) {
      for (const asker of commit.askers) this.made.set(asker, [...(this.made.get(asker) ?? []), commit])
    }
  }

  madeBy(operation: Operation): readonly Commit[] {
    return this.made.get(operation) ?? []
  }

  /** The commits that only this operation may have caused. */
  madeAlone(operation: Operation): readonly Commit[] {
    return this.madeBy(operation).filter(({ askers }) => askers.length === 1)
  }

  /** The other operations with the same Idempotency-Key. */
  others(operation: Operation): readonly Operation[] {
    if (operation.idempotencyKey === undefined) return []
    return (this.alike.get(identityOf(operation)) ?? []).filter((one) => one !== operation)
  }

  /** The create that an operation with the same Idempotency-Key has caused. */
  keptFor(operation: Operation): Commit | undefined {
    for (const one of [operation, ...this.others(operation)]) {
      const [commit] = mayHaveDone(one) ? this.madeBy(one) : []
      if (commit && (commit.askers.length === 1 || commit.askers.every((asker) => asker.body === one.body)))
        return commit
    }
    return undefined
  }
}
