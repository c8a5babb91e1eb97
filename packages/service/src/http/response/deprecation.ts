// Deprecated operations: headers that announce the removal (RFC 9745, RFC 8594), the removal itself, and counts of
// calls.

import type { ContractOperation, Deprecation } from '../../../../contract/src/contract.ts'
import type { DeprecatedCalls, KeyId } from '../../domain/keys.ts'
import { PetstoreError } from '../../domain/petstore-error.ts'
import type { LinkTo } from '../links.ts'

export function deprecationHeaders({ since, sunset, successor }: Deprecation, linkTo: LinkTo): Record<string, string> {
  return {
    Deprecation: `@${since / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: deprecationLinks(successor, linkTo),
  }
}

/** `successor` is a path with the version. */
export function deprecationLinks(successor: string, linkTo: LinkTo): string {
  return `<${linkTo(successor)}>; rel="successor-version", <${linkTo('/docs')}>; rel="deprecation"; type="text/html"`
}

/** Throws `operation_removed` from the sunset date on. */
export function checkNotRemoved({ id, deprecation }: ContractOperation, now: number, linkTo: LinkTo): void {
  if (!deprecation || now < deprecation.sunset) return
  const day = new Date(deprecation.sunset).toISOString().slice(0, 10)
  const successor = linkTo(deprecation.successor)
  throw new PetstoreError('operation_removed', `${id} was removed on ${day}. Use GET ${successor} instead.`)
}

interface Tally extends DeprecatedCalls {
  calls: number
  /** How many of the calls are saved. */
  saved: number
  lastAt: number
}

/** Counts calls by key and operation, and saves them every few seconds instead of at every call. */
export class DeprecatedCallTally {
  private readonly tallies = new Map<string, Tally>()

  /** The counts since the start. */
  all(): Iterable<DeprecatedCalls> {
    return this.tallies.values()
  }

  count(keyId: KeyId, operationId: string, at: number): void {
    const name = `${operationId} ${keyId}`
    const tally = this.tallies.get(name) ?? { keyId, operationId, calls: 0, saved: 0, lastAt: at }
    tally.calls++
    tally.lastAt = Math.max(tally.lastAt, at)
    this.tallies.set(name, tally)
  }

  /**
   * Calls `write` with the calls since the last save, if any. If `write` rejects, rejects too and keeps the counts.
   */
  async save(write: (calls: readonly DeprecatedCalls[]) => Promise<void>): Promise<void> {
    const due = [...this.tallies.values()].filter(({ calls, saved }) => calls > saved)
    if (due.length === 0) return
    const more = due.map(({ saved, calls, ...of }) => ({ ...of, calls: calls - saved }))
    for (const tally of due) tally.saved = tally.calls
    try {
      await write(more)
    } catch (error) {
      due.forEach((tally, n) => {
        tally.saved -= more[n]?.calls ?? 0
      })
      throw error
    }
  }
}
