// What is known of a whole history, for the rules of single answers.

import { type Commit, commitsOf } from './commits.ts'
import { identityOf, mayHaveDone, type Operation, type Seen } from './operations.ts'
import { Versions } from './versions.ts'
import { type Allowance, Windows } from './windows.ts'

/** Which API keys there were, by name. */
export interface Keys {
  /** They may read only. */
  readonly readOnly: readonly string[]
  /** None of a store. */
  readonly wrong: readonly string[]
  /** Between these times of the operations' clock it was revoked. */
  readonly revoked: Readonly<Record<string, readonly [from: number, to: number]>>
}

/** What happened while a history was recorded. */
export interface Circumstances extends Allowance {
  readonly keys: Keys
}

export const KEYS: Keys = { readOnly: [], wrong: ['wrong'], revoked: {} }

export class World {
  readonly commits: readonly Commit[]
  readonly versions: Versions
  readonly windows: Windows
  /** The operations that are done at most once together. */
  readonly alike: ReadonlyMap<string, readonly Operation[]>
  /** The commits that an operation may have made. */
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

  /** The commits that nobody else can have made. */
  madeAlone(operation: Operation): readonly Commit[] {
    return this.madeBy(operation).filter(({ askers }) => askers.length === 1)
  }

  /** Those with the same Idempotency-Key, without itself. */
  others(operation: Operation): readonly Operation[] {
    if (operation.idempotencyKey === undefined) return []
    return (this.alike.get(identityOf(operation)) ?? []).filter((one) => one !== operation)
  }

  /** What somebody with the same Idempotency-Key has added or placed. */
  keptFor(operation: Operation): Commit | undefined {
    for (const one of [operation, ...this.others(operation)]) {
      const [commit] = mayHaveDone(one) ? this.madeBy(one) : []
      if (commit && (commit.askers.length === 1 || commit.askers.every((asker) => asker.body === one.body)))
        return commit
    }
    return undefined
  }
}
