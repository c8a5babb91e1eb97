// Tracks the last use of each API key in memory, so that requests need no write. Each key is saved at most once a
// minute.

import { endingOf, type KeyId, type KeyUse } from '../../domain/keys.ts'
import { monotonicMs } from '../../system/runtime.ts'

const SAVE_EVERY_MS = 60_000

interface Kept extends KeyUse {
  at: number
  /** The last saved use. */
  savedAt: number
  /** The earliest time of the next save, in milliseconds of `monotonicMs`. */
  dueAt: number
}

export class KeyUses {
  private readonly uses = new Map<KeyId, Kept>()

  /** `at` is milliseconds since 1970. */
  add(keyId: KeyId, token: string, at: number): void {
    const use = this.uses.get(keyId)
    if (use) use.at = at
    else this.uses.set(keyId, { keyId, ending: endingOf(token), at, savedAt: 0, dueAt: 0 })
  }

  /**
   * Calls `save` with the uses that are due, if any; with `all`, also with uses of keys that were saved less than a
   * minute ago. Rejects as `save` does.
   */
  async saveDue(save: (uses: readonly KeyUse[]) => Promise<void>, all = false): Promise<void> {
    const now = monotonicMs()
    const due = this.uses
      .values()
      .filter(({ at, savedAt, dueAt }) => at > savedAt && (all || now >= dueAt))
      .map((kept) => ({ kept, use: { keyId: kept.keyId, ending: kept.ending, at: kept.at } }))
      .toArray()
    if (due.length === 0) return
    // Set before the call, so that a failure is not retried within the minute.
    for (const { kept } of due) kept.dueAt = now + SAVE_EVERY_MS
    await save(due.map(({ use }) => use))
    for (const { kept, use } of due) kept.savedAt = use.at
  }
}
